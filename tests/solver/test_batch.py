"""`twentyfour batch`: many hands in one run, also in several processes and on a Dask cluster."""

import io
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

from solver import count, ideas, nearest, rate, reachable, solve
from solver.__main__ import main
from solver.batch import Hand, Request, describe_hand
from solver.deal import list_draws

ROOT = Path(__file__).parents[2]
BATCH = [sys.executable, "-m", "solver", "batch"]
LONG = ["--all", "--cards", "5", "--count"]  # half a minute
FEW = ["--all", "--cards", "3", "--highest", "6", "--ideas"]


def run_batch(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*BATCH, *arguments], input=text, capture_output=True, text=True, cwd=ROOT, check=False
    )


def run_here(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, object]], str]:
    """Run in this process; return the exit code, the results and standard error."""
    code = main(["batch", *arguments, "--workers", "1"])
    out, err = capsys.readouterr()
    return code, [json.loads(line) for line in out.splitlines()], err


def test_result_has_all_that_is_asked_for() -> None:
    hand = Hand(7, (1, 2, 3, 4), 24)
    rating = rate([1, 2, 3, 4])
    best = nearest([1, 2, 3, 4], 24)
    everything = Request(solutions=True, ideas=True, count=True, rate=True, nearest=True, targets=True)
    assert describe_hand(everything, hand) == {
        "line": 7,
        "numbers": [1, 2, 3, 4],
        "target": 24,
        "solutions": [str(solution) for solution in solve([1, 2, 3, 4])],
        "ideas": [str(solution) for solution in ideas([1, 2, 3, 4])],
        "count": count([1, 2, 3, 4]).ideas,
        "seconds": rating.seconds,
        "level": rating.level,
        "solved": rating.solved,
        "measured": True,
        "value": best.value,
        "expression": str(best.expression),
        "distance": best.distance,
        "targets": sorted(reachable([1, 2, 3, 4], 999)),
    }


def test_hand_without_solution_has_no_rating() -> None:
    result = describe_hand(Request(rate=True), Hand(1, (1, 1, 1, 1), 24))
    assert (result["seconds"], result["level"], result["solved"]) == (None, None, None)


def test_targets_alone_need_no_target() -> None:
    assert describe_hand(Request(targets=True), Hand(1, (1, 2), 24))["target"] is None


def test_there_are_13243_countdown_draws() -> None:
    draws = list_draws()
    assert (len(draws), draws[0], draws[-1]) == (13_243, (1, 1, 2, 2, 3, 3), (10, 10, 25, 50, 75, 100))


def test_bad_lines_are_reported_and_the_others_solved(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "hands"
    file.write_text("\ufeff3 8 3 8\nfoo\n\n6 7 = 42\n3838\n= 24\n1 2 = 3 = 4\nA K = 14", "utf-8")
    code, results, err = run_here(capsys, str(file), "--ideas")
    assert code == 2
    assert [(result["line"], result["target"], result["ideas"]) for result in results] == [
        (1, 24, ["8/(3-8/3)"]),
        (4, 42, ["6*7"]),
        (8, 14, ["1+13"]),
    ]
    assert err.splitlines() == [
        "twentyfour: line 2: a whole number that is not negative is wanted, not 'foo'",
        "twentyfour: line 5: put spaces between the numbers: 3 8 3 8",
        "twentyfour: line 6: a number is wanted, not '= 24'",
        "twentyfour: line 7: only one target can be asked for, not '3 = 4'",
    ]


def test_standard_input_is_read_without_a_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1 2 3\n4 5 6\n"))
    code, results, err = run_here(capsys, "--count", "--target", "6")
    assert (code, [result["count"] for result in results], err) == (
        0,
        [count(hand, 6).ideas for hand in ([1, 2, 3], [4, 5, 6])],
        "",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--all"], "say what is wanted of each hand: one or more of --solutions, --ideas, "),
        (["--all", "--countdown", "--count"], "only one input can be read: a FILE, --all or --countdown"),
        (["--all", "--count", "--resume"], "--resume goes on with a file: name it with --output"),
        (["/no/such/file", "--count"], "can't read /no/such/file: No such file or directory"),
        (["--all", "--count", "--output", "/no/such/file"], "can't write /no/such/file: No such file"),
    ],
)
def test_bad_options_print_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    code, results, err = run_here(capsys, *arguments)
    assert (code, results, err.count("\n")) == (2, [], 1)
    assert err.startswith(f"twentyfour: {message}")


def test_every_number_of_processes_gives_the_same_bytes() -> None:
    expected = run_batch(*FEW, "--workers", "1")
    assert (expected.returncode, expected.stdout.count("\n"), expected.stderr) == (0, 56, "")
    for workers in ("2", "3"):
        assert run_batch(*FEW, "--workers", workers).stdout == expected.stdout


