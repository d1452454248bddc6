"""Requests a second of thousands of agents who update at once, against a bare loop over the same client.

    python tests/benchmarks/bench_agents.py [--agents 5000] [--in-flight 256] [--delay 0.02] [--rounds 2]

One step of the opinion study with a server in a process of its own that answers each request after 20 ms: posts of
everybody who is heard, then replies to timelines, then decoding questions. The study composes its requests, and every
answer is stored. The bare loop sends the bodies of the same requests, made beforehand, by the client's method for
chats, and stores nothing. Contenders take turns; the best round of each counts.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from metricsengine.config import Configuration
from metricsengine.elicit import Asker, drive
from metricsengine.host import Host
from metricsengine.model import Request, Response
from metricsengine.store import ResponseStore
from metricsengine.study import StudyInputs
from metricsengine.terminal import EngineProgress
from metricsengine_api.adapter import Api
from metricsengine_api.config import ApiConf
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.networks.random_graphs import ErdosRenyi
from metricsengine_dynamics.study.config import OpinionConf
from metricsengine_dynamics.study.study import OpinionStudy

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from bench_api import bare, resident
from servers import stub


def main() -> None:
    options = arguments()
    best = {"study": 0.0, "bare loop": 0.0}
    with stub(options.delay) as url:
        for number in range(options.rounds):
            requests, rate = simulated(url, options, seed=number)
            best["study"] = max(best["study"], rate)
            best["bare loop"] = max(best["bare loop"], asyncio.run(bare(url, requests, options.in_flight, typed=True)))
    for name, rate in best.items():
        print(f"{name:12}{rate:8.0f} requests/s{rate / best['bare loop']:8.0%}")


def simulated(url: str, options: argparse.Namespace, seed: int) -> tuple[list[Request], float]:
    """One step of everybody: the requests, and how many a second were asked, answered and stored."""
    study = opinion_study(options.agents, seed)
    adapter = Api(ApiConf(base_url=url, name="stub", max_in_flight=options.in_flight))
    asked: dict[Request, None] = {}
    with tempfile.TemporaryDirectory() as folder, ResponseStore(Path(folder) / "store.db") as store:
        quiet = EngineProgress(Console(quiet=True), "asking")
        asker = Asker(adapter, store, quiet, lambda responses: None)

        def ask(requests: Sequence[Request]) -> list[Response]:
            asked.update(dict.fromkeys(requests))
            return asker(requests)

        before, start = resident(), time.perf_counter()
        tables = drive(study.run(), ask)
        seconds = time.perf_counter() - start
        stored = store.figures().responses
        assert stored == asker.tally.misses == len(asked), (stored, asker.tally.misses, len(asked))
        print(
            f"{len(tables['Transitions']):,} updates, {stored:,} requests, all stored, in {seconds:.1f} s; "
            f"{before:.0f} MB before, {resident():.0f} MB after"
        )
    adapter.close()
    return list(asked), stored / seconds


def opinion_study(agents: int, seed: int) -> OpinionStudy:
    """The study of the benchmark: some six acquaintances each, of whom about half are heard."""
    configuration = Configuration(Host())
    sets = {group: [configuration.load(group, name)] for group, name in CHOSEN.items()}
    parts = {
        "reference": {"hegselmann_krause": HegselmannKrause(epsilon=0.5)},
        "network": {"erdos_renyi": ErdosRenyi(p=6 / agents)},
    }
    conf = OpinionConf(n_agents=agents, steps=1, runs=1, epsilon=0.5, agents=["llm"], max_tokens=64)
    return OpinionStudy(conf, StudyInputs(sets, seed, parts=parts, find=configuration.load))


CHOSEN = {"prompt": "base", "debate": "economy", "agent_persona": "everyday"}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--agents", type=int, default=5000)
    parser.add_argument("--in-flight", type=int, default=256)
    parser.add_argument("--delay", type=float, default=0.02, help="seconds in which the server answers")
    parser.add_argument("--rounds", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
