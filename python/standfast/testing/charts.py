"""The charts of the report, as SVG to be put into a page. Needs Matplotlib: `pip install standfast[report]`."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

# Distinguishable for the color-blind, and by their marks in print.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#4d4d4d", "#8c6d31")
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#9aa4ae",
    "axes.labelcolor": "#5b6570",
    "xtick.color": "#5b6570",
    "ytick.color": "#5b6570",
    "axes.grid": True,
    "grid.color": "#e6eaee",
    "axes.axisbelow": True,
    "legend.frameon": False,
}
MOST = len(_COLORS)
"""Lines that one chart can hold."""


def lines(name: str, series: Mapping[str, Sequence[float]], label: str) -> str:
    """Shares as lines, from 1 on. Lines that lie on one another are named together."""
    together: dict[tuple[float, ...], list[str]] = {}
    for one, rates in series.items():
        together.setdefault(tuple(rates), []).append(one)
    return _drawn(name, label, lambda axes: _lines(axes, together, label))


def _lines(axes: Axes, together: Mapping[tuple[float, ...], list[str]], label: str) -> None:
    for at, (rates, names) in enumerate(list(together.items())[:MOST]):
        shown = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
        axes.plot(range(1, len(rates) + 1), rates, color=_COLORS[at], marker=_MARKS[at], linewidth=2, label=_short(shown), clip_on=False)
    _shares(axes)
    axes.set_xlabel(label)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(loc="upper left", bbox_to_anchor=(0, -0.18), ncols=2, fontsize=10)


def bars(name: str, groups: Mapping[str, Sequence[float]], label: str) -> str:
    """Shares as groups of bars, one bar a depth."""
    return _drawn(name, label, lambda axes: _bars(axes, groups, label))


def _bars(axes: Axes, groups: Mapping[str, Sequence[float]], label: str) -> None:
    deepest = max(map(len, groups.values()))
    width = 0.8 / deepest
    for depth in range(min(deepest, MOST)):
        places = [at + (depth - (deepest - 1) / 2) * width for at in range(len(groups))]
        heights = [rates[depth] if depth < len(rates) else 0 for rates in groups.values()]
        drawn = axes.bar(places, heights, width * 0.92, color=_COLORS[depth], label=f"{label} {depth + 1}")
        axes.bar_label(drawn, labels=[f"{height:.0%}" for height in heights], fontsize=9, color="#5b6570")
    axes.set_xticks(range(len(groups)), [_short(one) for one in groups])
    axes.grid(visible=False, axis="x")
    _shares(axes)
    if deepest > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.12), ncols=4, fontsize=10)


def _shares(axes: Axes) -> None:
    axes.set_ylim(0, 1.06)
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])


def _drawn(name: str, label: str, draw: Any) -> str:
    style: Any = {**_STYLE, "svg.hashsalt": "standfast"}  # the same ids each time
    with mpl.rc_context(style):
        figure = Figure(figsize=(6.4, 3.6), layout="tight")
        draw(figure.subplots())
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight", transparent=True)
    svg = re.sub(r"^.*?(?=<svg)", "", buffer.getvalue(), flags=re.DOTALL)
    # the ids in two charts of a page must differ
    prefix = re.sub(r"[^a-z0-9]+", "-", name.lower())
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{_attribute(f"{name}, by {label}")}" ', 1)


def _attribute(text: str) -> str:
    return re.sub(r'[&<>"]', " ", text)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 34 else f"{plain[:33]}…"
