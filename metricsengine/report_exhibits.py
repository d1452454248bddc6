"""Exhibits in the report: written to files, and laid out for the page."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from metricsengine.drawing import Drawing
from metricsengine.exhibits import Excerpts, Exhibit, Figure, Listing, Passage
from metricsengine.files import write_text
from metricsengine.inert import shorten, visible, write_csv
from metricsengine.report_tables import Table, listing_table

CARD = "card"
"""The passage that opens the report."""

_OTHER_FORMS: Mapping[str, Callable[[Drawing], bytes]] = {"png": Drawing.png, "pdf": Drawing.pdf}

FORMATS = tuple(_OTHER_FORMS)
"""In which figures can be written beside SVG."""

_WIDEST, _DOTS = 960, 72
"""Width of the page's column, and the least resolution, in dots per inch, at which a figure's letters can be read."""

_SVG_LIMIT = 400_000
"""Largest vector drawing, in characters, that goes into the page; busier figures go in as bitmaps."""


@dataclass(frozen=True)
class Block:
    """One exhibit as the template shows it; ``kind`` says which of the fields are filled.

    A figure that would be illegible in the page's width has a ``width`` of its own, in dots; others have 0.
    """

    kind: str
    name: str
    title: str
    caption: str = ""
    image: str = ""
    alt: str = ""
    width: int = 0
    table: Table | None = None
    rows: int = 0
    markdown: str = ""
    excerpts: Sequence[tuple[str, Sequence[tuple[str, str]]]] = ()
    marks: Sequence[str] = ()
    failure: str = ""


@dataclass
class Gallery:
    """Exhibits as they are written to files and laid out for the page.

    Attributes:
        folder: Where the files are written.
        formats: In which of :data:`FORMATS` figures are written beside SVG.
        blocks: What the page shows.
        failures: Exhibits that could not be shown, each named.
    """

    folder: Path
    formats: Collection[str] = ()
    blocks: list[Block] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def gather(self, exhibits: Iterable[Exhibit]) -> list[Exhibit]:
        """The exhibits, the card first, as far as the study could make them."""
        found: list[Exhibit] = []
        try:
            for exhibit in exhibits:
                found.append(exhibit)  # noqa: PERF402 - what came before a failure is kept
        except Exception as error:  # noqa: BLE001 - a study's fault must not cost the report
            self.failures.append(f"the study's exhibits after the first {len(found)}: {_one_line(error)}")
        return sorted(found, key=lambda exhibit: not (isinstance(exhibit, Passage) and exhibit.name == CARD))

    def hang(self, exhibit: Exhibit) -> None:
        """Write an exhibit's files and lay it out."""
        try:
            self._check_name(exhibit.name)
            block = self._block(exhibit)
        except Exception as error:  # noqa: BLE001 - a study's fault must not cost the report
            self.failures.append(f"{type(exhibit).__name__.lower()} {exhibit.name}: {_one_line(error)}")
            block = Block("failure", f"failed-{len(self.failures)}", exhibit.title, failure=_one_line(error))
        self.blocks.append(block)

    def _check_name(self, name: str) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
            raise ValueError("an exhibit's name holds letters, digits, _ and - only")
        if any(block.name == name for block in self.blocks):
            raise ValueError("another exhibit has the same name")

    def _block(self, exhibit: Exhibit) -> Block:
        match exhibit:
            case Figure():
                return self._figure(exhibit)
            case Listing():
                write_csv(exhibit.frame, self.folder / "listings" / f"{exhibit.name}.csv")
                table = listing_table(exhibit)
                return Block("listing", exhibit.name, exhibit.title, table=table, rows=len(exhibit.frame))
            case Passage():
                write_text(self.folder / f"{exhibit.name}.md", f"# {visible(exhibit.title)}\n\n{exhibit.markdown}\n")
                return Block("passage", exhibit.name, exhibit.title, markdown=exhibit.markdown)
            case Excerpts():
                shown = [(e.heading, marked(e.text, e.marks)) for e in exhibit.excerpts]
                kinds = dict.fromkeys(kind for _, parts in shown for _, kind in parts if kind)
                caption = exhibit.caption
                return Block("excerpts", exhibit.name, exhibit.title, caption, excerpts=shown, marks=list(kinds))

    def _figure(self, figure: Figure) -> Block:
        drawing = Drawing(figure.draw)
        target = self.folder / "figures" / f"{figure.name}.svg"
        write_text(target, drawing.svg)
        for name, drawn in _OTHER_FORMS.items():
            if name in self.formats:
                target.with_suffix(f".{name}").write_bytes(drawn(drawing))
            else:  # it would show what an earlier report showed
                target.with_suffix(f".{name}").unlink(missing_ok=True)
        alt = figure.alt or f"{figure.title}. {figure.caption}"
        width = round(drawing.width * _DOTS)
        return Block(
            "figure", figure.name, figure.title, figure.caption, _data_uri(drawing), alt,
            width=width if width > _WIDEST else 0,
        )  # fmt: skip


def marked(text: str, marks: Sequence[tuple[int, int, str]]) -> list[tuple[str, str]]:
    """The text cut at its marks: pieces with the kind of their mark, empty between marks.

    Marks that overlap an earlier one or lie outside the text are cut to what is left of them.

    Example:
        >>> marked("proud to be here", [(0, 5, "persona")])
        [('proud', 'persona'), (' to be here', '')]
    """
    pieces: list[tuple[str, str]] = []
    at = 0
    for start, end, kind in sorted(marks):
        start, end = max(start, at), min(end, len(text))
        if start >= end:
            continue
        pieces += [(text[at:start], ""), (text[start:end], kind if re.fullmatch(r"[a-z][a-z0-9_-]*", kind) else "mark")]
        at = end
    return [piece for piece in [*pieces, (text[at:], "")] if piece[0]]


def _data_uri(drawing: Drawing) -> str:
    small = len(drawing.svg) <= _SVG_LIMIT
    kind, content = ("svg+xml", drawing.svg.encode()) if small else ("png", drawing.png())
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _one_line(error: Exception) -> str:
    text = str(error).strip().partition("\n")[0]
    return shorten(f"{type(error).__name__}: {text}" if text else type(error).__name__, 300)
