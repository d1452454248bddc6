"""Drawing figures: the same bytes every time, without pyplot, and quiet about scripts that no font covers."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from metricsengine.inert import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 144
"""Pixels per inch of bitmaps."""

_OTHER_SCRIPTS = tuple(f"Noto Sans {script}" for script in ("CJK SC", "CJK JP", "Arabic", "Devanagari", "Hebrew"))


class Drawing:
    """A drawn figure. Its vectors are drawn first: other forms are laid out as they are.

    Args:
        make: Draws it. Whatever it raises passes through.

    Attributes:
        svg: Vector drawing; its letters are outlines, so that it looks the same everywhere.
        width: In inches.
    """

    def __init__(self, make: Callable[[], Figure]) -> None:
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        vectors = io.StringIO()
        with _quiet():
            self._figure = make()
            # Not savefig, which draws twice, and lays out for each: most of a report's time.
            FigureCanvasSVG(self._figure).print_svg(vectors, metadata={"Date": None, "Creator": None})  # type: ignore[no-untyped-call] # it has none
        self._figure.set_layout_engine("none")
        self.svg = visible(vectors.getvalue(), keep="\n")
        self.width = float(self._figure.get_figwidth())

    def png(self) -> bytes:
        """As bitmap of 144 dots per inch."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        bitmap = io.BytesIO()
        with _quiet():
            self._figure.set_dpi(DPI)
            FigureCanvasAgg(self._figure).print_png(bitmap, metadata={"Software": None})  # type: ignore[no-untyped-call] # as above
        return bitmap.getvalue()

    def pdf(self) -> bytes:
        """As page of its size, for papers."""
        from matplotlib.backends.backend_pdf import FigureCanvasPdf

        page = io.BytesIO()
        nobody = dict.fromkeys(("CreationDate", "Creator", "Producer"))
        with _quiet():
            FigureCanvasPdf(self._figure).print_pdf(page, metadata=nobody)  # type: ignore[no-untyped-call] # as above
        return page.getvalue()


@contextmanager
def _quiet() -> Iterator[None]:
    """The same bytes every time, whatever the user's own settings, and quiet about scripts that no font covers."""
    import matplotlib

    settings: Any = {
        "svg.hashsalt": "metricsengine",
        "svg.fonttype": "path",
        "pdf.fonttype": 42,  # type 3, the default, is refused by many journals
        "font.family": _families(),
    }  # the stubs want keys spelt out
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        for harmless in ("Glyph .* missing from", ".*constrained_layout not applied", "Tight layout not applied"):
            warnings.filterwarnings("ignore", message=harmless)
        yield


@cache
def _families() -> list[str]:
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return ["DejaVu Sans", *(name for name in _OTHER_SCRIPTS if name in installed)]
