"""A Dockerfile carried out without Docker: each step in a folder of its own, by chroot.

For that one has to be root on a Linux machine. What a command needs mounted is mounted for it alone, and
gone with it.
"""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Of pip's configuration: how it reaches a registry.
NETWORK = ("index-url", "extra-index-url", "trusted-host", "proxy", "timeout", "retries")
PROXIES = ("http_proxy", "https_proxy", "no_proxy")
LONGEST = 1200.0  # Seconds for a step, on a busy machine
VARIABLE = re.compile(r"\$\{?(\w+)\}?")

Step = tuple[str, str]


def stages(dockerfile: str) -> dict[str, tuple[str, list[Step]]]:
    """By name: the image that a stage starts from, and its steps. The last one's name is empty."""
    found = dict[str, tuple[str, list[Step]]]()
    steps: list[Step] = []
    for word, rest in _steps(dockerfile):
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            steps = []
            found[name] = base, steps
        else:
            steps.append((word, rest))
    return found


def _steps(dockerfile: str) -> Iterator[Step]:
    lines = [line for line in dockerfile.splitlines() if not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        word, _, rest = line.strip().partition(" ")
        if word:
            yield word, rest.strip()


@dataclass
class Stage:
    """What has become of a root folder so far."""

    root: Path
    context: Path  # What COPY copies from
    others: Mapping[str, "Stage"] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": PATH})
    user: str = "root"
    folder: str = "/"
    volumes: list[str] = field(default_factory=list)
    entrypoint: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)
    stop: str = ""

    def do(self, word: str, rest: str) -> None:
        """Carry out a step. Raises AttributeError for one of a kind that no step had so far."""
        getattr(self, f"_{word.lower()}")(rest)

    def run(self, command: Sequence[str], **more: str) -> None:
        """Run something in it that ends by itself. Raises CalledProcessError."""
        outside = self._outside(command, {**self.environment, **more})
        subprocess.run(outside, check=True, timeout=LONGEST, stdin=subprocess.DEVNULL)

    def start(
        self, command: Sequence[str], log: IO[bytes], *, data: Path, read_only: bool, **more: str
    ) -> subprocess.Popen[bytes]:
        """Start something in it, with a folder as its volume; its process is the one that is returned."""
        mounts = [_bound(data, self._inside(volume)) for volume in self.volumes]
        if read_only:
            mounts = [*_shut(self.root), *mounts, _mounted("tmpfs", self.root / "tmp")]
        outside = self._outside(command, {**self.environment, **more}, mounts)
        return subprocess.Popen(outside, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def contents(self) -> dict[str, tuple[int, ...]]:
        """Everything in it, with size, owner, rights and the time of its last change."""
        found = dict[str, tuple[int, ...]]()
        for folder, folders, files in os.walk(self.root):
            for name in (*folders, *files):
                at = Path(folder) / name
                is_ = at.lstat()
                found[str(at)] = (is_.st_size, is_.st_uid, is_.st_gid, is_.st_mode, is_.st_mtime_ns)
        return found

    def _outside(
        self, command: Sequence[str], environment: Mapping[str, str], mounts: Sequence[str] = ()
    ) -> list[str]:
        """The same command as it is given on this machine."""
        variables = [f"{key}={value}" for key, value in {"HOME": self._home(), **environment}.items()]
        chroot = ["chroot", f"--userspec={self.user}", str(self.root), "/usr/bin/env", "-i"]
        whole = [*chroot, f"--chdir={self.folder}", *variables, *command]
        steps = [
            "set -e",
            *mounts,
            _mounted("proc", self.root / "proc"),
            _bound(Path("/dev"), self.root / "dev"),
            f"exec {shlex.join(whole)}",
        ]
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", "\n".join(steps)]

    def _home(self) -> str:
        users = (self.root / "etc" / "passwd").read_text("utf-8").splitlines()
        return next(line.split(":")[5] for line in users if line.startswith(f"{self.user}:"))

    def _inside(self, path: str) -> Path:
        return self.root / str(Path(self.folder) / path).lstrip("/")

    def _filled_in(self, text: str) -> str:
        return VARIABLE.sub(lambda match: self.environment[match[1]], text)

    def _run(self, rest: str) -> None:
        certificate = self.root / "tmp" / "certificates.pem"
        more = {"PIP_QUIET": "1", **reaching_a_registry()}
        if given := more.pop("PIP_CERT", ""):
            shutil.copy(given, certificate)
            more["PIP_CERT"] = "/tmp/certificates.pem"  # noqa: S108 - in there
        self.run(["/bin/sh", "-c", rest], **more)
        certificate.unlink(missing_ok=True)

    def _copy(self, rest: str) -> None:
        other, words = "", rest.split()
        if words[0].startswith("--from="):
            other = words.pop(0).partition("=")[2]
        *sources, target = words
        for source in sources:
            found = self.others[other]._inside(source) if other else self.context / source
            _copied(found, self._inside(target), within=target.endswith("/"))

    def _env(self, rest: str) -> None:
        pairs = [each.partition("=") for each in shlex.split(rest)]
        self.environment |= {key: self._filled_in(value) for key, _, value in pairs}

    def _user(self, rest: str) -> None:
        self.user = rest

    def _workdir(self, rest: str) -> None:
        self._inside(rest).mkdir(parents=True, exist_ok=True)
        self.folder = str(Path(self.folder) / rest)

    def _volume(self, rest: str) -> None:
        self.volumes.append(rest)

    def _stopsignal(self, rest: str) -> None:
        self.stop = rest

    def _healthcheck(self, rest: str) -> None:
        self.health = json.loads(rest.partition("CMD ")[2])

    def _entrypoint(self, rest: str) -> None:
        self.entrypoint = json.loads(rest)


def _mounted(what: str, where: Path) -> str:
    return f"mount -t {what} {what} {shlex.quote(str(where))}"


def _bound(what: Path, where: Path) -> str:
    return f"mount --rbind {shlex.quote(str(what))} {shlex.quote(str(where))}"


def _shut(root: Path) -> list[str]:
    """Nobody writes to it."""
    return [_bound(root, root), f"mount -o remount,bind,ro {shlex.quote(str(root))}"]


def _copied(source: Path, target: Path, *, within: bool) -> None:
    """As COPY does it: of a folder what is in it."""
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copy(source, target / source.name if within else target)


def reaching_a_registry() -> dict[str, str]:
    """How this machine's pip does, as variables; without what lies in its own folders."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    pairs = sorted(line.partition("=") for line in listed.splitlines() if "=" in line)
    # a variable is listed as `:env:.name` and goes before what files say
    values = {key.rpartition(".")[2]: ast.literal_eval(value) for key, _, value in reversed(pairs)}
    found = {key: values[key] for key in ("cert", *NETWORK) if key in values}
    found = {
        key: " ".join(word for word in value.split() if "file:" not in word) for key, value in found.items()
    }
    variables = {f"PIP_{key.upper().replace('-', '_')}": value for key, value in found.items() if value}
    return variables | {key: os.environ[key] for key in PROXIES if key in os.environ}


def clean_root(folder: Path, release: str, packages: Sequence[str]) -> None:
    """All that is essential of a Debian release and these packages, unpacked and with their users."""
    own = [Path("/etc/apt/sources.list.d/debian.sources"), Path("/etc/apt/sources.list")]
    here = f"VERSION_CODENAME={release}" in Path("/etc/os-release").read_text("utf-8")
    sources = [str(file) for file in own if here and file.exists()][:1]
    wanted = [f"--include={each}" for each in ("?essential", *packages)]
    less = [f"--dpkgopt=path-exclude=/usr/share/{each}/*" for each in ("doc", "man", "locale")]
    command = ["mmdebstrap", "--mode=root", "--variant=extract", "--quiet", *wanted, *less]
    subprocess.run([*command, release, str(folder), *sources], check=True, timeout=LONGEST)
    for name in ("passwd", "group"):
        shutil.copy(folder / "usr" / "share" / "base-passwd" / f"{name}.master", folder / "etc" / name)
