"""The endpoints of classes: pupils come in, the teacher leads the lesson, and both their pages stay live.

A key stands for a person: nobody has an account, and there are no cookies. Pupils play on the board's page.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from bot.board import queries as boards
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
from bot.modes.classroom.report import load_records, report_hands, report_pupils, write_csv
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
    """The parts that classes need beside those of the board."""

    solver_pool: SolverPool
    make_seed: Callable[[], int]
    root: str  # The public address of the pages, without a slash at its end
    is_alone: bool = False  # Nothing but the class is served: the root is the page to join it


Handler = Callable[[Request], Awaitable[Response]]
Encode = Callable[[state.Desk, str, Words, float], state.Json]
Answer = TypeVar("Answer")
# Of all people together: of 887 million codes, 200 tries find one of ten classes' by 1 in 440 000
WRONG_CODES = Rate(burst=200, per_second=1)
EVERYBODY = 0  # The key of that limit
MAX_DRAWS = 10  # For each hand of a lesson, to find different ones
UPDATE_INTERVAL = 0.1  # Seconds between two states on a teacher's page
CLOCK_INTERVAL = 1.0  # Seconds until the state is read without a change: a pupil may be stuck by then


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
        self._is_closed = False

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
        self._is_closed = True

    # Pupils

    async def _look_in(self, request: Request) -> Response:
        """Respond with the names of the teacher's list that are free, and whether others may join."""
        school_class = await self._find_class(await schemas.read_json_object(request, schemas.Knock))
        pupils = await self._read(lambda tx: classrooms.load_pupils(tx, school_class.id))
        free = [pupil.name for pupil in pupils if not pupil.is_taken]
        return JSONResponse({"names": free, "is_locked": school_class.is_locked})

    async def _join(self, request: Request) -> Response:
        """Let somebody in under a name, and respond with the key of the pupil; 409 with the reason if not."""
        knock = await schemas.read_json_object(request, schemas.Knock)
        school_class, now = await self._find_class(knock), self._now()

        def join(tx: Tx) -> Pupil | lessons.JoinProblem:
            """Let the pupil in, and close the pages of another browser that was in under the name."""
            before = classrooms.load_pupil_by_name(tx, school_class.id, knock.name)
            joined = lessons.join_class(tx, school_class, knock.name, knock.device, now)
            if before and isinstance(joined, Pupil) and before.device != joined.device:
                boards.close_pages(tx, joined.id, now - 1.0)  # a session begins up to a second before now
            return joined

        joined = await self._write(join)
        if isinstance(joined, lessons.JoinProblem):
            return JSONResponse({"problem": joined.value}, 409)
        for lane in (make_lane(school_class.id), joined.id):
            self._changes.notify_chat(lane)
        key = self._keys.make_key(Purpose.PUPIL, joined.id, joined.device)
        return JSONResponse({"pupil": key, "name": joined.name})

    async def _find_class(self, knock: schemas.Knock) -> SchoolClass:
        """Return the class of a code or a link. Raises HTTPException 404, and 429 after many wrong codes."""
        if knock.link:
            return await self._load_class(Purpose.JOIN, knock.link, status=404)
        # Taken before the search, and given back for a right code: else a reply would tell it
        wait = self._wrong_codes.take_token(EVERYBODY, self._now())
        if wait:
            raise HTTPException(429, headers=make_retry_after_header(wait))
        code = normalize_code(knock.code)
        found = await self._read(lambda tx: classrooms.load_class_by_code(tx, code))
        if found is None:
            raise HTTPException(404)
        self._wrong_codes.return_token(EVERYBODY)
        return found

    async def _welcome_back(self, request: Request) -> Response:
        """Respond with the name of a pupil who comes back, and whether the class goes on and is the link's.

        401 if the teacher removed the pupil, or let them in on another device.
        """
        known = await schemas.read_json_object(request, schemas.PupilReturn)
        pupil_id, device = self._read_key(Purpose.PUPIL, known.pupil, status=401)
        pupil = await self._read(lambda tx: classrooms.load_pupil_of_device(tx, pupil_id, device))
        if pupil is None:
            raise HTTPException(401)
        own_class = await self._read(lambda tx: classrooms.load_class(tx, pupil.class_id))
        linked_id = pupil.class_id
        if known.link:
            linked_id, _ = self._read_key(Purpose.JOIN, known.link, status=404)
        is_here = own_class is not None and own_class.closed is None and own_class.id == linked_id
        return JSONResponse({"name": pupil.name, "is_here": is_here})

    # The teacher

    async def _get_state(self, request: Request) -> Response:
        """Respond with the addresses of the class and with its state, as `events` sends it."""
        school_class = await self._load_teachers_class(request)
        join_url = self._make_join_url(school_class.id)
        projector_key = self._keys.make_key(Purpose.PROJECTOR, school_class.id)
        addresses = {
            "join": join_url,
            "qr": state.make_qr_picture(join_url),
            "projector": f"{self._needs.root}/projector#key={projector_key}",
        }
        live = await self._load_state(school_class.id, _get_words(request), state.encode_class)
        if live is None:  # deleted just now
            raise HTTPException(401)
        body = {"addresses": addresses, "state": json.loads(live.text), "now": self._now()}
        return JSONResponse(body)

    async def _stream_events(self, request: Request) -> Response:
        """Respond with an endless stream of what the teacher sees."""
        school_class = await self._load_teachers_class(request)
        return self._make_stream(school_class, request, state.encode_class)

    async def _stream_wall(self, request: Request) -> Response:
        """Respond with an endless stream of what the projector shows."""
        school_class = await self._load_class(Purpose.PROJECTOR, _get_bearer_key(request))
        return self._make_stream(school_class, request, state.encode_projector)

    async def _check_hands(self, request: Request) -> Response:
        """Respond with the level and the number of ideas of each typed hand, or with the fault in it."""
        await self._load_teachers_class(request)
        typed = await schemas.read_json_object(request, schemas.TypedHands)
        game, words = _find_game(typed.game), _get_words(request)
        lines = _split_lines(typed.hands)
        checks = [await self._check_hand(game, words, line) for line in lines[:MAX_HANDS]]
        if len(lines) > MAX_HANDS:
            checks.append({"typed": "…", "is_right": False, "text": _render_too_many(words)})
        return JSONResponse({"hands": checks})

    async def _check_hand(self, game: Game[Any], words: Words, line: str) -> state.Json:
        try:
            hand = await self._build_hand(game, line)
        except RefusalError as refusal:
            return {"typed": line, "is_right": False, "text": strip_tags(refusal.render_reason(words))}
        ways = words.translate_plural("{n} way", "{n} ways", len(game.solutions(hand)))
        text = f"{hand.line} · {render_level(words, hand.level)} · {ways}"
        return {"typed": line, "is_right": True, "text": strip_tags(Html(text))}

    async def _build_hand(self, game: Game[Any], line: str) -> Puzzle:
        """Return the hand in a typed line. Raises RefusalError if there is none, HTTPException."""
        if game.typed_puzzles is None:
            raise HTTPException(400)
        try:
            return await game.typed_puzzles.build(self._needs.solver_pool, line)
        except SolvingError:
            raise _make_slow_refusal() from None

    async def _begin_lesson(self, request: Request) -> Response:
        """Deal the first hand of a new lesson to everybody; respond with 409 and the reason if that fails."""
        school_class = await self._load_teachers_class(request)
        body = await schemas.read_json_object(request, schemas.LessonPlan)

        async def begin() -> Sequence[int]:
            if school_class.closed is not None:
                raise RefusalError(lambda words: words.translate("This class is over."))
            plan, now = await self._make_plan(body), self._now()
            return await self._write(lambda tx: lessons.begin_lesson(tx, school_class.id, plan, now))

        return await self._respond(request, school_class, begin())

    async def _make_plan(self, body: schemas.LessonPlan) -> lessons.Plan:
        """Return the lesson with its hands. Raises RefusalError or HTTPException."""
        game, now = _find_game(body.game), self._now()
        if body.pace not in list(Pace) or body.seconds > MAX_SECONDS:
            raise HTTPException(400)
        due = float(body.due) or None
        if due and not now < due <= now + MAX_HOMEWORK_SECONDS:
            days = round(MAX_HOMEWORK_SECONDS / DAY)
            raise RefusalError(
                lambda words: words.translate("Homework is due some time in the next {n} days.", n=days)
            )
        typed_lines = _split_lines(body.hands)
        if len(typed_lines) > MAX_HANDS:
            raise RefusalError(_render_too_many)
        hands = [await self._build_hand(game, line) for line in typed_lines]
        if not hands:
            hands = await self._deal_hands(game, body, now)
        return lessons.Plan(game.key, Pace(body.pace), hands, float(body.seconds) or None, due)

    async def _deal_hands(self, game: Game[Any], body: schemas.LessonPlan, now: float) -> list[Puzzle]:
        """Deal different hands that are not secret, as the hand of the day is. Raises RefusalError."""
        if not 0 < body.count <= MAX_HANDS or (body.level and body.level not in LEVELS):
            raise HTTPException(400)
        level = body.level if game.options.takes_levels and body.level else None
        hands = dict[str, Puzzle]()
        for _ in range(body.count * MAX_DRAWS):
            try:
                hand = await game.deal(
                    self._needs.solver_pool, NO_CHOICES, Options(level, Kind.CLASS), self._needs.make_seed()
                )
            except SolvingError:
                raise _make_slow_refusal() from None
            is_secret = partial(
                is_solution_secret, player_id=None, numbers=parse_hand_numbers(hand.line), now=now
            )
            if not await self._read(is_secret):
                hands[hand.line] = hand
            if len(hands) == body.count:
                break
        return list(hands.values())

    async def _act(self, request: Request) -> Response:
        """Carry out another move of the teacher; respond with 409 and the reason if it can't be done."""
        school_class = await self._load_teachers_class(request)
        body, now = await schemas.read_json_object(request, schemas.ClassAction), self._now()

        async def move() -> Sequence[int]:
            pupil_ids = await self._write(lambda tx: _carry_out(tx, school_class.id, body, now))
            for pupil_id in pupil_ids if body.action in ("remove", "delete") else ():
                self._changes.report_departure(pupil_id, pupil_id)
            return pupil_ids

        return await self._respond(request, school_class, move())

    async def _respond(
        self, request: Request, school_class: SchoolClass, move: Awaitable[Sequence[int]]
    ) -> Response:
        """Respond to a move, which returns the pupils whose pages change or raises RefusalError."""
        try:
            pupil_ids = await move
        except RefusalError as refusal:
            return JSONResponse({"text": strip_tags(refusal.render_reason(_get_words(request)))}, 409)
        for lane in (make_lane(school_class.id), *pupil_ids):
            self._changes.notify_chat(lane)
        return JSONResponse({})

    async def _get_report(self, request: Request) -> Response:
        """Respond with the hands that were hard, and with what each pupil lacks."""
        class_id, words = (await self._load_teachers_class(request)).id, _get_words(request)

        def load(tx: Tx) -> state.Json:
            records, pupils = load_records(tx, class_id), classrooms.load_pupils(tx, class_id)
            return {
                "hands": [asdict(hand) for hand in report_hands(words, records)],
                "pupils": [asdict(pupil) for pupil in report_pupils(words, records, pupils)],
            }

        return JSONResponse(await self._read(load))

    async def _download_report(self, request: Request) -> Response:
        """Respond with a table of all answers."""
        class_id, words = (await self._load_teachers_class(request)).id, _get_words(request)

        def load(tx: Tx) -> str:
            return write_csv(words, load_records(tx, class_id), classrooms.load_pupils(tx, class_id))

        return Response(await self._read(load), media_type="text/csv; charset=utf-8")

    async def _load_teachers_class(self, request: Request) -> SchoolClass:
        return await self._load_class(Purpose.TEACHER, _get_bearer_key(request))

    async def _load_class(self, purpose: Purpose, key: str, status: int = 401) -> SchoolClass:
        """Return the class of a key. Raises HTTPException of that status for a wrong or dead key."""
        class_id, _ = self._read_key(purpose, key, status)
        found = await self._read(lambda tx: classrooms.load_class(tx, class_id))
        if found is None:
            raise HTTPException(status)
        return found

    def _read_key(self, purpose: Purpose, key: str, status: int) -> tuple[int, str]:
        """Return the id and the browser in a key. Raises HTTPException of this status for any other text."""
        try:
            return self._keys.read_key(purpose, key)
        except InvalidTokenError:
            raise HTTPException(status) from None

    def _make_join_url(self, class_id: int) -> str:
        return make_join_url(self._keys, self._needs.root, class_id, is_alone=self._needs.is_alone)

    # Live pages

    def _make_stream(self, school_class: SchoolClass, request: Request, encode: Encode) -> Response:
        load = partial(self._load_state, school_class.id, _get_words(request), encode)
        return StreamingResponse(self._generate_states(load), headers=HEADERS)

    async def _load_state(self, class_id: int, words: Words, encode: Encode) -> "LiveState | None":
        """Return what a page of the class shows; None if the class does not exist."""
        url, now = self._make_join_url(class_id), self._now()

        def load(tx: Tx) -> LiveState | None:
            desk = state.load_desk(tx, class_id)
            if desk is None:
                return None
            text = json.dumps(encode(desk, url, words, now), ensure_ascii=False)
            return LiveState(text, (make_lane(class_id), *(pupil.id for pupil in desk.pupils)))

        return await self._read(load)

    async def _generate_states(
        self, load: Callable[[], Awaitable["LiveState | None"]]
    ) -> AsyncIterator[bytes]:
        """Yield the state after each change until the class is deleted or the bot stops, and heartbeats."""
        get_time = asyncio.get_running_loop().time
        subscription = self._changes.subscribe(())
        lanes: Sequence[int] = ()
        last_text, heartbeat_at = "", 0.0
        try:
            while not self._is_closed:
                with suppress(HTTPException):  # the database fails: try again a moment later
                    live = await load()
                    if live is None:
                        return  # the page asks once more, and is told that the key opens nothing
                    if live.lanes != lanes:
                        lanes, subscription = live.lanes, self._replace_subscription(subscription, live.lanes)
                    if live.text != last_text or get_time() >= heartbeat_at:
                        yield self._make_event(live.text) if live.text != last_text else HEARTBEAT
                        last_text, heartbeat_at = live.text, get_time() + HEARTBEAT_INTERVAL
                await asyncio.sleep(UPDATE_INTERVAL)
                with suppress(TimeoutError):
                    async with asyncio.timeout(CLOCK_INTERVAL):
                        await subscription.wait()
        finally:
            subscription.close()

    def _replace_subscription(self, old: Subscription, lanes: Sequence[int]) -> Subscription:
        """Subscribe to these lanes instead; it is woken, as something may have changed in between."""
        old.close()
        new = self._changes.subscribe(lanes)
        new.wake()
        return new

    def _make_event(self, text: str) -> bytes:
        return f'event: state\ndata: {{"now": {self._now()}, "state": {text}}}\n\n'.encode()

    async def _read(self, work: Callable[[Tx], Answer]) -> Answer:
        result: Answer = await await_database(self._store.read(work))
        return result

    async def _write(self, work: Callable[[Tx], Answer]) -> Answer:
        result: Answer = await await_database(self._store.write(work))
        return result