@pytest.mark.parametrize("kept", [0, 1, 700, 4000])
def test_resume_completes_a_torn_file(capsys: pytest.CaptureFixture[str], tmp_path: Path, kept: int) -> None:
    expected = run_batch(*FEW, "--workers", "1").stdout
    file = tmp_path / "results"
    file.write_text(expected[:kept], "utf-8")
    assert run_here(capsys, *FEW, "--output", str(file), "--resume") == (0, [], "")
    assert file.read_text("utf-8") == expected


def test_resume_refuses_results_of_other_options(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "results"
    assert run_here(capsys, *FEW, "--output", str(file)) == (0, [], "")
    written = file.read_text("utf-8")
    refused = run_here(capsys, *FEW, "--rate", "--output", str(file), "--resume")
    assert refused[0] == 2
    assert "other input or options?" in refused[2]
    assert run_here(capsys, *FEW, "--output", str(file))[2].startswith(f"twentyfour: {file} is not empty")
    assert file.read_text("utf-8") == written
    file.write_text("a diary\n", "utf-8")
    assert run_here(capsys, *FEW, "--output", str(file), "--resume")[0] == 2
    assert file.read_text("utf-8") == "a diary\n"


def wait_for_lines(file: Path, lines: int) -> None:
    """Wait until a file has so many lines."""
    end = monotonic() + 60
    while not (file.exists() and file.read_bytes().count(b"\n") >= lines):
        assert monotonic() < end
        sleep(0.02)


def list_children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@pytest.mark.faults
def test_interrupt_stops_at_once_and_names_the_command_to_go_on(tmp_path: Path) -> None:
    file = tmp_path / "results"
    batch = subprocess.Popen(
        [*BATCH, *LONG, "--workers", "2", "--output", str(file)], stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    wait_for_lines(file, 40)
    children = list_children(batch.pid)
    start = monotonic()
    batch.send_signal(signal.SIGINT)
    _, err = batch.communicate(timeout=30)
    assert monotonic() - start < 1
    assert batch.returncode == 130
    assert err.count("\n") == 1
    assert f"go on with: twentyfour batch {' '.join(LONG)} --workers 2 --output {file} --resume" in err
    assert len(children) >= 2
    assert not [child for child in children if Path(f"/proc/{child}/exe").exists()]


@pytest.mark.faults
def test_killed_process_ends_the_batch_with_one_line(tmp_path: Path) -> None:
    file = tmp_path / "results"
    batch = subprocess.Popen(
        [*BATCH, *LONG, "--workers", "2", "--output", str(file)], stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    wait_for_lines(file, 40)
    os.kill(list_children(batch.pid)[-1], signal.SIGKILL)
    _, err = batch.communicate(timeout=30)
    assert batch.returncode == 2
    assert err.startswith("twentyfour: a process was killed, perhaps for lack of memory; go on with: ")
    assert err.count("\n") == 1


@contextmanager
def start_process(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a module of Python until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


class Cluster:
    """A Dask scheduler and two workers on this machine."""

    def __init__(self, stack: ExitStack) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        port = self.address.rpartition(":")[2]
        scheduler = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port)
        self.scheduler = stack.enter_context(start_process(*scheduler, "--no-dashboard"))
        worker = ("distributed.cli.dask_worker", self.address, "--nthreads", "1", "--no-nanny")
        self.workers = [stack.enter_context(start_process(*worker, "--no-dashboard")) for _ in range(2)]


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(stack)


@pytest.mark.faults
def test_cluster_gives_the_same_bytes_also_when_a_worker_is_killed(tmp_path: Path, cluster: Cluster) -> None:
    hands = ["--all", "--cards", "5", "--highest", "7", "--ideas"]
    expected = run_batch(*hands, "--workers", "1").stdout
    file = tmp_path / "results"
    batch = subprocess.Popen(
        [*BATCH, *hands, "--scheduler", cluster.address, "--output", str(file)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    wait_for_lines(file, 1)
    cluster.workers[0].kill()
    _, err = batch.communicate(timeout=120)
    assert (batch.returncode, err) == (0, "")
    assert file.read_text("utf-8") == expected


@pytest.mark.faults
def test_lost_scheduler_leaves_a_file_that_resumes(tmp_path: Path, cluster: Cluster) -> None:
    hands = ["--all", "--cards", "5", "--highest", "7", "--ideas"]
    file = tmp_path / "results"
    arguments = [*hands, "--output", str(file)]
    batch = subprocess.Popen(
        [*BATCH, *arguments, "--scheduler", cluster.address], stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    wait_for_lines(file, 1)
    cluster.scheduler.kill()
    _, err = batch.communicate(timeout=60)
    assert batch.returncode == 2
    assert err.startswith(f"twentyfour: the Dask scheduler at {cluster.address} is gone; go on with: ")
    assert err.count("\n") == 1
    again = run_batch(*arguments, "--scheduler", cluster.address, "--resume")
    assert (again.returncode, again.stderr) == (
        2,
        f"twentyfour: no Dask scheduler answers at {cluster.address}\n",
    )
    assert run_batch(*arguments, "--resume").returncode == 0
    assert file.read_text("utf-8") == run_batch(*hands).stdout
