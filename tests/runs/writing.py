"""Files as other harnesses write them, small and by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def lines(path: Path, *rows: dict[str, Any] | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def document(path: Path, found: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found))
    return path


def component_row(task: str, mode: str = "ax_tree", **changed: Any) -> dict[str, Any]:
    row = {
        "task_id": task, "canonical_type": "button", "library": "antd", "mode": mode, "success": True, "reward": 1.0, "steps": 3,
        "termination_reason": "success", "duration_seconds": 10.5, "model_name": "m1", "run_id": "sweep", "difficulty_bucket": "easy",
    }  # fmt: skip
    return row | changed


def agentlab(folder: Path, name: str, **changed: Any) -> Path:
    summary = {"n_steps": 7, "cum_reward": 1.0, "stats.cum_step_elapsed": 2.5, "stats.cum_agent_elapsed": 7.5,
               "terminated": True, "truncated": False, "err_msg": None}  # fmt: skip
    return document(folder / name / "summary_info.json", summary | changed).parent


def browser_use(path: Path, success: bool | None = True) -> Path:
    def turn(number: int, actions: list[dict[str, Any]], results: list[dict[str, Any]]) -> dict[str, Any]:
        times = {"step_start_time": 100.0 + number, "step_end_time": 100.5 + number, "step_number": number}
        return {"model_output": {"action": actions}, "result": results, "state": {"url": "http://x"}, "metadata": times}

    click = {"click_element_by_index": {"index": 3}}
    done = {"done": {"text": "All done", "success": success}}
    return document(
        path,
        {
            "history": [
                turn(
                    1,
                    [click, {"input_text": {"index": 4, "text": "tea"}}],
                    [{"error": None}, {"error": "Element doesn't exist"}],
                ),
                turn(2, [done], [{"is_done": True, "success": success}]),
            ]
        },
    )


def osworld(folder: Path, score: str = "1.0\n", steps: tuple[int, ...] = (1, 1, 2, 3)) -> Path:
    rows = [
        {
            "step_num": step,
            "action_timestamp": f"20260101@10000{second}",
            "action": "pyautogui.click(1, 2)",
            "reward": 0,
            "done": False,
        }
        for second, step in enumerate(steps)
    ]
    lines(folder / "traj.jsonl", *rows)
    (folder / "result.txt").write_text(score)
    return folder
