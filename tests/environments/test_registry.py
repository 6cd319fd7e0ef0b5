from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from recorder.environments import registry
from recorder.environments.miniwob import MiniwobAdapter
from recorder.environments.options import BadOptions
from recorder.environments.sample import SampleAdapter


def test_bundled_adapters_read_the_settings(settings) -> None:
    settings.BENCHMARK_URL = "http://127.0.0.1:9001/"
    settings.BENCHMARK_TOKEN = "t"
    sample = registry.get_adapter("sample", {})
    assert isinstance(sample, SampleAdapter)
    assert (sample.client.url, sample.client.token) == ("http://127.0.0.1:9001", "t")
    assert isinstance(registry.get_adapter("miniwob"), MiniwobAdapter)


def test_other_packages_bring_adapters(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("theirs", "builtins:dict", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda **wanted: EntryPoints([entry]).select(**wanted))
    assert registry.get_adapter("theirs", {"colour": "red"}) == {"colour": "red"}
    assert registry.adapter_names() == ["dom", "http", "manual", "miniwob", "sample", "static", "theirs"]


def test_unknown_adapters_are_refused_with_the_known_ones() -> None:
    with pytest.raises(registry.UnknownAdapter, match="known: dom, http, manual, miniwob, sample, static"):
        registry.get_adapter("nope")


def test_bundled_adapters_refuse_options_they_do_not_know() -> None:
    with pytest.raises(BadOptions, match="colour: this adapter has no such option"):
        registry.get_adapter("sample", {"colour": "red"})
