"""Run the steps of a Dockerfile without Docker, each stage in a folder of its own by chroot.

This needs root on a Linux machine. Mounts exist for one command only.
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
# Settings of pip that say how to reach a registry.
PIP_NETWORK = ("index-url", "extra-index-url", "trusted-host", "proxy", "timeout", "retries")
PROXIES = ("http_proxy", "https_proxy", "no_proxy")
STEP_TIMEOUT = 1200.0  # Seconds for a step, on a busy machine
VARIABLE = re.compile(r"\$\{?(\w+)\}?")

Step = tuple[str, str]


def parse_stages(dockerfile: str) -> dict[str, tuple[str, list[Step]]]:
    """Return, for the name of each stage, its base image and steps. The last stage has an empty name."""
    found = dict[str, tuple[str, list[Step]]]()
    steps: list[Step] = []
    for word, rest in _parse_steps(dockerfile):
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            steps = []
            found[name] = base, steps
        else:
            steps.append((word, rest))
    return found


def _parse_steps(dockerfile: str) -> Iterator[Step]:
    lines = [line for line in dockerfile.splitlines() if not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        word, _, rest = line.strip().partition(" ")
        if word:
            yield word, rest.strip()


@dataclass
class Stage:
    """A root folder, and the settings made by the steps so far."""

    root: Path
    context: Path  # The folder from which COPY copies
    others: Mapping[str, "Stage"] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": PATH})
    user: str = "root"
    folder: str = "/"
    volumes: list[str] = field(default_factory=list)
    entrypoint: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)
    stop: str = ""

    def run_step(self, word: str, rest: str) -> None:
        """Run a step. Raises AttributeError for an unsupported instruction."""
        getattr(self, f"_{word.lower()}")(rest)

    def run(self, command: Sequence[str], **more: str) -> None:
        """Run a command in the root folder and wait for its end. Raises CalledProcessError."""
        line = self._build_command(command, {**self.environment, **more})
        subprocess.run(line, check=True, timeout=STEP_TIMEOUT, stdin=subprocess.DEVNULL)

    def start(
        self, command: Sequence[str], log: IO[bytes], *, data: Path, read_only: bool, **more: str
    ) -> subprocess.Popen[bytes]:
        """Start a command in the root folder, with `data` as its volume; return its own process.

        With `read_only` it can write only to the volume and to /tmp.
        """
        mounts = [_format_bind(data, self._resolve_path(volume)) for volume in self.volumes]
        if read_only:
            mounts = [*_format_read_only_mount(self.root), *mounts, _format_mount("tmpfs", self.root / "tmp")]
        line = self._build_command(command, {**self.environment, **more}, mounts)
        return subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def list_contents(self) -> dict[str, tuple[int, ...]]:
        """Return size, owner, rights and time of change of everything in the root folder, by path."""
        found = dict[str, tuple[int, ...]]()
        for folder, folders, files in os.walk(self.root):
            for name in (*folders, *files):
                at = Path(folder) / name
                stat = at.lstat()
                found[str(at)] = (stat.st_size, stat.st_uid, stat.st_gid, stat.st_mode, stat.st_mtime_ns)
        return found

    def _build_command(
        self, command: Sequence[str], environment: Mapping[str, str], mounts: Sequence[str] = ()
    ) -> list[str]:
        """Return the command line that runs the command by chroot, with its mounts."""
        variables = [f"{key}={value}" for key, value in {"HOME": self._find_home(), **environment}.items()]
        chroot = ["chroot", f"--userspec={self.user}", str(self.root), "/usr/bin/env", "-i"]
        whole = [*chroot, f"--chdir={self.folder}", *variables, *command]
        steps = [
            "set -e",
            *mounts,
            _format_mount("proc", self.root / "proc"),
            _format_bind(Path("/dev"), self.root / "dev"),
            f"exec {shlex.join(whole)}",
        ]
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", "\n".join(steps)]

    def _find_home(self) -> str:
        users = (self.root / "etc" / "passwd").read_text("utf-8").splitlines()
        return next(line.split(":")[5] for line in users if line.startswith(f"{self.user}:"))

    def _resolve_path(self, path: str) -> Path:
        return self.root / str(Path(self.folder) / path).lstrip("/")

    def _expand(self, text: str) -> str:
        return VARIABLE.sub(lambda match: self.environment[match[1]], text)

    def _run(self, rest: str) -> None:
        certificate = self.root / "tmp" / "certificates.pem"
        more = {"PIP_QUIET": "1", **read_pip_network()}
        if given := more.pop("PIP_CERT", ""):
            shutil.copy(given, certificate)
            more["PIP_CERT"] = "/tmp/certificates.pem"  # noqa: S108 - inside the root folder
        self.run(["/bin/sh", "-c", rest], **more)
        certificate.unlink(missing_ok=True)

    def _copy(self, rest: str) -> None:
        other, words = "", rest.split()
        if words[0].startswith("--from="):
            other = words.pop(0).partition("=")[2]
        *sources, target = words
        for source in sources:
            found = self.others[other]._resolve_path(source) if other else self.context / source
            _copy_source(found, self._resolve_path(target), within=target.endswith("/"))

    def _env(self, rest: str) -> None:
        pairs = [each.partition("=") for each in shlex.split(rest)]
        self.environment |= {key: self._expand(value) for key, _, value in pairs}

    def _user(self, rest: str) -> None:
        self.user = rest

    def _workdir(self, rest: str) -> None:
        self._resolve_path(rest).mkdir(parents=True, exist_ok=True)
        self.folder = str(Path(self.folder) / rest)

    def _volume(self, rest: str) -> None:
        self.volumes.append(rest)

    def _stopsignal(self, rest: str) -> None:
        self.stop = rest

    def _healthcheck(self, rest: str) -> None:
        self.health = json.loads(rest.partition("CMD ")[2])

    def _entrypoint(self, rest: str) -> None:
        self.entrypoint = json.loads(rest)


def _format_mount(kind: str, target: Path) -> str:
    return f"mount -t {kind} {kind} {shlex.quote(str(target))}"


def _format_bind(source: Path, target: Path) -> str:
    return f"mount --rbind {shlex.quote(str(source))} {shlex.quote(str(target))}"


def _format_read_only_mount(root: Path) -> list[str]:
    return [_format_bind(root, root), f"mount -o remount,bind,ro {shlex.quote(str(root))}"]


def _copy_source(source: Path, target: Path, *, within: bool) -> None:
    """Copy like COPY: of a folder its contents, a file under its own name if `within` is true."""
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copy(source, target / source.name if within else target)


def read_pip_network() -> dict[str, str]:
    """Return how this machine's pip reaches a registry, as variables; without file: addresses."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    pairs = sorted(line.partition("=") for line in listed.splitlines() if "=" in line)
    # A variable is listed as `:env:.name`, which sorts first, and overrides the files.
    values = {key.rpartition(".")[2]: ast.literal_eval(value) for key, _, value in reversed(pairs)}
    found = {key: values[key] for key in ("cert", *PIP_NETWORK) if key in values}
    found = {
        key: " ".join(word for word in value.split() if "file:" not in word) for key, value in found.items()
    }
    variables = {f"PIP_{key.upper().replace('-', '_')}": value for key, value in found.items() if value}
    return variables | {key: os.environ[key] for key in PROXIES if key in os.environ}


def make_clean_root(folder: Path, release: str, packages: Sequence[str]) -> None:
    """Unpack the essential packages of a Debian release and these, with their users."""
    apt_sources = [Path("/etc/apt/sources.list.d/debian.sources"), Path("/etc/apt/sources.list")]
    same_release = f"VERSION_CODENAME={release}" in Path("/etc/os-release").read_text("utf-8")
    sources = [str(file) for file in apt_sources if same_release and file.exists()][:1]
    include = [f"--include={each}" for each in ("?essential", *packages)]
    exclude = [f"--dpkgopt=path-exclude=/usr/share/{each}/*" for each in ("doc", "man", "locale")]
    command = ["mmdebstrap", "--mode=root", "--variant=extract", "--quiet", *include, *exclude]
    subprocess.run([*command, release, str(folder), *sources], check=True, timeout=STEP_TIMEOUT)
    for name in ("passwd", "group"):
        shutil.copy(folder / "usr" / "share" / "base-passwd" / f"{name}.master", folder / "etc" / name)
