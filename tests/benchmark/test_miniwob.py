from __future__ import annotations

import pytest

from tests.benchmark.running import RunningServer, Visitor


@pytest.fixture
def prepared(server: RunningServer) -> dict:
    return server.prepare("click-button", site="miniwob", seed=3)


def test_the_start_path_leads_to_the_task_with_the_shim_behind_core(server: RunningServer, prepared: dict) -> None:
    assert prepared["start_path"].startswith("/miniwob/click-button.html?session=")
    page = Visitor(prepared["upstream"]).get(f"/?session={prepared['id']}")
    assert page.url == prepared["upstream"] + "/miniwob/click-button.html"
    assert page.text.index("core/core.js") < page.text.index("/assets/episode.js") < page.text.index("ui_utils.js")
    assert 'data-over=""' in page.text
    assert "seed=" not in page.text


def test_the_packages_files_are_served_and_nothing_else(server: RunningServer, prepared: dict) -> None:
    visitor = server.visit(prepared)
    assert "core.startEpisodeReal" in visitor.get("/core/core.js").text
    assert visitor.get("/miniwob/enter-text.html").status == 404
    for path in ("/core/%2e%2e/%2e%2e/__init__.py", "/core/", "/core/nothing.js", "/__init__.py"):
        assert visitor.get(path).status == 404, path


def test_the_first_utterance_and_reward_count(server: RunningServer, prepared: dict) -> None:
    visitor = server.visit(prepared)
    assert prepared["instruction"] is None
    for body in ({"utterance": "Click"}, {"reward": 0.75}, {"utterance": "other", "reward": -1}):
        assert visitor.post_json("/miniwob-report", body).status == 204
    assert server.control("GET", f"/control/miniwob/sessions/{prepared['id']}")[1]["instruction"] == "Click"
    assert 'data-over="1"' in visitor.get("/miniwob/click-button.html").text
    verdict = server.evaluate(prepared["id"])
    assert (verdict["score"], verdict["passed"], verdict["source"]) == (0.75, True, "page")


@pytest.mark.parametrize(("reward", "score", "passed"), [(1, 1, True), (-1, 0, False), (0, 0, False), (3, 1, True)])
def test_score_is_the_raw_reward_kept_within_bounds(
    server: RunningServer, prepared: dict, reward: float, score: float, passed: bool
) -> None:
    server.visit(prepared).post_json("/miniwob-report", {"reward": reward})
    verdict = server.evaluate(prepared["id"])
    assert (verdict["score"], verdict["passed"]) == (score, passed)


def test_an_unfinished_episode_does_not_pass(server: RunningServer, prepared: dict) -> None:
    visitor = server.visit(prepared)
    for body in ({"reward": "1"}, {"reward": True}, {"reward": None}, [1], {"utterance": 5}):
        assert visitor.post_json("/miniwob-report", body).status == 204
    verdict = server.evaluate(prepared["id"])
    assert (verdict["score"], verdict["passed"]) == (0.0, False)
    assert verdict["checks"][0]["detail"] == "no reward was reported"


def test_all_of_the_package_and_of_them_five_over_five_difficulties(server: RunningServer) -> None:
    tasks = server.control("GET", "/control/miniwob/tasks")[1]
    assert len(tasks) == 128
    assert sum(task["task"].startswith("flight.") for task in tasks) == 3
    assert [task["difficulty"] for task in tasks][:5] == ["easy", "medium", "hard", "expert", "frontier"]
    assert all(task["variants"] == [] and task["environment"] == "miniwob" for task in tasks)