@dataclass(frozen=True, slots=True)
class LiveState:
    text: str  # The JSON of a page's state
    lanes: Sequence[int]  # After whose changes it is read again


def _carry_out(tx: Tx, class_id: int, body: schemas.ClassAction, now: float) -> Sequence[int]:
    """Carry out a move of the teacher, and return the pupils whose pages change.

    Raises RefusalError, and HTTPException 400 for an unknown move.
    """
    match body.action:
        case "add":
            lessons.add_pupils(tx, class_id, _split_lines(body.names))
        case "rename":
            pupil = _require_pupil(tx, class_id, body.pupil_id)
            lessons.rename_pupil(tx, pupil, body.name)
            return [pupil.id]
        case "remove":
            pupil = _require_pupil(tx, class_id, body.pupil_id)
            lessons.remove_pupil(tx, pupil.id)
            return [pupil.id]
        case "readmit":
            classrooms.free_name(tx, _require_pupil(tx, class_id, body.pupil_id).id)
        case "lock":
            classrooms.update_class(tx, class_id, locked=int(body.is_on))
        case "keep":
            classrooms.update_class(tx, class_id, kept=int(body.is_on))
        case "solutions":
            return lessons.show_solutions(tx, class_id, now)
        case "next":
            return lessons.deal_next(tx, class_id, body.number, now)
        case "close lesson":
            return lessons.close_lesson(tx, class_id, now)
        case "close":
            return lessons.close_class(tx, class_id, now)
        case "delete":
            return lessons.delete_class(tx, class_id)
        case _:
            raise HTTPException(400)
    return []


