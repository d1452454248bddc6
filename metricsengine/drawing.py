"""Drawing figures: the same bytes every time, without pyplot, and quiet about scripts that no font covers."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metricsengine.inert import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 144
"""Pixels per inch of the PNG files."""

_OTHER_SCRIPTS = tuple(f"Noto Sans {script}" for script in ("CJK SC", "CJK JP", "Arabic", "Devanagari", "Hebrew"))


@dataclass(frozen=True)
class Drawing:
    """A drawn figure.

    Attributes:
        png: Bitmap of 144 dots per inch.
        svg: Vector drawing; its letters are outlines, so that it looks the same everywhere.
    """

    png: bytes
    svg: str


def draw(make: Callable[[], Figure]) -> Drawing:
    """Draw a figure as bitmap and as vectors. Whatever ``make`` raises passes through."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    settings: Any = {
        "svg.hashsalt": "metricsengine",
        "svg.fonttype": "path",
        "font.family": _families(),
    }  # the stubs want keys spelt out
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        for harmless in ("Glyph .* missing from", ".*constrained_layout not applied", "Tight layout not applied"):
            warnings.filterwarnings("ignore", message=harmless)
        figure = make()
        bitmap, vectors = io.BytesIO(), io.StringIO()
        # Not savefig, which draws twice for each format, and lays out for each: most of a report's time.
        figure.set_dpi(DPI)
        FigureCanvasAgg(figure).print_png(bitmap, metadata={"Software": None})  # type: ignore[no-untyped-call] # it has none
        figure.set_layout_engine("none")
        FigureCanvasSVG(figure).print_svg(vectors, metadata={"Date": None, "Creator": None})  # type: ignore[no-untyped-call] # as above
    return Drawing(bitmap.getvalue(), visible(vectors.getvalue(), keep="\n"))


def _families() -> list[str]:
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return ["DejaVu Sans", *(name for name in _OTHER_SCRIPTS if name in installed)]
