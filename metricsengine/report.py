"""The report of a run: one self-contained page, and the figures, listings and passages as files beside it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from metricsengine import report_tables as tables
from metricsengine.exhibits import Exhibit
from metricsengine.files import write_text
from metricsengine.inert import shorten, visible
from metricsengine.markup import markdown
from metricsengine.report_estimates import by_metric, found_by_comparisons
from metricsengine.report_exhibits import FORMATS, Gallery
from metricsengine.results import Results
from metricsengine.wording import Said, conclusions, first_few, limits, model_name, plural

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_PROTOCOLS = {
    "paper": "the definitions in the papers",
    "released": "what the authors' released code computes, quirks included",
}


_EXHIBIT = re.compile(r'<section id="exhibit-([A-Za-z0-9_-]+)"')  # a text of a model cannot hold it: "<" is escaped


@dataclass(frozen=True)
class Report:
    """A written report.

    Attributes:
        path: The page.
        failures: Exhibits that could not be shown, each named.
    """

    path: Path
    failures: tuple[str, ...] = ()


def write_report(
    results: Results,
    exhibits: Iterable[Exhibit],
    folder: Path,
    said: Said | None = None,
    formats: Collection[str] = (),
) -> Report:
    """Write ``report.html``, ``figures/NAME.svg``, ``listings/NAME.csv`` and ``NAME.md`` into the folder.

    An exhibit that fails is named in the page and in the returned report; the others are shown. Figures and listings
    of an earlier page in the folder go away where the new one has none of their names, unless an exhibit failed.

    Args:
        results: What the page is about.
        exhibits: What the study shows of them. The passage ``card`` comes first, the others in their order.
        folder: The run folder.
        said: What may be concluded and what not; None for what counts of cells say.
        formats: In which of :data:`FORMATS` figures are written beside SVG.
    """
    gallery = Gallery(folder, formats)
    for exhibit in gallery.gather(exhibits):
        gallery.hang(exhibit)
    if not gallery.failures:
        _clear(folder, {block.name for block in gallery.blocks})
    page = (
        _environment()
        .get_template("report.html.j2")
        .render(
            results=results,
            model=model_name(results),
            seeds=_seeds(results),
            protocol=_PROTOCOLS[results.protocol],
            said=said or Said(conclusions(results), limits(results, len(gallery.failures))),
            failures=[*results.failures, *gallery.failures],
            blocks=gallery.blocks,
            found=found_by_comparisons(results),
            aggregates=by_metric(results, aggregates=True),
            cells=by_metric(results, aggregates=False),
            file=_file(folder),
            tables=tables,
            **_assets(),
        )
    )
    write_text(folder / "report.html", page)
    return Report(folder / "report.html", tuple(gallery.failures))


def _clear(folder: Path, names: AbstractSet[str]) -> None:
    """Remove the figures and listings that the page before this one shows, where this one has none of their names."""
    page = folder / "report.html"
    before = page.read_text(encoding="utf-8", errors="replace") if page.is_file() else ""
    for name in {*_EXHIBIT.findall(before)} - names:
        figures = (f"figures/{name}.{kind}" for kind in ("svg", *FORMATS))
        for path in (*figures, f"listings/{name}.csv"):
            (folder / path).unlink(missing_ok=True)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def inert(value: object) -> object:
        return visible(value, keep="\n\t") if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=PackageLoader("metricsengine"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=inert,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"markdown": markdown, "shorten": shorten, "plural": plural}
    return environment


def _assets() -> dict[str, Markup]:
    """Style and script with the digests by which the page's policy admits them and nothing else."""
    from markupsafe import Markup

    folder = Path(__file__).parent / "templates"
    style, script = ((folder / f"report.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    return {
        "style": Markup(style),  # noqa: S704 - our own file
        "script": Markup(script),  # noqa: S704 - our own file
        "style_digest": Markup(_digest(style)),  # noqa: S704 - base64
        "script_digest": Markup(_digest(script)),  # noqa: S704 - base64
    }


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _seeds(results: Results) -> str:
    """The seed; of a sweep those of all jobs."""
    seeds = results.provenance.get("seeds") or [results.seed]
    return f"{'seed' if len(seeds) == 1 else 'seeds'} {first_few(map(str, seeds), 5)}"


def _file(folder: Path) -> str:
    """The file that holds every estimate."""
    return "estimates.csv" if (folder / "estimates.csv").is_file() else "results.json"