def _require_pupil(tx: Tx, class_id: int, pupil_id: int) -> Pupil:
    """Return a pupil of the class. Raises RefusalError for none, as after a removal on another page."""
    pupil = classrooms.load_pupil(tx, pupil_id)
    if pupil is None or pupil.class_id != class_id:
        raise RefusalError(lambda words: words.translate("That pupil has left the class."))
    return pupil


def make_join_url(keys: ClassKeys, root: str, class_id: int, *, is_alone: bool) -> str:
    """Return the address behind which a pupil needs no code; `is_alone` as in `ClassNeeds`."""
    page = "" if is_alone else "class"
    return f"{root}/{page}#link={keys.make_key(Purpose.JOIN, class_id)}"


def make_lane(class_id: int) -> int:
    """Return the id under which changes of a class are announced: below those of Telegram's groups."""
    return -(FIRST_GUEST_ID + class_id)


def _make_slow_refusal() -> RefusalError:
    return RefusalError(lambda words: words.translate("That took too long."))


def _render_too_many(words: Words) -> Html:
    return words.translate("A lesson has up to {n} hands.", n=MAX_HANDS)


def _find_game(key: str) -> Game[Any]:
    """Return the game with that key. Raises HTTPException 400 if a class can't play it."""
    game = GAMES.get(key)
    if game is None or game not in state.list_class_games():
        raise HTTPException(400)
    return game


def _split_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _get_bearer_key(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix("Bearer ")


def _get_words(request: Request) -> Words:
    return get_words(choose_browser_language(request))
