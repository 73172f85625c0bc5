"""The endpoints of classes: pupils come in, the teacher leads the lesson, and both their pages stay live.

A key stands for a person: nobody has an account, and there are no cookies. Pupils play on the board's page.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from bot.board import schemas
from bot.board.classroom import state
from bot.board.classroom.keys import ClassKeys, Purpose
from bot.board.store_access import await_database
from bot.board.streams import HEADERS, HEARTBEAT, HEARTBEAT_INTERVAL
from bot.board.tokens import InvalidTokenError
from bot.database import Store, Tx
from bot.durations import DAY
from bot.i18n import Html, RefusalError, Words, get_words, strip_tags
from bot.levels import LEVELS, render_level
from bot.modes.classroom import lessons
from bot.modes.classroom import queries as classrooms
from bot.modes.classroom.report import load_records, write_csv
from bot.modes.classroom.rules import (
    MAX_HANDS,
    MAX_HOMEWORK_SECONDS,
    MAX_SECONDS,
    Pace,
    Pupil,
    SchoolClass,
    normalize_code,
)
from bot.players.choices import NO_CHOICES
from bot.players.guests import FIRST_GUEST_ID
from bot.queue.change_notifier import ChangeNotifier, Subscription
from bot.rounds.game import Game
from bot.rounds.mode import is_solution_secret
from bot.rounds.puzzle import Kind, Options, Puzzle, parse_hand_numbers
from bot.rounds.registry import GAMES
from bot.web.server import Rate, RateLimiter, choose_browser_language, make_retry_after_header
from bot.workers.pool import SolverPool, SolvingError


@dataclass(frozen=True, slots=True)
class ClassNeeds:
    """What classes need beside what the board has."""

    solver_pool: SolverPool
    make_seed: Callable[[], int]
    root: str  # The public address of the pages, without a slash at its end
    is_alone: bool = False  # Nothing but the class is served: the root is the page to join it


Handler = Callable[[Request], Awaitable[Response]]
Answer = TypeVar("Answer")
BEARER = "Bearer "
# Wrong codes, of all people together: with ten classes 200 of 887 million are found once in 440 000 tries
WRONG_CODES = Rate(burst=200, per_second=1)
EVERYBODY = 0  # The key of that limit
UPDATE_INTERVAL = 0.1  # Seconds between two states on a teacher's page
CLOCK_INTERVAL = 1.0  # Seconds after which a pupil may count as stuck


class Classroom:
    def __init__(
        self,
        store: Store,
        changes: ChangeNotifier,
        now: Callable[[], float],
        needs: ClassNeeds,
        keys: ClassKeys,
    ) -> None:
        self._store = store
        self._changes = changes
        self._now = now
        self._needs = needs
        self._keys = keys
        self._wrong_codes = RateLimiter(WRONG_CODES)
        self._is_closed = asyncio.Event()
        self._actions = {
            "add": self._add_pupils,
            "rename": self._rename_pupil,
            "remove": self._remove_pupil,
            "readmit": self._readmit_pupil,
            "lock": self._lock_door,
            "solutions": self._show_solutions,
            "next": self._deal_next,
            "close lesson": self._close_lesson,
            "keep": self._keep_report,
            "close": self._close_class,
            "delete": self._delete_class,
        }

    def list_endpoints(self) -> list[tuple[str, str, Handler]]:
        """Return the path below `class/`, the method and the handler of each endpoint."""
        return [
            ("door", "POST", self._look_in),
            ("join", "POST", self._join),
            ("return", "POST", self._welcome_back),
            ("state", "GET", self._get_state),
            ("events", "GET", self._stream_events),
            ("wall", "GET", self._stream_wall),
            ("check", "POST", self._check_hands),
            ("lesson", "POST", self._begin_lesson),
            ("action", "POST", self._act),
            ("report", "GET", self._get_report),
            ("report.csv", "GET", self._download_report),
        ]

    def close(self) -> None:
        """End all event streams."""
        self._is_closed.set()

    # Pupils

    async def _look_in(self, request: Request) -> Response:
        """Respond with the names of the teacher's list that are free, and whether others may join."""
        knock = await schemas.read_json_object(request, schemas.Knock)
        school_class = await self._find_class(knock)
        pupils = await self._read(lambda tx: classrooms.load_pupils(tx, school_class.id))
        free = [pupil.name for pupil in pupils if not pupil.is_taken]
        return JSONResponse({"names": free, "is_locked": school_class.is_locked})

    async def _join(self, request: Request) -> Response:
        """Let somebody in under a name, and respond with the key of the pupil; 409 with the reason if not."""
        knock = await schemas.read_json_object(request, schemas.Knock)
        school_class = await self._find_class(knock)
        now = self._now()
        joined = await self._write(lambda tx: lessons.join_class(tx, school_class, knock.name, now))
        if isinstance(joined, lessons.JoinProblem):
            return JSONResponse({"problem": joined.value}, 409)
        self._changes.notify_chat(make_lane(school_class.id))
        return JSONResponse({"pupil": self._keys.make_key(Purpose.PUPIL, joined.id), "name": joined.name})

    async def _find_class(self, knock: schemas.Knock) -> SchoolClass:
        """Return the class of a code or a link. Raises HTTPException 404, and 429 after many wrong codes."""
        if knock.link:
            class_id = self._read_key(Purpose.JOIN, knock.link, status=404)
            found = await self._read(lambda tx: classrooms.load_class(tx, class_id))
        else:
            # Taken before the search, and given back for a right code: else a reply would tell it
            wait = self._wrong_codes.take_token(EVERYBODY, self._now())
            if wait:
                raise HTTPException(429, headers=make_retry_after_header(wait))
            code = normalize_code(knock.code)
            found = await self._read(lambda tx: classrooms.load_class_by_code(tx, code))
            if found:
                self._wrong_codes.return_token(EVERYBODY)
        if found is None:
            raise HTTPException(404)
        return found

    async def _welcome_back(self, request: Request) -> Response:
        """Respond with the name of a pupil who comes back; 401 if the teacher removed the pupil."""
        known = await schemas.read_json_object(request, schemas.PupilReturn)
        pupil_id = self._read_key(Purpose.PUPIL, known.pupil, status=401)
        pupil = await self._read(lambda tx: classrooms.load_pupil(tx, pupil_id))
        if pupil is None:
            raise HTTPException(401)
        return JSONResponse({"name": pupil.name})

    def _read_key(self, purpose: Purpose, key: str, status: int) -> int:
        """Return the id in a key. Raises HTTPException of this status for any other text."""
        try:
            return self._keys.read_key(purpose, key)
        except InvalidTokenError:
            raise HTTPException(status) from None

    # The teacher

    async def _get_state(self, request: Request) -> Response:
        """Respond with the addresses of the class and with its state, as `events` sends it."""
        class_id = (await self._load_class(request)).id
        join_url = self._make_join_url(class_id)
        projector_key = self._keys.make_key(Purpose.PROJECTOR, class_id)
        addresses = {
            "join": join_url,
            "qr": state.make_qr_picture(join_url),
            "projector": f"{self._needs.root}/projector#key={projector_key}",
        }
        view = await self._load_teachers_view(class_id, _get_words(request))
        if view is None:
            raise HTTPException(401)
        body = {"addresses": addresses, "state": json.loads(view.text), "now": self._now()}
        return JSONResponse(body)

    def _make_join_url(self, class_id: int) -> str:
        return make_join_url(self._keys, self._needs.root, class_id, is_alone=self._needs.is_alone)

    async def _stream_events(self, request: Request) -> Response:
        """Respond with an endless stream of what the teacher sees."""
        class_id, words = (await self._load_class(request)).id, _get_words(request)
        return StreamingResponse(
            self._generate_states(partial(self._load_teachers_view, class_id, words)), headers=HEADERS
        )

    async def _stream_wall(self, request: Request) -> Response:
        """Respond with an endless stream of what the projector shows."""
        class_id, words = self._read_bearer(request, Purpose.PROJECTOR), _get_words(request)
        if await self._read(lambda tx: classrooms.load_class(tx, class_id)) is None:
            raise HTTPException(401)
        return StreamingResponse(
            self._generate_states(partial(self._load_projectors_view, class_id, words)), headers=HEADERS
        )

    async def _check_hands(self, request: Request) -> Response:
        """Respond with the level and the number of ideas of each typed hand, or with the fault in it."""
        await self._load_class(request)
        typed = await schemas.read_json_object(request, schemas.TypedHands)
        game, words = _find_game(typed.game), _get_words(request)
        checks = [await self._check_hand(game, words, line) for line in _split_lines(typed.hands)]
        return JSONResponse({"hands": checks[:MAX_HANDS]})

    async def _check_hand(self, game: Game[Any], words: Words, line: str) -> dict[str, object]:
        hand = await self._build_hand(game, line)
        if isinstance(hand, RefusalError):
            return {"typed": line, "is_right": False, "text": strip_tags(hand.render_reason(words))}
        ways = words.translate_plural("{n} way", "{n} ways", len(game.solutions(hand)))
        text = f"{hand.line} · {render_level(words, hand.level)} · {ways}"
        return {"typed": line, "is_right": True, "text": strip_tags(Html(text))}

    async def _build_hand(self, game: Game[Any], line: str) -> Puzzle | RefusalError:
        """Return the hand in a typed line, or the reason why there is none."""
        if game.typed_puzzles is None:
            raise HTTPException(400)
        try:
            return await game.typed_puzzles.build(self._needs.solver_pool, line)
        except RefusalError as refusal:
            return refusal
        except SolvingError:
            return RefusalError(lambda words: words.translate("That took too long."))

    async def _begin_lesson(self, request: Request) -> Response:
        """Deal the first hand of a new lesson to everybody; respond with 409 and the reason if that fails."""
        school_class, words = await self._load_class(request), _get_words(request)
        body = await schemas.read_json_object(request, schemas.LessonPlan)
        now = self._now()
        if school_class.closed is not None:
            return JSONResponse({"text": words.translate_plain("This class is over.")}, 409)
        try:
            plan = await self._make_plan(body, now)
        except RefusalError as refusal:
            return JSONResponse({"text": strip_tags(refusal.render_reason(words))}, 409)
        except SolvingError:
            return JSONResponse({"text": words.translate_plain("That took too long.")}, 409)
        pupil_ids = await self._write(lambda tx: lessons.begin_lesson(tx, school_class.id, plan, now))
        self._notify(school_class.id, pupil_ids)
        return JSONResponse({})

    async def _make_plan(self, body: schemas.LessonPlan, now: float) -> lessons.Plan:
        """Return the lesson with its hands. Raises RefusalError, HTTPException or SolvingError."""
        game = _find_game(body.game)
        is_homework = body.due > 0
        if body.pace not in list(Pace) or body.seconds > MAX_SECONDS:
            raise HTTPException(400)
        if is_homework and not now < body.due <= now + MAX_HOMEWORK_SECONDS:
            raise RefusalError(
                lambda words: words.translate(
                    "Homework is due some time in the next {n} days.", n=round(MAX_HOMEWORK_SECONDS / DAY)
                )
            )
        hands = (
            await self._read_hands(game, body)
            if body.hands.strip()
            else await self._deal_hands(game, body, now)
        )
        return lessons.Plan(
            game.key,
            Pace(body.pace),
            hands,
            seconds=body.seconds or None,
            due=body.due if is_homework else None,
        )

    async def _read_hands(self, game: Game[Any], body: schemas.LessonPlan) -> list[Puzzle]:
        """Return the typed hands. Raises RefusalError with the first fault."""
        hands = list[Puzzle]()
        for line in _split_lines(body.hands)[:MAX_HANDS]:
            hand = await self._build_hand(game, line)
            if isinstance(hand, RefusalError):
                raise hand
            hands.append(hand)
        return hands

    async def _deal_hands(self, game: Game[Any], body: schemas.LessonPlan, now: float) -> list[Puzzle]:
        """Deal different hands that are not secret, as the hand of the day is."""
        if not 0 < body.count <= MAX_HANDS or (body.level and body.level not in LEVELS):
            raise HTTPException(400)
        level = body.level if game.options.takes_levels and body.level else None
        options = Options(level, Kind.CLASS)
        hands = dict[str, Puzzle]()
        for _ in range(body.count * MAX_DRAWS):
            if len(hands) == body.count:
                break
            hand = await game.deal(self._needs.solver_pool, NO_CHOICES, options, self._needs.make_seed())
            numbers = parse_hand_numbers(hand.line)
            if not await self._read(lambda tx: is_solution_secret(tx, None, numbers, now)):  # noqa: B023
                hands[hand.line] = hand
        return list(hands.values())

    async def _act(self, request: Request) -> Response:
        """Carry out a move of the teacher; respond with 409 and the reason if it can't be done."""
        class_id = (await self._load_class(request)).id
        body = await schemas.read_json_object(request, schemas.ClassAction)
        act = self._actions.get(body.action)
        if act is None:
            raise HTTPException(400)
        now = self._now()
        try:
            pupil_ids = await self._write(lambda tx: act(tx, class_id, body, now))
        except RefusalError as refusal:
            return JSONResponse({"text": strip_tags(refusal.render_reason(_get_words(request)))}, 409)
        self._notify(class_id, pupil_ids)
        return JSONResponse({})

    async def _get_report(self, request: Request) -> Response:
        class_id, words = (await self._load_class(request)).id, _get_words(request)
        report = await self._read(lambda tx: state.load_report(tx, class_id, words))
        return Response(state.encode_view(report), media_type="application/json")

    async def _download_report(self, request: Request) -> Response:
        class_id, words = (await self._load_class(request)).id, _get_words(request)

        def load(tx: Tx) -> str:
            return write_csv(words, load_records(tx, class_id), classrooms.load_pupils(tx, class_id))

        return Response(await self._read(load), media_type="text/csv; charset=utf-8")

    async def _load_class(self, request: Request) -> SchoolClass:
        """Return the class of the teacher's key in the header. Raises HTTPException 401 for any other key."""
        class_id = self._read_bearer(request, Purpose.TEACHER)
        found = await self._read(lambda tx: classrooms.load_class(tx, class_id))
        if found is None:  # deleted
            raise HTTPException(401)
        return found

    def _read_bearer(self, request: Request, purpose: Purpose) -> int:
        """Return the class of the key in the header. Raises HTTPException 401 for any other key."""
        key = request.headers.get("authorization", "").removeprefix(BEARER)
        return self._read_key(purpose, key, status=401)

    # Moves of the teacher, each within a transaction: they return the pupils whose pages change

    def _add_pupils(self, tx: Tx, class_id: int, body: schemas.ClassAction, now: float) -> list[int]:
        refused = lessons.add_pupils(tx, class_id, _split_lines(body.names))
        if refused:
            raise RefusalError(
                lambda words: words.translate(
                    "Already in the list, or no name: {names}", names=", ".join(refused)
                )
            )
        return []

    def _rename_pupil(self, tx: Tx, class_id: int, body: schemas.ClassAction, now: float) -> list[int]:
        pupil = _require_pupil(tx, class_id, body.pupil_id)
        if not lessons.rename_pupil(tx, pupil, body.name):
            raise RefusalError(lambda words: words.translate("Somebody has that name."))
        return []

    def _remove_pupil(self, tx: Tx, class_id: int, body: schemas.ClassAction, now: float) -> list[int]:
        pupil = _require_pupil(tx, class_id, body.pupil_id)
        lessons.remove_pupil(tx, pupil.id)
        return [pupil.id]

    def _readmit_pupil(self, tx: Tx, class_id: int, body: schemas.ClassAction, now: float) -> list[int]:
        """Let the pupil join once more under the name, from another device."""
        pupil = _require_pupil(tx, class_id, body.pupil_id)
        classrooms.free_name(tx, pupil.id)
        return []

    def _lock_door(self, tx: Tx, class_id: int, body: schemas.ClassAction, now: float) -> list[int]:
        classrooms.update_class(tx, class_id, locked=int(body.is_on))
        return []

    def _show_solutions(self, tx: Tx, class_id: int, body: schemas.ClassAction, now: float) -> list[int]:
        return lessons.show_solutions(tx, class_id, now)

    def _deal_next(self, tx: Tx, class_id: int, body: schemas.ClassAction, now: float) -> list[int]:
        return lessons.deal_next(tx, class_id, body.number, now)

    def _close_lesson(self, tx: Tx, class_id: int, body: schemas.ClassAction, now: float) -> list[int]:
        return lessons.close_lesson(tx, class_id, now)

    def _keep_report(self, tx: Tx, class_id: int, body: schemas.ClassAction, now: float) -> list[int]:
        classrooms.update_class(tx, class_id, kept=int(body.is_on))
        return []

    def _close_class(self, tx: Tx, class_id: int, body: schemas.ClassAction, now: float) -> list[int]:
        return lessons.close_class(tx, class_id, now)

    def _delete_class(self, tx: Tx, class_id: int, body: schemas.ClassAction, now: float) -> list[int]:
        return lessons.delete_class(tx, class_id)

    # Live pages

    async def _load_teachers_view(self, class_id: int, words: Words) -> "LiveState | None":
        return await self._load_view(class_id, words, state.build_class_state)

    async def _load_projectors_view(self, class_id: int, words: Words) -> "LiveState | None":
        return await self._load_view(class_id, words, state.build_projector_state)

    async def _load_view(
        self, class_id: int, words: Words, build: Callable[[state.Desk, str, Words, float], object]
    ) -> "LiveState | None":
        """Return what a page of the class shows; None if the class does not exist."""
        url, now = self._make_join_url(class_id), self._now()

        def load(tx: Tx) -> LiveState | None:
            desk = state.load_desk(tx, class_id)
            if desk is None:
                return None
            lanes = (make_lane(class_id), *(pupil.id for pupil in desk.pupils))
            return LiveState(state.encode_view(build(desk, url, words, now)), lanes)

        return await self._read(load)

    async def _generate_states(
        self, load: Callable[[], Awaitable["LiveState | None"]]
    ) -> AsyncIterator[bytes]:
        """Yield the state after each change until the class is deleted or the bot stops, and heartbeats."""
        get_time = asyncio.get_running_loop().time
        subscription: Subscription | None = None
        lanes: Sequence[int] = ()
        last_text, heartbeat_at = "", 0.0
        try:
            while not self._is_closed.is_set():
                with suppress(HTTPException):  # the database fails: try again a moment later
                    live = await load()
                    if live is None:
                        return  # the page asks once more, and is told that the key opens nothing
                    if subscription is None or live.lanes != lanes:
                        lanes = live.lanes
                        if subscription:
                            subscription.close()
                        subscription = self._changes.subscribe(lanes)
                        subscription.wake()  # something may have changed before
                    if live.text != last_text or get_time() >= heartbeat_at:
                        yield self._make_event(live.text) if live.text != last_text else HEARTBEAT
                        last_text, heartbeat_at = live.text, get_time() + HEARTBEAT_INTERVAL
                await asyncio.sleep(UPDATE_INTERVAL)
                with suppress(TimeoutError):
                    async with asyncio.timeout(CLOCK_INTERVAL):
                        await (subscription.wait() if subscription else self._is_closed.wait())
        finally:
            if subscription:
                subscription.close()

    def _make_event(self, text: str) -> bytes:
        return f'event: state\ndata: {{"now": {self._now()}, "state": {text}}}\n\n'.encode()

    # Helpers

    async def _read(self, work: Callable[[Tx], Answer]) -> Answer:
        result: Answer = await await_database(self._store.read(work))
        return result

    async def _write(self, work: Callable[[Tx], Answer]) -> Answer:
        result: Answer = await await_database(self._store.write(work))
        return result

    def _notify(self, class_id: int, pupil_ids: Sequence[int]) -> None:
        for lane in (make_lane(class_id), *pupil_ids):
            self._changes.notify_chat(lane)


