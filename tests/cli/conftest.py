"""What the command line tests share: the installed command, run as a process of its own, and a browser for its pages."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import plain_boards
from nqueens_cp.cli import main


def _default_interrupt() -> None:
    # A shell that runs the tests in the background lets them, and so their children, ignore SIGINT.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="session")
def program() -> str:
    """The console script beside the running interpreter."""
    path = Path(sys.executable).with_name("nqueens-cp")
    assert path.exists(), f"{path} is missing: install the package with pip install -e '.[test]'"
    return str(path)


@pytest.fixture(scope="session")
def start(program: str) -> Callable[..., subprocess.Popen[str]]:
    """A function that starts the command, in a process group of its own, and returns the process."""

    def run(*arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_default_interrupt,
        )

    return run


@pytest.fixture(scope="session")
def work() -> Callable[[subprocess.Popen[str], float], None]:
    """A function that waits until a process has been at work for so many seconds of processor time, its children included.

    However busy the machine is, the process is then past its start, which a wait by the clock would not promise.
    """

    def wait(process: subprocess.Popen[str], seconds: float) -> None:
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline and _processor_time(process.pid) < seconds:
            time.sleep(0.02)
        assert process.poll() is None, process.communicate()

    return wait


def _processor_time(process: int) -> float:
    """The seconds that a process and its descendants have used; where there is no /proc, as if time had passed since."""
    if not Path("/proc/self/stat").exists():
        time.sleep(3)
        return float("inf")
    family, used = {process}, 0
    stats = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            stats.append((int(stat.parent.name), stat.read_text().rpartition(")")[2].split()))
    for number, fields in sorted(stats):  # parents come before their children
        if number == process or int(fields[1]) in family:
            family.add(number)
            used += sum(map(int, fields[11:15]))  # its own, and of children that it waited for
    return used / os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="session")
def cli(program: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A function that runs the command to its end and returns its exit status, standard output and standard error."""

    def run(
        *arguments: str, stdin: str = "", path: Path | None = None, env_more: dict[str, str] | None = None, **options
    ) -> subprocess.CompletedProcess[str]:
        environment = dict(os.environ, COLUMNS="200", **(env_more or {}))
        if path is not None:
            environment["PYTHONPATH"] = str(path)
        return subprocess.run(
            [program, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            env=environment,
            preexec_fn=_default_interrupt,
            **options,
        )

    return run


@pytest.fixture(scope="session")
def columns_of() -> Callable[[str], list[int]]:
    """A function from a printed board to the column of the queen in each row; each row must hold exactly one."""

    def read(board: str) -> list[int]:
        rows = [line.split(" ") for line in board.splitlines()]
        assert all(len(row) == len(rows) and set(row) <= set("Q.Px") for row in rows), board
        queens = [[column for column, square in enumerate(row) if square in "QP"] for row in rows]
        assert all(len(row) == 1 for row in queens), board
        return [row[0] for row in queens]

    return read


@pytest.fixture(scope="session")
def is_solution() -> Callable[[list[int]], bool]:
    """A function that tells whether queens in these columns, one a row, leave each other alone."""
    return plain_boards.is_solution


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless Chromium; skips where selenium or Chromium with its driver is absent (Debian: chromium, chromium-driver)."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install selenium")
    program = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
    chromedriver = shutil.which("chromedriver")
    if program is None or chromedriver is None:
        pytest.skip("chromium or chromedriver is not installed: apt install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    profile = tmp_path_factory.mktemp("profile")
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def open_page(browser: Any) -> Callable[..., None]:
    """A function that opens a file on a screen of a width, light or dark; a narrow screen is a phone."""

    def show(path: Path, width: int = 1200, scheme: str = "light", **media: str) -> None:
        features = {"prefers-color-scheme": scheme} | {name.replace("_", "-"): value for name, value in media.items()}
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"media": "", "features": [{"name": name, "value": value} for name, value in features.items()]},
        )
        metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        browser.get(path.as_uri())

    return show


@pytest.fixture(scope="session")
def complaints(browser: Any) -> Callable[[], list[str]]:
    """A function that returns what was fetched, besides the files opened, and what the console said, since its last call."""

    def read() -> list[str]:
        events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
        asked = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        fetched = [
            one["request"]["url"] for one in asked if one["type"] != "Document" or one["documentURL"][:5] != "file:"
        ]
        return fetched + [entry["message"] for entry in browser.get_log("browser")]

    return read


@pytest.fixture(scope="session")
def luminance(browser: Any) -> Callable[[str], float]:
    """A function that returns how light a colour of the page is, which is named by its CSS variable."""

    def measure(name: str) -> float:
        return browser.execute_script(
            """
            const canvas = new OffscreenCanvas(1, 1).getContext('2d');
            canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--' + arguments[0]);
            canvas.fillRect(0, 0, 1, 1);
            const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(part => {
              const share = part / 255;
              return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4 });
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
            """,
            name,
        )

    return measure


@pytest.fixture(scope="session")
def contrast(luminance: Callable[[str], float]) -> Callable[[str, str], float]:
    """A function that returns the contrast of two colours of the page, as WCAG 2.2 defines it."""

    def measure(first: str, second: str) -> float:
        low, high = sorted((luminance(first), luminance(second)))
        return (high + 0.05) / (low + 0.05)

    return measure


class Ran(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> Callable[..., Ran]:
    """A function that runs the command in this process and in an empty folder; a new process each time would take longer."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        status = main(["gallery", *arguments])
        return Ran(status, *capsys.readouterr())

    return run
