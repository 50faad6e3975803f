"""A headless Chromium for tests: the DevTools protocol over a pipe, by the standard library.

The browser reads commands from its file descriptor 3 and writes answers and events to 4, each a
JSON text that ends with a zero byte.
"""

import base64
import json
import os
import select
import shutil
import tempfile
import time
from pathlib import Path

__all__ = ["Browser", "Tab", "find_chromium"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # Chromium's own does not run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--no-default-browser-check",
    "--remote-debugging-pipe",
    "about:blank",
)
# Seconds that a loaded machine may take for one answer.
_PATIENCE = 30.0


def find_chromium() -> str | None:
    """Path of a browser, if there is one that can be spoken to."""
    if os.name == "nt":  # where no other file descriptors than the first three are inherited
        return None
    return next((path for path in map(shutil.which, _NAMES) if path), None)


class Browser:
    """A browser with a profile of its own; to be used in a ``with`` statement."""

    def __init__(self, path: str) -> None:
        import fcntl  # which Windows does not have

        self._folder = tempfile.mkdtemp(prefix="chromium-")
        self._buffer, self._number = b"", 0
        self.events: list[dict] = []
        read, self._write = os.pipe()
        self._read, write = os.pipe()
        # Numbers beyond those that the browser expects, so that no copy overwrites another.
        theirs = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20) for fd in (read, write)]
        silent = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
        copies = [(os.POSIX_SPAWN_DUP2, theirs[0], 3), (os.POSIX_SPAWN_DUP2, theirs[1], 4)]
        # The browser writes crash reports and caches into the home folder.
        environment = os.environ | {"HOME": self._folder}
        self._pid = os.posix_spawn(
            path,
            [path, f"--user-data-dir={self._folder}/profile", *_OPTIONS],
            environment,
            file_actions=[silent, *copies],
            setpgroup=0,
        )
        for fd in (read, write, *theirs):
            os.close(fd)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.call("Browser.close")
        except (OSError, TimeoutError):
            os.killpg(self._pid, 9)
        os.waitpid(self._pid, 0)
        os.close(self._write)
        os.close(self._read)
        # Its children may still be writing.
        shutil.rmtree(self._folder, ignore_errors=True)

    def call(self, method: str, session: str | None = None, **params: object) -> dict:
        """Send a command and wait for its result; events on the way are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method: str) -> None:
        """Until an event of this name, which may have come already."""
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._receive())

    def _receive(self) -> dict:
        deadline = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], deadline - time.monotonic())
            if not ready:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._read, 1 << 16)
            if not part:
                raise OSError("the browser has ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(
        self, path: Path, *, width: int = 1100, height: int = 900, dark: bool = False
    ) -> "Tab":
        """A page from a file, loaded and listened to."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        tab = Tab(self, attached["sessionId"], target)
        for domain in ("Runtime", "Log", "Page", "Network", "Accessibility"):
            tab.call(f"{domain}.enable")
        tab.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        tab.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        tab.call("Page.navigate", url=path.resolve().as_uri())
        self.wait_for("Page.loadEventFired")
        return tab


class Tab:
    """A page in a browser."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target

    def close(self) -> None:
        self._browser.call("Target.closeTarget", targetId=self._target)

    def call(self, method: str, **params: object) -> dict:
        """A command for this page."""
        return self._browser.call(method, self._session, **params)

    def run(self, expression: str) -> object:
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """A key of the keyboard: Tab, Enter, a space or an arrow to the right."""
        codes = {"Tab": (9, ""), "Enter": (13, "\r"), " ": (32, " "), "ArrowRight": (39, "")}
        code, text = codes[key]
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code="Space" if key == " " else key,
                windowsVirtualKeyCode=code,
                text=text if kind == "keyDown" else "",
            )

    def complaints(self) -> list[str]:
        """Errors and warnings of the console, of the page's script and of its policy."""
        self.run("0")  # after which all that has happened has been told
        found = []
        for event in self._browser.events:
            params = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append(f"{params['type']}: {params['args']}")
            elif event["method"] == "Log.entryAdded":
                found.append(f"{params['entry']['level']}: {params['entry']['text']}")
        return found

    def requests(self) -> list[str]:
        """Addresses that the page has asked for, itself included."""
        return [
            event["params"]["request"]["url"]
            for event in self._browser.events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def names(self, role: str) -> list[str]:
        """Names of all elements of a role, as a screen reader hears them."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            node.get("name", {}).get("value", "")
            for node in nodes
            if not node["ignored"] and node["role"]["value"] == role
        ]

    def screenshot(self, path: Path) -> None:
        """The whole page as PNG."""
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(answer["data"]))
