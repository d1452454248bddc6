"""What a study shows of its results: figures, listings, passages and marked texts.

Exhibits are plain descriptions. The report decides how they look, and keeps whatever a model said inert.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as MatplotlibFigure


@dataclass(frozen=True)
class Figure:
    """A figure, drawn when needed.

    Attributes:
        name: File stem: letters, digits, ``_`` and ``-``.
        title: Heading.
        caption: What is seen, how it was computed, and which figure of which paper it corresponds to.
        draw: Draws it on a new ``matplotlib.figure.Figure`` (never through pyplot's global state).
        alt: The message of the figure in words, for those who cannot see it.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[], MatplotlibFigure]
    alt: str = ""


@dataclass(frozen=True)
class Listing:
    """A table to read; NA cells are shown as "—".

    Attributes:
        name: File stem.
        title: Heading.
        caption: What one row is.
        frame: The rows; column names are headings.
    """

    name: str
    title: str
    caption: str
    frame: pd.DataFrame


@dataclass(frozen=True)
class Passage:
    """A text in Markdown; raw HTML in it is shown, not interpreted. Written to ``NAME.md`` as well.

    Attributes:
        name: File stem. The passage ``card`` also becomes the note of the tracked run.
        title: Heading.
        markdown: The text.
    """

    name: str
    title: str
    markdown: str


@dataclass(frozen=True)
class Excerpt:
    """One text with marked words.

    Attributes:
        heading: What it is an example of.
        text: What the model said.
        marks: (start, end, kind) in characters, not overlapping, ascending; ``kind`` is one word such as ``persona``.
    """

    heading: str
    text: str
    marks: Sequence[tuple[int, int, str]] = ()


@dataclass(frozen=True)
class Excerpts:
    """Texts to read side by side.

    Attributes:
        name: File stem.
        title: Heading.
        caption: How they were chosen and what the marks mean.
        excerpts: The texts.
    """

    name: str
    title: str
    caption: str
    excerpts: Sequence[Excerpt]


Exhibit = Figure | Listing | Passage | Excerpts
