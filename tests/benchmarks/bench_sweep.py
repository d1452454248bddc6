"""Seconds a job of a sweep whose answers are all in the store.

    python tests/benchmarks/bench_sweep.py [--jobs 8] [--workers 1] [--n 4] [--folder FOLDER] [KEY=VALUE ...]

Runs ``metricsengine -m experiment=caricature_quick persona=genders,ages seed=0,1,...`` with the embedded model and few
short replies to fill a store, then the same again, and the first two jobs alone: twice more each, of which the quickest
counts. So what a job takes is told with and without what a sweep takes once: to start, to reach the tracking store, and
for the sweep's own report. With several workers the jobs run in as many processes (joblib). In a folder that is named,
the store stays, and is filled only where it is empty. The load of the machine is printed beside each time.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

COMMAND = [sys.executable, "-m", "metricsengine", "-m", "experiment=caricature_quick", "persona=genders,ages"]
FEW = 2
"""Jobs of the smaller sweep: one for each persona set."""


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="bench-sweep-") as fresh:
        folder = Path(options.folder or fresh).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        many, few = ([*words(options, jobs), *options.overrides] for jobs in (options.jobs, FEW))
        if not (folder / "outputs" / "store.db").exists():
            timed(folder, many, f"{options.jobs} jobs that ask")
        all_jobs = min(timed(folder, many, f"{options.jobs} jobs again") for _ in range(options.rounds))
        first_jobs = min(timed(folder, few, f"{FEW} jobs again") for _ in range(options.rounds))
    print(f"{all_jobs / options.jobs:.2f} s a job in all")
    if options.jobs > FEW:
        print(f"{(all_jobs - first_jobs) / (options.jobs - FEW):.2f} s for each job after the first {FEW}")


def words(options: argparse.Namespace, jobs: int) -> list[str]:
    """What is swept, and how."""
    seeds = ",".join(str(seed) for seed in range(jobs // FEW))
    small = [f"seed={seeds}", f"study.n={options.n}", "study.max_tokens=16"]
    workers = ["hydra/launcher=joblib", f"hydra.launcher.n_jobs={options.workers}"] if options.workers > 1 else []
    return [*small, *workers]


def timed(folder: Path, overrides: Sequence[str], label: str) -> float:
    """Seconds that a sweep takes, from the command to its end."""
    start = time.perf_counter()
    ended = subprocess.run([*COMMAND, *overrides], cwd=folder, env=environment(), capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if ended.returncode:
        sys.exit(ended.stderr)
    print(f"{label:<20}{seconds:8.1f} s   (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors)", flush=True)
    return seconds


def environment() -> dict[str, str]:
    """That of this process, with outputs in the folder itself."""
    return {name: value for name, value in os.environ.items() if name != "METRICSENGINE_OUTPUTS"}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=8, help="an even number")
    parser.add_argument("--workers", type=int, default=1, help="processes among which the jobs are spread")
    parser.add_argument("--n", type=int, default=4, help="replies of a simulation")
    parser.add_argument("--rounds", type=int, default=2, help="repetitions once the store is full")
    parser.add_argument("--folder", help="where it is run and the store stays; by default one that goes away")
    parser.add_argument("overrides", nargs="*", help="further overrides of the configuration")
    return parser.parse_args()


if __name__ == "__main__":
    main()
