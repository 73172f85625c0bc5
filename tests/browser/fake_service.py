"""A fake service for the page: the addresses of the real one, over a table that the test sets.

It checks answers by exact arithmetic, so that a page can be played from the deal to the end.
"""

import ast
import asyncio
import json
import operator
import secrets
import socket
import threading
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

import solver
from bot import i18n
from bot.board import static_files
from bot.games.yahtzee import view as yahtzee

PAGE = Path(static_files.__file__).parent / "page"
ART = Path(static_files.__file__).parents[1] / "pictures" / "art"
POLICY = (
    "default-src 'none'; script-src 'self' https://telegram.org/js/telegram-web-app.js; style-src 'self';"
    " img-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none';"
    " form-action 'none'"
)
OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}

State = dict[str, Any]
EIGHT, THREE = ({"number": 8, "suit": "♥"}, {"number": 3, "suit": "♠"})
THIRD = {"sign": "÷", "left": {"number": 8, "suit": "♣"}, "right": {"number": 3, "suit": "♦"}, "value": "8/3"}
# 8÷(3−8÷3)
TREE: State = {
    "sign": "÷",
    "left": EIGHT,
    "right": {"sign": "−", "left": THREE, "right": THIRD, "value": "1/3"},
    "value": "24",
}
HINTS = ["The last step is ÷.", "Make 1/3 out of 3, 8, 3.", "It looks like this: a ÷ (b − c ÷ d)"]
CLASSIC = ["3", "8", "3", "8"]
ROLLS = [[6, 6, 6, 1, 1], [1, 2, 3, 4, 4], [2, 3, 4, 5, 6], [5, 5, 5, 5, 5]] + [[1, 1, 2, 6, 3]] * 9


def evaluate_answer(answer: str) -> Fraction:
    """Return the exact value of an answer."""
    return _value(ast.parse(answer, mode="eval").body)


def _value(node: ast.expr) -> Fraction:
    if isinstance(node, ast.BinOp):
        return Fraction(OPERATIONS[type(node.op)](_value(node.left), _value(node.right)))
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int)
    return Fraction(node.value)


def make_twentyfour(number: int = 1, **more: Any) -> State:
    """Return a hand of 24."""
    base = {"id": number, "game": "", "kind": "first", "state": "open", "numbers": CLASSIC}
    rest = {
        "labels": CLASSIC,
        "target": "24",
        "uses_all": True,
        "whole_numbers_only": False,
        "accepts_near": False,
        "suits": ["♠", "♥", "♦", "♣"],
        "about": "4 of 10 people find it · 5 points",
    }
    hints: State = {"hints": [], "worth": "now worth 5 points", "is_hint_costly": True}
    return {**base, **rest, **hints, "deadline": None, "entry_value": "", **more}


def make_countdown(number: int = 1, seconds: float = 75) -> State:
    """Return a draw of Countdown with a clock."""
    tiles = ["75", "6", "4", "2", "25", "10"]
    more = {"game": "Countdown", "kind": "best", "numbers": tiles, "labels": tiles, "target": "308"}
    points: State = {"worth": "", "is_hint_costly": False, "suits": [], "about": "hard"}
    rules = {
        "uses_all": False,
        "whole_numbers_only": True,
        "accepts_near": True,
        "deadline": time.time() + seconds,
    }
    return make_twentyfour(number, **more, **rules, **points)


def make_storm(number: int = 1, **more: Any) -> State:
    """Return a hand of a storm."""
    ahead = {"numbers": ["1", "2", "3", "4"], "labels": ["1", "2", "3", "4"], "target": "24", "suits": []}
    run = {"id": 1, "number": 13, "ahead": [{**ahead, "uses_all": True}]}
    clock = {"deadline": time.time() + 100, "about": "6 of 10 people find it"}
    texts = {"race_hand": "Storm · 12 solved", "worth": ""}
    return make_twentyfour(number, kind="storm", run=run, **{**clock, **texts, **more})


def make_contest(number: int = 1) -> State:
    """Return the round of a game of Yahtzee."""
    more = {"game": "Yahtzee", "kind": "contest", "state": "running", "numbers": [], "labels": []}
    return make_twentyfour(number, **more, target="", worth="", is_hint_costly=False)


