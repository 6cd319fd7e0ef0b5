"""Runs brought in by the browser, and labelled blind by keys alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import LazySettings
from playwright.sync_api import Page, expect

from annotate.models import Study
from tasks_admin.models import Run, RunLabel
from tasks_admin.operate import annotator
from tests.e2e.conftest import Site
from tests.e2e.test_pages import look_at
from tests.runs import writing

pytestmark = pytest.mark.e2e


def test_a_file_that_does_not_tell_the_model_is_asked_about_and_its_run_labelled(
    site: Site, page: Page, tmp_path: Path, settings: LazySettings
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    task = Study.objects.get(slug="sample").task_conditions.filter(condition="clean")[0].task.slug
    file = writing.browser_use(tmp_path / f"{task}.json")
    annotator.sign_in(page, site.link(site.lead))
    page.goto(f"{site.url}/studies/sample/")
    page.keyboard.press("u")
    page.wait_for_url("**/runs/")
    found = look_at(page, "runs")
    page.get_by_label("File").set_input_files(file)
    page.get_by_text("Say more of it").click()
    page.get_by_label("Condition").select_option("clean")
    page.get_by_role("button", name=re.compile("^Bring it in")).click()
    page.wait_for_url("**/uploads/*/")
    expect(page.get_by_text("does not tell the model")).to_be_visible()
    found += look_at(page, "asking")
    page.get_by_label("Model").fill("m7")
    page.get_by_role("button", name=re.compile("^Read it again")).click()
    expect(page.get_by_text("Go to the comparison")).to_be_visible()
    found += look_at(page, "done")
    page.goto(f"{site.url}/studies/sample/labels/")
    page.keyboard.press("r")
    page.wait_for_url("**/labels/runs/*/")
    found += look_at(page, "a run to label")
    page.keyboard.press("n")
    page.wait_for_url("**/labels/")
    expect(page.get_by_role("table").first).to_contain_text("agent's own word")
    found += look_at(page, "labels")
    page.get_by_role("link", name="n = 1: show").click()
    found += look_at(page, "the rows of a judge")
    assert (Run.objects.get().model, RunLabel.objects.get().success) == ("m7", False)
    page.goto(f"{site.url}/studies/sample/runs/")
    found += look_at(page, "runs imported")
    page.get_by_role("link", name="Take").click()
    page.wait_for_url("**/take-back/")
    found += look_at(page, "what goes")
    page.get_by_label("that people gave may go with it").check()
    page.get_by_role("button", name=re.compile("^Take it back")).click()
    expect(page.get_by_text("Taken back: 1 run and 1 label.")).to_be_visible()
    assert found == []
    assert not Run.objects.exists()