@dataclass(frozen=True, slots=True)
class LiveState:
    text: str  # The JSON of a page's state
    lanes: Sequence[int]  # After whose changes it is read again


MAX_DRAWS = 10  # For each hand of a lesson, to find different ones


def make_join_url(keys: ClassKeys, root: str, class_id: int, *, is_alone: bool) -> str:
    """Return the address behind which a pupil needs no code; `is_alone` as in `ClassNeeds`."""
    page = "" if is_alone else "class"
    return f"{root}/{page}#link={keys.make_key(Purpose.JOIN, class_id)}"


def make_lane(class_id: int) -> int:
    """Return the id under which changes of a class are announced: below those of Telegram's groups."""
    return -(FIRST_GUEST_ID + class_id)


def _require_pupil(tx: Tx, class_id: int, pupil_id: int) -> Pupil:
    """Return a pupil of the class. Raises RefusalError for none, as after a removal on another page."""
    pupil = classrooms.load_pupil(tx, pupil_id)
    if pupil is None or pupil.class_id != class_id:
        raise RefusalError(lambda words: words.translate("That pupil has left the class."))
    return pupil


def _find_game(key: str) -> Game[Any]:
    """Return the game with that key. Raises HTTPException 400 if a class can't play it."""
    game = GAMES.get(key)
    if game is None or game not in state.list_class_games():
        raise HTTPException(400)
    return game


def _split_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _get_words(request: Request) -> Words:
    return get_words(choose_browser_language(request))