def make_card(words: i18n.Words, put: list[int], number: int = 1) -> State:
    """Return a card of contest `number` on which rolls were put into the categories `put`, in this order."""
    names, at = yahtzee.list_category_names(words), len(put)
    scored = {c: solver.yahtzee.category_scores(tuple(ROLLS[n]))[c] for n, c in enumerate(put)}
    roll = ROLLS[at] if at < len(ROLLS) else []
    now = solver.yahtzee.category_scores(tuple(roll)) if roll else [None] * 13
    rows = [
        {"name": name, "score": scored.get(c)}
        | (
            {"preview": None, "press": None}
            if c in scored
            else {"preview": now[c], "press": f"ct:{number}:{at}:{c}"}
        )
        for c, name in enumerate(names)
    ]
    upper = sum(score for c, score in scored.items() if c < 6)
    bonus = 35 if upper >= 63 else 0
    sums = {"total": sum(scored.values()) + bonus, "bonus": bonus, "missing": max(0, 63 - upper)}
    return {"turn": at, "turns": 13, "dice": roll, "rows": rows, **sums}


@dataclass
class FakeService:
    """The service: the table, its people and the entries that they sent."""

    round: State | None = field(default_factory=make_twentyfour)
    contest: State | None = None  # The contest that runs beside the hand
    kind: str = "group"
    title: str = "Maths club"
    language: str = "en"
    day: State | None = None
    filled: list[int] = field(default_factory=list)
    buttons: list[list[State]] = field(default_factory=list)
    people: list[State] = field(default_factory=list)
    winner: State | None = None
    tree: State | None = None  # Of the winner's answer
    solution: str = ""
    notice: str = ""
    entries: list[State] = field(default_factory=list)
    days: list[State] = field(default_factory=list)
    refusing: int | None = None  # The status that every request gets instead of an answer; None answers
    expired: bool = False
    slow: float = 0.0  # Seconds that a language's words take
    opened: list[str] = field(default_factory=list)  # Keys or initData that opened pages
    base: str = ""
    _sessions: dict[str, State] = field(default_factory=dict)
    _streams: list[tuple[str, asyncio.Queue[str | None]]] = field(default_factory=list)
    _loop: asyncio.AbstractEventLoop | None = None

    def make_link(self, name: str = "Ann") -> str:
        """Return an address that opens the page of a person."""
        return f"{self.base}#key={name}-{secrets.token_urlsafe(16)}"

    def set_round(self, round_: State | None, **more: Any) -> None:
        """Put another hand on the table, without a winner, and send it to all pages."""
        self.round, self.winner, self.tree = round_, None, None
        for name, value in more.items():
            setattr(self, name, value)
        self.send_state()

    def send_state(self) -> None:
        """Send the state to all pages."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._send_states)

    def close_streams(self) -> None:
        """Close all event streams."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._close_streams)

    def _close_streams(self) -> None:
        for _, queue in self._streams:
            queue.put_nowait(None)

    def _send_states(self) -> None:
        for session, queue in self._streams:
            queue.put_nowait(f"event: state\ndata: {json.dumps(self.build_state(session))}\n\n")

    def _send_reply(self, session: str, press: str, text: str, right: bool | None) -> None:
        reply = json.dumps({"id": press, "text": text, "right": right})
        for listener, queue in self._streams:
            if listener == session:
                queue.put_nowait(f"event: word\ndata: {reply}\n\n")

    def build_state(self, session: str) -> State:
        """Return the table as one person sees it."""
        watches = self._sessions[session]["watches"]
        name = self._sessions[session]["name"]
        winner = self.winner and {**self.winner, "you": self.winner["name"] == name and not watches}
        words = i18n.get_words(self.language)
        plays = self.round is not None and self.round["kind"] == "contest" and not watches
        hand = {
            "round": self.round,
            "card": make_card(words, self.filled) if plays else None,
            "buttons": [] if watches else self._build_buttons(words),
            "people": [{**each, "you": each["name"] == name and not watches} for each in self.people],
            "winner": winner,
            "notice": self.notice,
            "solution": self.solution,
            "tree": self.tree,
        }
        first, beside = hand, None
        if self.contest is not None and not watches:
            first, beside = self._order_rounds(words, hand)
        return {
            "now": time.time(),
            "language": self.language,
            "place": {"kind": "watch" if watches else self.kind, "title": self.title},
            "day": self.day,
            **first,
            "beside": beside,
            "games": self._list_games(watches=watches),
        }

    def _list_games(self, *, watches: bool) -> list[State]:
        """Return the games, with presses once the hand is over."""
        titles = [] if watches else ["", "Countdown", "Yahtzee"]
        is_over = self.round is not None and self.round["state"] == "over"
        return [{"game": title, "press": f"st:play:{title}" if is_over else None} for title in titles]

    def _order_rounds(self, words: i18n.Words, hand: State) -> tuple[State, State]:
        """Return the hand and the contest, the contest first once the hand is over."""
        assert self.contest is not None
        over = self.round is None or self.round["state"] == "over"
        deals = [[{"label": words.translate_plain("Deal a hand"), "press": "st:deal"}]] if over else []
        own = make_card(words, self.filled, self.contest["id"])
        runs = {**hand, "round": self.contest, "card": own, "winner": None, "tree": None}
        runs |= {"buttons": deals, "people": []}
        return (runs, hand) if over else (hand, runs)

    def _build_buttons(self, words: i18n.Words) -> list[list[State]]:
        if self.buttons or self.round is None:
            return self.buttons
        if self.round["state"] == "over":
            return [[{"label": words.translate_plain("Next hand"), "press": "n:1"}]]
        labels = (
            ("Hint", "Give up")
            if self.language == "en"
            else (words.translate_plain("Hint"), words.translate_plain("Give up"))
        )
        offered = [
            {"label": label, "press": press} for label, press in zip(labels, ("h:1", "s:1"), strict=True)
        ]
        return [offered[len(self.round["hints"]) == len(HINTS) :]]

    def routes(self) -> list[Route]:
        """Return the service's addresses."""
        return [
            Route("/open", self._open, methods=["POST"]),
            Route("/state", self._state),
            Route("/events", self._events),
            Route("/entry", self._entry, methods=["POST"]),
            Route("/day", self._day, methods=["POST"]),
            Route("/share", self._share, methods=["POST"]),
            Route("/watch", self._watch, methods=["POST"]),
            Route("/words/{language}.json", self._serve_words),
            Route("/{file:path}", self._serve_file),
        ]

    async def _open(self, request: Request) -> Response:
        self._raise_refusal()
        body = await request.json()
        opened = body.get("key") or body.get("watch") or body.get("init_data")
        self.opened.append(opened)
        for known, status in (("forged", 403), ("unknown", 401)):
            if known in opened:
                raise HTTPException(status)
        session = secrets.token_urlsafe(16)
        name = "Ann" if "init_data" in body else opened.partition("-")[0]
        self._sessions[session] = {"name": name, "watches": "watch" in body}
        you = None if "watch" in body else {"id": 1, "name": name}
        until = time.time() + 3600
        return JSONResponse({"session": session, "until": until, "you": you, "language": self.language})

    def _raise_refusal(self) -> None:
        if self.refusing is not None:
            raise HTTPException(self.refusing)

    def _require_session(self, request: Request) -> str:
        self._raise_refusal()
        session = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self.expired or session not in self._sessions:
            raise HTTPException(401)
        return session

    async def _state(self, request: Request) -> Response:
        return JSONResponse(self.build_state(self._require_session(request)))

    async def _events(self, request: Request) -> Response:
        session = self._require_session(request)
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._streams.append((session, queue))
        queue.put_nowait(f"event: state\ndata: {json.dumps(self.build_state(session))}\n\n")
        return StreamingResponse(self._stream(session, queue), media_type="text/event-stream")

    async def _stream(self, session: str, queue: "asyncio.Queue[str | None]") -> AsyncIterator[str]:
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            with suppress(ValueError):
                self._streams.remove((session, queue))

    async def _entry(self, request: Request) -> Response:
        session, entry = self._require_session(request), await request.json()
        if any(each["id"] == entry["id"] for each in self.entries):
            return JSONResponse({}, 202)
        name = self._sessions[session]["name"]
        self.entries.append({**entry, "by": name})
        if "answer" in entry:
            self._referee(session, name, entry)
        else:
            self._handle_press(session, entry)
        self.send_state()
        return JSONResponse({}, 202)

    def _referee(self, session: str, name: str, entry: State) -> None:
        assert self.round is not None
        right = evaluate_answer(entry["answer"]) == Fraction(self.round["target"])
        if self.round["kind"] == "first" and right:
            self.round = {**self.round, "state": "over"}
            self.winner = {"name": name, "answer": entry["answer"], "earned": "+5 points"}
            self.tree = TREE
        if self.round["kind"] == "best":
            self.round = {**self.round, "entry_value": str(evaluate_answer(entry["answer"]))}
        text = f"{evaluate_answer(entry['answer'])}: noted." if self.round["kind"] == "best" else "Right."
        self._send_reply(session, entry["id"], text, right)

    def _handle_press(self, session: str, entry: State) -> None:
        press = entry["press"]
        if press == "h:1" and self.round is not None:
            hints = [*self.round["hints"], HINTS[len(self.round["hints"])]]
            self.round = {**self.round, "hints": hints, "worth": f"now worth {5 - len(hints)} points"}
        elif press == "s:1" and self.round is not None:
            self.round = {**self.round, "state": "over"}
        elif press in ("n:1", "st:deal"):
            self.round, self.winner, self.tree = make_twentyfour(int(time.time())), None, None
        elif press.startswith("ct:"):
            self.filled.append(int(press.rsplit(":", 1)[1]))
        self._send_reply(session, entry["id"], "", None)

    async def _day(self, request: Request) -> Response:
        self._require_session(request)
        self.days.append(await request.json())
        if self.day is not None:
            end = {"answer": "1×2×3×4 = 24", "is_solved": True, "result": ["Solved offline."], "share": ""}
            self.day = {**self.day, "is_done": True, **end}
        return JSONResponse({"text": "Solved offline: no points, but well done."})

    async def _share(self, request: Request) -> Response:
        self._require_session(request)
        return JSONResponse({"message": "prepared-1"})

    async def _watch(self, request: Request) -> Response:
        self._require_session(request)
        return JSONResponse({"url": f"{self.base}#watch=w-{secrets.token_urlsafe(8)}"})

    async def _serve_words(self, request: Request) -> Response:
        await asyncio.sleep(self.slow)
        return JSONResponse(static_files.translate_sentences(i18n.get_words(request.path_params["language"])))

    async def _serve_file(self, request: Request) -> Response:
        self._raise_refusal()
        name = request.path_params["file"] or "index.html"
        path = (ART if name in static_files.CARDS else PAGE) / name
        if path.parent not in (PAGE, ART) or not path.is_file():
            raise HTTPException(404)
        headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
        content = static_files.insert_languages(path.read_bytes())
        return Response(
            content,
            headers={**headers, "Cache-Control": "no-cache"},
            media_type=static_files.MEDIA_TYPES[path.suffix],
        )


class ServiceThread:
    """A fake service on loopback, in a thread of its own."""

    def __init__(self, fake: FakeService, port: int = 0) -> None:
        self.fake = fake
        self._socket = socket.create_server(("127.0.0.1", port))
        fake.base = f"http://127.0.0.1:{self._socket.getsockname()[1]}/"
        refusing = {HTTPException: _refuse}
        application = Starlette(routes=fake.routes(), exception_handlers=refusing)
        config = uvicorn.Config(
            application, log_level="critical", lifespan="off", timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    async def _serve(self) -> None:
        self.fake._loop = asyncio.get_running_loop()
        await self._server.serve(sockets=[self._socket])

    def __enter__(self) -> FakeService:
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        return self.fake

    def __exit__(self, *_: object) -> None:
        self.fake.close_streams()
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()


async def _refuse(_: Request, refusal: Exception) -> Response:
    """Return the status alone, as the real service does."""
    status = refusal.status_code if isinstance(refusal, HTTPException) else 500
    return PlainTextResponse(f"{status}\n", status)
