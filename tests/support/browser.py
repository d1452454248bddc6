"""A headless Chromium that is driven through a pipe: pages are opened, keys pressed, and what is shown is measured."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Self

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
    "--no-first-run --remote-debugging-pipe"
)
KEYS = {"Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), " ": ("Space", 32, " ")}
"""Code, number and text of each key."""


class Browser:
    """One browser with one page.

    Args:
        program: The browser.
        profile: Folder for its profile.
    """

    def __init__(self, program: str, profile: Path) -> None:
        read_end, self._to = os.pipe()
        self._from, write_end = os.pipe()
        # The browser reads its third descriptor and writes to the fourth; the pipes may lie on these themselves.
        words = f'exec 8<&{read_end} 9>&{write_end} 3<&8 4>&9 8<&- 9>&-; exec "$@"'
        self._process = subprocess.Popen(
            ["bash", "-c", words, "bash", program, *FLAGS.split(), f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(read_end, write_end), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(read_end)
        os.close(write_end)
        self._buffer, self._count, self._session = b"", 0, ""
        self.complaints: list[str] = []

    def __enter__(self) -> Self:
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def open(self, address: str, width: int, height: int) -> None:
        """Show a page in a window of that size, and wait until it is there."""
        self._size(width, height)
        self._call("Page.navigate", url=address)
        while not self.value("document.readyState === 'complete' && location.href !== 'about:blank'"):
            pass

    def press(self, key: str) -> None:
        """Press a key where the focus is."""
        code, number, text = KEYS[key]
        about = {"key": key, "code": code, "windowsVirtualKeyCode": number}
        self._call("Input.dispatchKeyEvent", type="keyDown", **about, **({"text": text} if text else {}))
        self._call("Input.dispatchKeyEvent", type="keyUp", **about)

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives."""
        return self._call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def print_width(self, width: int) -> None:
        """Lay the page out as it is printed on paper of that width in pixels."""
        self._call("Emulation.setEmulatedMedia", media="print")
        self._size(width, 1000)

    def _size(self, width: int, height: int) -> None:
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def _call(self, method: str, **parameters: Any) -> Any:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._count:
            if answer.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
                self.complaints.append(json.dumps(answer["params"]))
        if "error" in answer:
            raise ValueError(f"{method}: {answer['error']}")
        return answer["result"]

    def _next(self) -> Any:
        while b"\0" not in self._buffer:
            if not (more := os.read(self._from, 1 << 16)):
                raise EOFError("the browser ended")
            self._buffer += more
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)
