"""A real process of `twentyfour-bot class`, its teacher and its pupils over HTTP."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import solver

ROOT = Path(__file__).parents[2]
ENTRY_NUMBERS = count(1)


class RealClass:
    """A class on loopback, whose database in `folder` an earlier one may have filled."""

    def __init__(self, folder: Path, port: str = "0") -> None:
        environment = {**os.environ, "XDG_DATA_HOME": str(folder), "LANG": "C.UTF-8"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bot", "class", "--listen", f"127.0.0.1:{port}", "--no-browser"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.printed = ""
        assert self.process.stdout
        while "Ctrl-C" not in self.printed:
            line = self.process.stdout.readline()
            assert line, f"the class ended: {self.printed}"
            self.printed += line
        self.root = self._find(r"(http://\S+)/teacher#")
        self.code = self._find(r"type (\w{6}),")
        self.key = self._find(r"teacher#key=(\S+)")
        self.teachers_page = f"{self.root}/teacher#key={self.key}"

    def _find(self, pattern: str) -> str:
        found = re.search(pattern, self.printed)
        assert found, self.printed
        return found[1]

    def stop(self) -> None:
        """End the process; nothing happens if it has ended."""
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=20)

    def request(self, path: str, body: object = None, key: str = "") -> Any:
        """Send a request, with the teacher's key unless there is another, and return the JSON."""
        request = urllib.request.Request(  # noqa: S310 - to the class, which speaks HTTP
            f"{self.root}/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {key or self.key}"},
        )
        with urllib.request.urlopen(request) as response:  # noqa: S310
            return json.load(response)

    def act(self, action: str, **more: object) -> None:
        self.request("class/action", {"action": action, **more})

    def begin(self, **plan: object) -> None:
        """Begin a lesson, by default with hands of 24 that all play together."""
        standard = {"game": "24", "pace": "together", "level": "", "count": 1, "hands": "", "seconds": 0}
        self.request("class/lesson", {**standard, "due": 0, **plan})

    def get_projector(self) -> str:
        """Return the address of the projector's page."""
        return str(self.request("class/state")["addresses"]["projector"])

    def join(self, name: str) -> "ClassPupil":
        joined = self.request("class/join", {"code": self.code, "name": name})
        session = self.request("open", {"pupil": joined["pupil"]})["session"]
        return ClassPupil(self, f"{self.root}/play#pupil={joined['pupil']}", session)


@dataclass
class ClassPupil:
    """A pupil who plays over HTTP."""

    school_class: RealClass
    page: str  # Its address
    session: str
    round: dict[str, Any] = field(default_factory=dict)  # As the pupil saw it last

    def look(self) -> None:
        """Load the present hand."""
        self.round = self.school_class.request("state", key=self.session)["round"]

    def send(self, **entry: object) -> None:
        """Send an answer or a press to the present hand."""
        entry_id = f"entry-{next(ENTRY_NUMBERS):020}"
        self.school_class.request("entry", {"id": entry_id, **entry}, self.session)

    def answer(self, text: str) -> None:
        self.look()
        self.send(round=self.round["id"], answer=text)

    def ask_for_hint(self) -> None:
        self.look()
        self.send(press=f"h:{self.round['id']}")

    def solve(self) -> None:
        """Send the right answer, and wait until the hand is over."""
        self.look()
        numbers = [int(number) for number in self.round["numbers"]]
        solution = next(iter(solver.solve(numbers, int(self.round["target"]))))
        self.send(round=self.round["id"], answer=str(solution))
        while self.round["state"] == "open":
            time.sleep(0.05)
            self.look()

    def go_on(self) -> None:
        """Deal the pupil the next hand of a lesson at their own pace."""
        self.send(press=f"cn:{self.round['id']}")
