"""A plot: an altair chart rendered to SVG on the server, with the data behind it and the rows that these were made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

INK = "#737d78"  # readable on light and on dark
COLOURS = ["#1f9d6b", "#c2603a", "#4a7fb5", "#a8823a", "#8b62ad", "#3c9c9c", "#b55a7a", "#6f7f2f",
           "#7fcfa9", "#e59a7d", "#93b8dd", "#d9bd84", "#bfa0d6", "#86cccc", "#dd9bb3", "#aeba75"]  # fmt: skip


class Plot:
    """A chart with its name, title, what it shows in words, its data, and which rows it was made of (`made_of`, as a table's lines)."""

    def __init__(
        self,
        name: str,
        title: str,
        words: str,
        chart: alt.Chart | alt.LayerChart,
        data: pd.DataFrame,
        made_of: Sequence[dict[str, str]] = (),
    ) -> None:
        self.name, self.title, self.words, self.chart, self.data = name, title, words, chart, data
        self.made_of = list(made_of)

    def document(self) -> dict[str, Any]:
        """{name, title, words, svg, columns, data, made_of}."""
        return {
            "name": self.name, "title": self.title, "words": self.words, "svg": svg_of(self.chart),
            "columns": list(self.data.columns),
            "data": self.data.astype(object).where(self.data.notna(), None).to_dict("records"),
            "made_of": self.made_of,
        }  # fmt: skip


def svg_of(chart: alt.Chart | alt.LayerChart) -> str:
    """The chart as SVG, in colours that stand on light and dark paper."""
    whole = (
        chart.properties(width=460, height=280, background="transparent")
        .configure(font="sans-serif")
        .configure_view(strokeOpacity=0)
        .configure_axis(
            labelColor=INK, titleColor=INK, domainColor=INK, tickColor=INK, gridColor=INK, gridOpacity=0.18,
            labelLimit=220, titleFontWeight="normal", labelFontSize=12, titleFontSize=13,
        )
        .configure_legend(
            labelColor=INK, titleColor=INK, orient="bottom", labelLimit=150, labelFontSize=12, titleFontSize=12, columns=3,
            symbolStrokeColor=INK, symbolFillColor=INK, symbolBaseStrokeColor=INK, symbolBaseFillColor=INK,
        )
        .configure_header(labelColor=INK, titleColor=INK)
    )  # fmt: skip
    told = whole.to_dict()
    # One legend below the other: side by side, those of many models would make the plot small. Altair's schema does not know it.
    told["config"]["legend"]["layout"] = {"bottom": {"direction": "vertical", "anchor": "start"}}
    return str(vl_convert.vegalite_to_svg(told))


def hue(field: str, title: str | None = None) -> alt.Color:
    return alt.Color(field, type="nominal", title=title, scale=alt.Scale(range=COLOURS))
