"""Classes of pupils without accounts: joining, lessons, reports, and what is deleted afterwards."""

import asyncio
import csv
import io
import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

import solver
from bot import logs
from bot.board.classroom.endpoints import WRONG_CODES
from bot.board.classroom.keys import ClassKeys, Purpose
from bot.board.view import DEAL_PRESS, SHOW_TODAY_PRESS
from bot.database import Tx
from bot.database.schema import metadata, rounds
from bot.durations import DAY, HOUR, MINUTE
from bot.i18n import choose_language, get_words
from bot.modes.classroom import lessons
from bot.modes.classroom.report import BYTE_ORDER_MARK
from bot.modes.classroom.rules import MAX_HANDS, MAX_HOMEWORK_SECONDS
from bot.queue.updates import TRANSIT_GRACE
from tests.on_postgresql import ON_POSTGRESQL
from tests.stories.classes import WEB_URL, Pupil, School, Teacher, open_school, read_next_event
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, dump_tables, run_bot
from tests.stories.test_countdown import find_entry
from tests.telegram import Chat, User, World


@pytest.fixture
async def bot(world: World, database: Path) -> AsyncIterator[LiveBot]:
    async with run_bot(world, database, web_url=WEB_URL) as made:
        yield made


@pytest.fixture
async def school(bot: LiveBot) -> AsyncIterator[School]:
    async with open_school(bot) as made:
        yield made


@pytest.fixture
async def teacher(school: School, ann: User) -> Teacher:
    """Ann, whose class is open."""
    return await school.open_class(ann)


# Opening


async def test_class_is_opened_in_private(school: School, world: World, ann: User, bob: User) -> None:
    teacher = await school.open_class(ann)
    reply = world.posts(ann)[-1]
    assert f"{WEB_URL}/class" in reply.text
    assert teacher.code in reply.text
    again = await school.open_class(ann)
    assert again == teacher, "it goes on"
    assert (await school.open_class(bob)).code != teacher.code
    await teacher.act("close")
    assert (await school.open_class(ann)).code != teacher.code


async def test_class_is_not_opened_in_a_group(school: School, world: World, ann: User, family: Chat) -> None:
    await school.bot.say(ann, family, f"/class@{world.bot.username}")
    (reply,) = world.posts(family)
    assert reply.text == "/class opens a class in private, for teachers."


async def test_class_needs_a_page(world: World, database: Path, ann: User) -> None:
    async with run_bot(world, database) as bot:
        await bot.say(ann, world.chat_of(ann), "/class")
    assert "WEB_URL" in world.posts(ann)[-1].text


async def test_teacher_leads_several_classes(school: School, world: World, ann: User) -> None:
    first = await school.open_class(ann)
    world.press(ann, world.posts(ann)[-1], "Another class")
    await school.bot.settle()
    *rows, another = world.posts(ann)[-1].buttons
    assert another["text"] == "Another class"
    assert [row["text"] for row in rows[1::2]] == ["Link for pupils"] * 2
    codes = [row["text"].removeprefix("Your page · ") for row in rows[::2]]
    assert (len(set(codes)), codes[1]) == (2, first.code)


async def test_link_of_another_class_leads_there(teacher: Teacher, school: School, bob: User) -> None:
    pupil, other = await teacher.enter("Cem"), await school.open_class(bob)
    answers = [
        (await school.request("POST", "class/return", body={"pupil": pupil.key, "link": link}))[1]["is_here"]
        for link in (teacher.link, other.link)
    ]
    assert answers == [True, False]


# Joining


async def ask_door(teacher: Teacher, **knock: str) -> tuple[int, Any]:
    return await teacher.school.request("POST", "class/door", body=knock)


async def join(teacher: Teacher, name: str) -> str:
    """Join by the code; return the problem, empty if there was none."""
    body = {"code": teacher.code, "name": name}
    status, answer = await teacher.school.request("POST", "class/join", body=body)
    assert status in (200, 409)
    return str(answer.get("problem", ""))


async def test_pupils_join_by_code_and_by_link(teacher: Teacher) -> None:
    typed = f" {teacher.code[:3].lower()}-{teacher.code[3:].lower()} "
    assert await ask_door(teacher, code=typed) == (200, {"names": [], "is_locked": False})
    assert await ask_door(teacher, link=teacher.link) == (200, {"names": [], "is_locked": False})
    assert (await ask_door(teacher, code="AAAAAA"))[0] == 404
    assert (await teacher.enter("  Bob   B. ")).name == "Bob B."
    status, body = await teacher.school.request(
        "POST", "class/join", body={"link": teacher.link, "name": "Cem"}
    )
    assert (status, body["name"]) == (200, "Cem")
    assert await teacher.load_names() == ["Bob B.", "Cem"]


async def test_browser_that_got_no_answer_joins_as_the_same_pupil(teacher: Teacher) -> None:
    body = {"code": teacher.code, "name": "Ann", "device": "a" * 22}
    _, first = await teacher.school.request("POST", "class/join", body=body)
    assert await teacher.school.request("POST", "class/join", body=body) == (200, first)
    status, refusal = await teacher.school.request("POST", "class/join", body={**body, "device": "b" * 22})
    assert (status, refusal) == (409, {"problem": "taken"})
    assert await teacher.load_names() == ["Ann"]


async def test_names_of_the_list_can_be_taken_once(teacher: Teacher) -> None:
    assert await teacher.act("add", names="Bob\n bob ") == ""
    assert await teacher.act("add", names="Bob\n\n  Cem\nDee") == ""
    assert await ask_door(teacher, code=teacher.code) == (
        200,
        {"names": ["Bob", "Cem", "Dee"], "is_locked": False},
    )
    assert (await teacher.enter("BOB")).name == "Bob"
    _, door = await ask_door(teacher, code=teacher.code)
    assert door["names"] == ["Cem", "Dee"]
    assert [await join(teacher, name) for name in ("Bob", " bOB ", "Ｂｏｂ", "\u200b", "")] == [
        *["taken"] * 3,
        *["no name"] * 2,
    ]
    assert [pupil["has_joined"] for pupil in (await teacher.load_state())["pupils"]] == [True, False, False]


async def test_odd_names_are_listed_as_text(teacher: Teacher) -> None:
    names = ["=1+1", "<script>alert(1)</script>", "דנה", "Zoë & Co", "'; DROP TABLE pupils; --"]
    for name in names:
        assert await join(teacher, name) == ""
    assert await join(teacher, "A" + "\u0301" * 200) == ""
    assert await teacher.load_names() == [*names, "Á\u0301\u0301\u0301"]


async def test_locked_door_opens_for_listed_names_alone(teacher: Teacher) -> None:
    await teacher.act("add", names="Bob")
    await teacher.act("lock", is_on=True)
    assert await join(teacher, "Cem") == "locked"
    assert await join(teacher, "Bob") == ""
    await teacher.act("lock", is_on=False)
    assert await join(teacher, "Cem") == ""
    await teacher.act("close")
    assert await join(teacher, "Dee") == "over"
    assert await teacher.begin("3 8 3 8") == "This class is over."


async def test_class_is_full_at_some_size(teacher: Teacher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "MAX_PUPILS", 2)
    assert [await join(teacher, name) for name in ("Bob", "Cem", "Dee")] == ["", "", "full"]
    assert await teacher.act("add", names="Eve") == "A class has up to 2 pupils."


async def test_pupil_is_renamed(teacher: Teacher) -> None:
    pupil = await teacher.enter("Bob")
    await teacher.act("add", names="Cem")
    pupil_id = await teacher.find_id("Bob")
    for name in ("cem", "", "\u202e"):
        assert "Already in the list" in await teacher.act("rename", pupil_id=pupil_id, name=name)
    assert await teacher.act("rename", pupil_id=pupil_id, name="BOB") == ""
    assert await teacher.act("rename", pupil_id=pupil_id, name="Bo") == ""
    assert await teacher.load_names() == ["Bo", "Cem"]
    _, back = await teacher.school.request("POST", "class/return", body={"pupil": pupil.key})
    assert back == {"name": "Bo", "is_here": True}
    await teacher.begin("3 8 3 8")
    await pupil.answer("8/(3-8/3)")
    assert (await pupil.load_page())["winner"]["name"] == "Bo"


async def test_reload_and_second_tab_are_the_same_pupil(teacher: Teacher) -> None:
    pupil = await teacher.enter("Bob")
    await teacher.begin("3 8 3 8")
    await pupil.answer("8+8+8+3")
    other_tab = await teacher.open_page(pupil.key)
    await other_tab.answer("8/(3-8/3)")
    assert (await pupil.load_page())["round"] == (await other_tab.load_page())["round"]
    assert await teacher.load_names() == ["Bob"]
    assert [cell["tries"] for cell in await teacher.load_cells("Bob")] == [2]


async def test_pupil_is_let_in_again_on_another_device(teacher: Teacher, clock: Clock) -> None:
    pupil = await teacher.enter("Bob")
    await teacher.begin("3 8 3 8", "1 5 5 5")
    await pupil.answer("8/(3-8/3)")
    assert await join(teacher, "Bob") == "taken"
    await teacher.act("readmit", pupil_id=await teacher.find_id("Bob"))
    here = (await pupil.load_page())["round"]["id"]
    clock.advance(MINUTE)
    elsewhere = await teacher.enter("bob")
    assert await teacher.load_names() == ["Bob"]
    assert (await elsewhere.load_page())["round"]["id"] == here
    assert (await teacher.school.request("GET", "state", pupil.session))[0] == 401
    assert (await teacher.school.request("POST", "class/return", body={"pupil": pupil.key}))[0] == 401


async def dump_all_tables(bot: LiveBot) -> str:
    """Return every value of every table as one text."""

    def dump(tx: Tx) -> str:
        return repr({table.name: list(tx.execute(select(table))) for table in metadata.sorted_tables})

    return await bot.services.store.read(dump)


async def test_removed_pupil_leaves_nothing_behind(teacher: Teacher, bot: LiveBot) -> None:
    pupil, other = await teacher.enter("Zwentibold"), await teacher.enter("Cem")
    await teacher.begin("3 8 3 8")
    await pupil.answer("8+8+3+3")
    await pupil.press("Hint")
    await pupil.answer("8/(3-8/3)")
    pupil_id = await teacher.find_id("Zwentibold")
    assert await teacher.act("remove", pupil_id=pupil_id) == ""
    assert await teacher.act("remove", pupil_id=pupil_id) == "That pupil has left the class."
    left = await dump_all_tables(bot)
    assert [text for text in ("Zwentibold", "8+8+3+3") if text in left] == []
    assert str(pupil_id) not in await bot.services.store.read(dump_tables)
    for method, path, key, body in (
        ("GET", "state", pupil.session, None),
        ("GET", "events", pupil.session, None),
        ("POST", "open", "", {"pupil": pupil.key}),
        ("POST", "class/return", "", {"pupil": pupil.key}),
    ):
        assert (await teacher.school.request(method, path, key, body))[0] == 401, path
    await other.answer("8/(3-8/3)")
    assert await teacher.load_names() == ["Cem"]
    assert await join(teacher, "Zwentibold") == ""
    assert [cell["tries"] for cell in await teacher.load_cells("Zwentibold")] == [0], "a new hand"


async def test_open_page_of_a_removed_pupil_ends(teacher: Teacher) -> None:
    bob, cem = await teacher.enter("Bob"), await teacher.enter("Cem")
    await teacher.begin("3 8 3 8")
    for pupil, action in ((bob, "remove"), (cem, "delete")):
        url, headers = f"{teacher.school.root}/events", {"Authorization": f"Bearer {pupil.session}"}
        details = {"pupil_id": await teacher.find_id("Bob")} if action == "remove" else {}
        async with teacher.school.http.get(url, headers=headers) as events:
            assert b"event: state" in await events.content.readuntil(b"\n\n")
            await teacher.act(action, **details)
            await events.content.read()  # up to its end


async def test_name_is_given_once_to_those_who_come_together(teacher: Teacher) -> None:
    await teacher.act("add", names="Bob")
    for name in ("Bob", "Cem"):
        problems = await asyncio.gather(*(join(teacher, name) for _ in range(10)))
        assert Counter(problems) == {"": 1, "taken": 9}
    assert await teacher.load_names() == ["Bob", "Cem"]


async def test_late_answer_of_a_removed_pupil_is_not_stored(
    teacher: Teacher, bot: LiveBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pupil = await teacher.enter("Zwentibold")
    await teacher.begin("3 8 3 8")
    round_id, pupil_id = (await pupil.load_page())["round"]["id"], await teacher.find_id("Zwentibold")
    sent = {"id": "A" * 22, "round": round_id, "answer": "8/(3-8/3)"}
    handle, may_handle = bot.service.dispatcher.handle, asyncio.Event()

    async def handle_later(queued: Any) -> None:
        await may_handle.wait()
        await handle(queued)

    monkeypatch.setattr(bot.service.inbox._handler, "_handler", handle_later)
    assert (await teacher.school.request("POST", "entry", pupil.session, sent))[0] == 202
    assert [cell["state"] for cell in await teacher.load_cells("Zwentibold")] == ["open"]
    await teacher.act("remove", pupil_id=pupil_id)
    may_handle.set()
    await bot.settle()
    assert "Zwentibold" not in await dump_all_tables(bot)


# Lessons together


async def test_lesson_together(teacher: Teacher) -> None:
    bob, cem, dee = [await teacher.enter(name) for name in ("Bob", "Cem", "Dee")]
    waiting = await bob.load_page()
    assert (waiting["round"], waiting["buttons"], waiting["place"]["kind"]) == (None, [], "class")
    await teacher.begin("6 6 6 6", "3 8 3 8")
    page = await bob.load_page()
    assert (page["round"]["numbers"], page["round"]["race_hand"]) == (["6"] * 4, "Hand 1 of 2")
    for answer in ("6*6-6", "6*6-6", "6*6+6-6", "6++"):
        await bob.answer(answer)
    (cell,) = await teacher.load_cells("Bob")
    assert (cell["state"], cell["tries"], cell["wrong"], cell["mistake"]) == ("open", 4, "6++", "unreadable")
    await bob.press("Hint")
    assert len((await bob.load_page())["round"]["hints"]) == 1
    await bob.answer("6+6+6+6")
    await cem.answer("6*6-6-6")
    await dee.answer("6*6-(6+6)")
    assert "next hand" in (await bob.load_page())["notice"]
    (cell,) = await teacher.load_cells("Bob")
    assert (cell["state"], cell["tries"], cell["hints"], cell["answer"]) == ("solved", 5, 1, "6+6+6+6")
    assert (await teacher.load_state())["lesson"]["solutions"] == []
    await teacher.act("solutions")
    solutions = (await teacher.load_state())["lesson"]["solutions"]
    assert [(each["answer"], each["count"]) for each in solutions] == [
        ("6×6−6−6 = 24", 2),
        ("6+6+6+6 = 24", 1),
    ]
    await teacher.act("next", number=1)
    await teacher.act("next", number=1)  # pressed twice
    page = await dee.load_page()
    assert (page["round"]["numbers"], page["round"]["state"]) == (["3", "8", "3", "8"], "open")
    await teacher.act("next", number=2)  # none is left
    assert (await teacher.load_state())["lesson"]["number"] == 2
    await teacher.act("close lesson")
    page = await dee.load_page()
    assert (page["round"]["state"], page["winner"]) == ("over", None)
    assert "last hand" in page["notice"]


async def test_late_pupil_gets_the_present_hand(teacher: Teacher) -> None:
    await teacher.begin("6 6 6 6", "3 8 3 8")
    await teacher.act("next", number=1)
    bob = await teacher.enter("Bob")
    assert (await bob.load_page())["round"]["race_hand"] == "Hand 2 of 2"
    await teacher.act("solutions")
    cem = await teacher.enter("Cem")
    assert (await cem.load_page())["round"] is None, "its solutions are shown already"


async def test_hand_whose_solutions_are_shown_takes_no_answer(teacher: Teacher) -> None:
    bob = await teacher.enter("Bob")
    await teacher.begin("3 8 3 8", "6 6 6 6")
    await teacher.act("solutions")
    await bob.answer("8/(3-8/3)")
    await bob.answer("8/3-8/3")
    (cell,) = await teacher.load_cells("Bob")
    assert (cell["state"], cell["tries"]) == ("over", 0)
    assert (await teacher.load_projector_state())["first_names"] == []


async def test_hand_of_a_former_lesson_takes_no_answer(teacher: Teacher) -> None:
    bob = await teacher.enter("Bob")
    await teacher.begin("3 8 3 8")
    former = (await bob.load_page())["round"]["id"]
    await teacher.begin("6 6 6 6")
    await bob.submit(round=former, answer="8/(3-8/3)")
    await bob.answer("6+6+6+6")
    hands = (await teacher.load_report())["hands"]
    assert [(hand["line"], hand["solved"]) for hand in hands] == [("3 8 3 8 → 24", 0), ("6 6 6 6 → 24", 1)]


async def test_hand_ends_by_the_clock(teacher: Teacher, bot: LiveBot, clock: Clock) -> None:
    bob = await teacher.enter("Bob")
    await teacher.begin("3 8 3 8", "6 6 6 6", seconds=60)
    page = await bob.load_page()
    assert page["round"]["deadline"] == clock.now + 60 == (await teacher.load_state())["lesson"]["deadline"]
    clock.advance(60 + TRANSIT_GRACE + 1)
    await bot.run_timers()
    assert (await bob.load_page())["round"]["state"] == "over"
    await teacher.act("next", number=1)
    assert (await bob.load_page())["round"]["deadline"] == clock.now + 60


async def test_projector_names_the_first_three_and_no_author_of_a_solution(
    teacher: Teacher, clock: Clock
) -> None:
    pupils = [await teacher.enter(name) for name in ("Bob", "Cem", "Dee", "Eve", "Fay")]
    await teacher.begin("6 6 6 6")
    for pupil in reversed(pupils[1:]):
        clock.advance(0.2)  # within a second
        await pupil.answer("6+6+6+6")
    wall = await teacher.load_projector_state()
    assert (wall["pupil_count"], wall["lesson"]["done"], wall["level"]) == (5, 4, "easy")
    assert wall["first_names"] == ["Fay", "Eve", "Dee"]
    assert "Bob" not in json.dumps(wall)
    await teacher.act("solutions")
    wall = await teacher.load_projector_state()
    assert [(each["answer"], each["count"]) for each in wall["lesson"]["solutions"]] == [
        ("6+6+6+6 = 24", 4),
        ("6×6−6−6 = 24", 0),
    ]
    assert set(wall["lesson"]["solutions"][0]) == {"answer", "count"}


async def test_teacher_sees_who_is_stuck(teacher: Teacher, clock: Clock) -> None:
    bob, _ = await teacher.enter("Bob"), await teacher.enter("Cem")
    await teacher.begin("3 8 3 8")
    for _ in range(3):
        await bob.answer("8+8+8+3")
    assert [cell["is_stuck"] for name in ("Bob", "Cem") for cell in await teacher.load_cells(name)] == [
        False
    ] * 2
    await bob.answer("8+8+8+3")
    clock.advance(119)
    assert [cell["is_stuck"] for name in ("Bob", "Cem") for cell in await teacher.load_cells(name)] == [
        True,
        False,
    ]
    clock.advance(1)
    await bob.answer("8/(3-8/3)")
    assert [cell["is_stuck"] for name in ("Bob", "Cem") for cell in await teacher.load_cells(name)] == [
        False,
        True,
    ]


async def test_answer_appears_on_the_teachers_open_page(teacher: Teacher) -> None:
    bob = await teacher.enter("Bob")
    await teacher.begin("3 8 3 8")
    url, headers = f"{teacher.school.root}/class/events", {"Authorization": f"Bearer {teacher.key}"}
    async with teacher.school.http.get(url, headers=headers) as events:
        assert (await read_next_event(events))["pupils"][0]["solved"] == 0
        await bob.answer("8/(3-8/3)")
        assert (await read_next_event(events))["pupils"][0]["solved"] == 1
        await teacher.act("delete")
        assert await events.content.read() == b"", "it ends"


# Lessons at the own pace


async def test_lesson_at_the_own_pace(teacher: Teacher) -> None:
    bob, cem = await teacher.enter("Bob"), await teacher.enter("Cem")
    await teacher.begin("6 6 6 6", "3 8 3 8", pace="own")
    first = (await bob.load_page())["round"]["id"]
    assert await bob.submit(press=f"cn:{first}") == 409, "the hand is open"
    await bob.answer("6+6+6+6")
    assert await bob.list_labels() == ["Next hand"]
    await bob.press("Next hand")
    assert await bob.submit(press=f"cn:{first}") == 409, "it was dealt"
    assert (await bob.load_page())["round"]["race_hand"] == "Hand 2 of 2"
    await bob.press("Give up")
    page = await bob.load_page()
    assert (page["round"]["state"], page["buttons"]) == ("over", [])
    assert "last hand" in page["notice"]
    assert [cell["state"] for cell in await teacher.load_cells("Bob")] == ["solved", "over"]
    assert (await cem.load_page())["round"]["race_hand"] == "Hand 1 of 2"
    lesson = (await teacher.load_state())["lesson"]
    assert (lesson["done"], lesson["tiles"]["numbers"], lesson["solutions"]) == (1, [], [])
    await teacher.act("next", number=1)
    await teacher.act("solutions")
    assert (await cem.load_page())["round"]["state"] == "open", "these are for lessons together"
    await teacher.act("close lesson")
    page = await cem.load_page()
    assert (page["round"]["state"], page["buttons"]) == ("over", [])


async def test_homework_is_accepted_until_it_is_due(teacher: Teacher, bot: LiveBot, clock: Clock) -> None:
    bob, cem = await teacher.enter("Bob"), await teacher.enter("Cem")
    due = int(clock.now + 3 * DAY)
    await teacher.begin("6 6 6 6", "3 8 3 8", "1 5 5 5", pace="own", due=due)
    assert await teacher.load_cells("Bob") == [], "it begins when the pupil wants"
    clock.advance(HOUR)
    await bob.press("Begin: 3 hands")
    clock.advance(5 * MINUTE)
    (cell,) = await teacher.load_cells("Bob")
    assert (clock.now - cell["opened"], cell["is_stuck"]) == (5 * MINUTE, False)
    await bob.answer("6+6+6+6")
    clock.advance(2 * DAY)
    await bot.run_timers()
    bob, late = await teacher.open_page(bob.key), await teacher.enter("Dee")
    await bob.press("Next hand")
    assert (await bob.load_page())["round"]["deadline"] == due
    assert await late.list_labels() == ["Begin: 3 hands"]
    clock.now = due - 1
    cem = await teacher.open_page(cem.key)
    await cem.press("Begin: 3 hands")
    await cem.answer("6+6+6+6")
    ((button,),) = (await cem.load_page())["buttons"]
    assert button["label"] == "Next hand"
    clock.advance(2)
    await cem.submit(press=button["press"])  # on a page that was opened before
    page = await cem.load_page()
    assert page["round"]["race_hand"] == "Hand 1 of 3", "no more hands"
    assert (page["buttons"], page["notice"]) == ([], "The time for this homework is over.")
    bob = await teacher.open_page(bob.key)
    await bob.answer("8/(3-8/3)")
    clock.advance(TRANSIT_GRACE)
    await bot.run_timers()
    assert [cell["state"] for cell in await teacher.load_cells("Bob")] == ["solved", "over"]
    assert not (await teacher.load_state())["lesson"]["is_open"]
    newcomer = await teacher.enter("Eve")
    page = await newcomer.load_page()
    assert (page["round"], page["buttons"]) == (None, [])
    assert (await bob.load_page())["notice"] == "The time for this homework is over."


async def test_homework_is_due_within_some_weeks(teacher: Teacher, clock: Clock) -> None:
    for due in (clock.now - 1, clock.now + MAX_HOMEWORK_SECONDS + 1):
        refusal = await teacher.begin("6 6 6 6", pace="own", due=int(due))
        assert refusal == "Homework is due some time in the next 28 days."
    assert (await teacher.load_state())["lesson"] is None


# Hands


async def test_own_hands_are_checked(teacher: Teacher) -> None:
    typed = "3 8 3 8\n\n6, 6, 6, 6\n1 1 1 1\nfour\nA Q K 2 = 24\n<b>"
    _, body = await teacher.school.request("POST", "class/check", teacher.key, {"game": "24", "hands": typed})
    hands = body["hands"]
    assert [hand["is_right"] for hand in hands] == [True, True, False, False, True, False]
    assert hands[0]["text"] == "3 8 3 8 → 24 · fiendish · 1 way"
    assert hands[1]["text"] == "6 6 6 6 → 24 · easy · 2 ways"
    assert all(hand["text"] for hand in hands)
    refusal = await teacher.begin("3 8 3 8", "1 1 1 1")
    assert refusal == hands[2]["text"]
    assert (await teacher.load_state())["lesson"] is None


async def test_lesson_has_twenty_hands_at_most(teacher: Teacher) -> None:
    hands = [f"6 6 6 {number % 6 + 1}" for number in range(20)]
    refusal = await teacher.begin(*hands, "3 8 3 8", pace="own")
    assert refusal == "A lesson has up to 20 hands."
    typed = {"game": "24", "hands": "\n".join([*hands, "3 8 3 8"])}
    _, checks = await teacher.school.request("POST", "class/check", teacher.key, typed)
    assert (len(checks["hands"]), checks["hands"][-1]["text"]) == (21, refusal)
    await teacher.begin(*hands, pace="own")
    state = await teacher.load_state()
    assert (state["lesson"]["count"], len(state["hands"])) == (MAX_HANDS, MAX_HANDS)
    plan = {"game": "24", "pace": "own", "level": "easy", "hands": "", "seconds": 0, "due": 0}
    for broken in ({"count": 21}, {"count": 0}, {"count": 3, "level": "odd"}, {"count": 3, "pace": "fast"}):
        status, _ = await teacher.school.request("POST", "class/lesson", teacher.key, plan | broken)
        assert status == 400, broken


async def test_hands_of_a_level_are_dealt(teacher: Teacher) -> None:
    await teacher.begin(count=3, level="easy")
    hands = (await teacher.load_state())["hands"]
    assert [hand["level"] for hand in hands] == ["easy"] * 3
    assert len({hand["line"] for hand in hands}) == 3


async def test_hand_of_the_day_is_not_dealt(teacher: Teacher, bot: LiveBot, world: World, bob: User) -> None:
    bot.rig(3, 8, 3, 8)
    bot.rig(3, 8, 3, 8)
    await bot.say(bob, world.chat_of(bob), "/daily")
    for numbers in ((8, 3, 8, 3), (6, 6, 6, 6)):
        bot.rig(*numbers)
    await teacher.begin(count=1)
    assert [hand["line"] for hand in (await teacher.load_state())["hands"]] == ["6 6 6 6 → 24"]


async def test_nearest_answer_counts_in_countdown(teacher: Teacher) -> None:
    bob = await teacher.enter("Bob")
    await teacher.begin(game="countdown", count=1)
    page = await bob.load_page()
    tiles, target = [int(number) for number in page["round"]["numbers"]], int(page["round"]["target"])
    near, nearer = find_entry(tiles, target, 5), find_entry(tiles, target, 2)
    await bob.answer(near)
    await bob.answer(nearer)
    page = await bob.load_page()
    assert (page["round"]["state"], abs(int(page["round"]["entry_value"]) - target)) == ("open", 2)
    (cell,) = await teacher.load_cells("Bob")
    assert (cell["state"], cell["tries"]) == ("open", 0), "no answer was wrong"
    await bob.answer(str(solver.nearest(tiles, target).expression))
    assert [each["state"] for each in await teacher.load_cells("Bob")] == ["solved"]
    assert (await bob.load_page())["round"]["state"] == "over"


# The report


async def test_report_shows_hard_hands_first_and_a_table(teacher: Teacher, clock: Clock) -> None:
    bob, cem = await teacher.enter("=1+1"), await teacher.enter('Cem "C", née D')
    await teacher.begin("6 6 6 6", "3 8 3 8")
    clock.advance(10)
    await bob.answer("6+6+6+6")
    await cem.answer("-6+6*6-6")
    clock.advance(20)
    await cem.answer("6*6-6-6")
    await teacher.act("next", number=1)
    await bob.answer("8/(3-8/3)")
    await teacher.act("close lesson")
    report = await teacher.load_report()
    assert [(each["line"], each["solved"], each["tried"], each["seconds"]) for each in report["hands"]] == [
        ("3 8 3 8 → 24", 1, 2, 0),
        ("6 6 6 6 → 24", 2, 2, 20),
    ]
    assert [(each["name"], each["solved"], each["played"]) for each in report["pupils"]] == [
        ("=1+1", 2, 2),
        ('Cem "C", née D', 1, 2),
    ]
    _, text = await teacher.school.request("GET", "class/report.csv", teacher.key)
    assert text.startswith(BYTE_ORDER_MARK)
    rows = list(csv.DictReader(io.StringIO(text.removeprefix(BYTE_ORDER_MARK))))
    assert [(row["Name"], row["Hand"], row["Solved"], row["Seconds"], row["Tries"]) for row in rows] == [
        ("'=1+1", "6 6 6 6 → 24", "1", "10", "1"),
        ("'=1+1", "3 8 3 8 → 24", "1", "0", "1"),
        ('Cem "C", née D', "6 6 6 6 → 24", "1", "30", "2"),
        ('Cem "C", née D', "3 8 3 8 → 24", "0", "0", "0"),
    ]
    assert rows[2]["Last wrong answer"] == "'-6+6*6-6"


@pytest.mark.parametrize("language", ["es", "ru", "zh-hans", "zh-hant"])
async def test_class_speaks_the_language_of_its_readers(school: School, world: World, ann: User) -> None:
    words = get_words(choose_language(ann.language_code or ""))
    teacher = await school.open_class(ann)
    assert words.translate("Your class is open.") in world.posts(ann)[-1].text
    school.http.headers["Accept-Language"] = f"{ann.language_code},en;q=0.5"
    pupil = await teacher.enter("Bob")
    await teacher.begin("6 6 6 6", pace="own")
    await pupil.answer("6+6")
    assert (await teacher.load_cells("Bob"))[0]["mistake"] == words.translate_plain("numbers not used")
    await pupil.press(words.translate_plain("Give up"))
    last = words.translate_plain("That was the last hand. You solved {solved} of {count}.", solved=0, count=1)
    assert (await pupil.load_page())["notice"] == last
    assert (await teacher.load_report())["hands"][0]["level"] == words.translate_plain("easy")


# What nobody may do


async def test_nothing_of_a_class_reaches_telegram(
    teacher: Teacher, bot: LiveBot, world: World, clock: Clock
) -> None:
    before = len(world.record.requests)
    bob = await teacher.enter("Bob")
    await teacher.begin("3 8 3 8", "6 6 6 6", seconds=60)
    await bob.answer("1+1")
    await bob.press("Hint")
    await bob.answer("8/(3-8/3)")
    await teacher.act("next", number=1)
    clock.advance(60 + TRANSIT_GRACE + 1)
    await bot.run_timers()
    await teacher.begin("6 6 6 6", pace="own")
    await bob.press("Give up")
    solution = {"id": "A" * 22, "day": "2026-11-21", "answer": "8/(3-8/3)", "at": clock.now}
    refused: list[tuple[str, object]] = [("share", {}), ("watch", {}), ("day", solution)]
    for path, body in refused:
        assert (await teacher.school.request("POST", path, bob.session, body))[0] == 403, path
    await bot.run_timers()
    assert {each.method for each in world.record.requests[before:]} <= {"getUpdates"}


async def count_rounds(bot: LiveBot) -> int:
    return await bot.services.store.read(lambda tx: tx.scalar(select(func.count()).select_from(rounds)) or 0)


async def test_pupil_acts_for_nobody_else(teacher: Teacher, bot: LiveBot) -> None:
    bob, cem = await teacher.enter("Bob"), await teacher.enter("Cem")
    await teacher.begin("3 8 3 8")
    own, others = [(await pupil.load_page())["round"]["id"] for pupil in (bob, cem)]
    assert await bob.submit(round=others, answer="8/(3-8/3)") == 409
    for press in (f"h:{others}", f"s:{own}", f"s:{others}", f"cn:{own}", f"n:{own}", f"x:{own}"):
        assert await bob.submit(press=press) == 409, press
    for press in (DEAL_PRESS, SHOW_TODAY_PRESS, "st:daily", "st:learn", "fm:y", "pv:u", "ct:1"):
        assert await bob.submit(press=press) == 409, press
    solution = {"id": "A" * 22, "day": "2026-11-21", "answer": "8/(3-8/3)"}
    assert (await teacher.school.request("POST", "entry", bob.session, solution))[0] == 409
    for text in ("/play", "/solve 3 8 3 8", "/skip", "/forgetme"):
        await bob.answer(text)
    assert [cell["state"] for name in ("Bob", "Cem") for cell in await teacher.load_cells(name)] == [
        "open"
    ] * 2
    assert (await teacher.load_cells("Cem"))[0]["hints"] == 0
    assert await count_rounds(bot) == 2


async def test_teacher_moves_nobody_of_another_class(teacher: Teacher, bob: User) -> None:
    pupil = await teacher.enter("Cem")
    pupil_id = await teacher.find_id("Cem")
    other = await teacher.school.open_class(bob)
    for action, details in (("rename", {"name": "Eve"}), ("remove", {}), ("readmit", {})):
        refusal = await other.act(action, pupil_id=pupil_id, **details)
        assert refusal == "That pupil has left the class.", action
    await other.act("close")
    await other.act("delete")
    assert await teacher.load_names() == ["Cem"]
    assert (await pupil.load_page())["place"]["kind"] == "class"


DOORS = {"door", "join"}
TEACHERS = {"state", "events", "check", "lesson", "action", "report", "report.csv"}
BODIES: dict[str, dict[str, object]] = {
    "check": {"game": "24", "hands": "3 8 3 8"},
    "lesson": {
        "game": "24",
        "pace": "own",
        "level": "",
        "count": 0,
        "hands": "3 8 3 8",
        "seconds": 0,
        "due": 0,
    },
    "action": {"action": "lock", "is_on": False},
    "join": {"name": "Eve"},
}


async def request_with_key(school: School, name: str, method: str, key: str) -> int:
    """Return the status of a request to an endpoint, with the key where it belongs."""
    body = dict(BODIES.get(name, {}))
    if name in DOORS:
        body["link"] = key
    if name == "return":
        body["pupil"] = key
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    sent = body if method == "POST" else None
    url = f"{school.root}/class/{name}"
    async with school.http.request(method, url, headers=headers, json=sent) as response:
        return response.status


async def test_every_endpoint_needs_its_own_key(teacher: Teacher, bob: User) -> None:
    school, pupil = teacher.school, await teacher.enter("Cem")
    _, body = await school.request("GET", "class/state", teacher.key)
    keys = {
        "teacher": teacher.key,
        "projector": body["addresses"]["projector"].partition("#key=")[2],
        "join": teacher.link,
        "pupil": pupil.key,
        "session": pupil.session,
        "forged": ClassKeys(b"another secret").make_key(Purpose.TEACHER, 7),
        "changed": teacher.key[:-1] + ("A" if teacher.key[-1] != "A" else "B"),
        "code": teacher.code,
        "missing": "",
    }
    assert school.board._classroom is not None
    endpoints = [(name, method) for name, method, _ in school.board._classroom.list_endpoints()]
    assert {name for name, _ in endpoints} == {*DOORS, *TEACHERS, "wall", "return"}
    for name, method in endpoints:
        needed = {"wall": "projector", "return": "pupil", **dict.fromkeys(DOORS, "join")}.get(name, "teacher")
        statuses = {
            kind: await request_with_key(school, name, method, key)
            for kind, key in keys.items()
            if not (name in DOORS and not key)  # then it is a code
        }
        refused = Counter(status for kind, status in statuses.items() if kind != needed)
        assert statuses[needed] == 200, name
        assert set(refused) == ({404} if name in DOORS else {401}), (name, statuses)


async def test_every_endpoint_refuses_other_pages_and_methods(teacher: Teacher) -> None:
    school = teacher.school
    assert school.board._classroom is not None
    for name, method, _ in school.board._classroom.list_endpoints():
        url, headers = f"{school.root}/class/{name}", {"Authorization": f"Bearer {teacher.key}"}
        elsewhere = headers | {"Origin": "https://evil.example"}
        other_method = "GET" if method == "POST" else "POST"
        for sent, used, status in ((elsewhere, method, 403), (headers, other_method, 405)):
            async with school.http.request(used, url, headers=sent) as response:
                assert (response.status, response.headers["Cache-Control"]) == (status, "no-store"), name
                assert "Set-Cookie" not in response.headers


PLAN, ADD = BODIES["lesson"], {"action": "add"}
MALFORMED: dict[str, list[Any]] = {
    "action": [
        *([], {}, {"action": 1}, {"action": "dance"}, ADD | {"names": 1}, ADD | {"names": "Bob", "odd": 1}),
        ADD | {"names": "x" * 9000},
        *({"action": "remove", "pupil_id": number} for number in (0, -1, 2**60, "1", True)),
    ],
    "lesson": [
        *(PLAN | {"game": "yahtzee"}, PLAN | {"game": "?"}, PLAN | {"pace": ""}, PLAN | {"due": "now"}),
        *(PLAN | {"seconds": seconds} for seconds in (-1, 3601, 0.5)),
    ],
    "check": [{"game": game, "hands": "3 8 3 8"} for game in ("countdown", "?", 24)],
    "door": [{}, {"code": 1}, {"code": "x" * 999}, {"name": "Bob"}],
    "return": [{}, {"pupil": 7}],
}


@pytest.mark.parametrize("name", MALFORMED)
async def test_malformed_requests_are_refused(teacher: Teacher, name: str) -> None:
    for body in MALFORMED[name]:
        status, _ = await teacher.school.request("POST", f"class/{name}", teacher.key, body)
        assert status == 400, body
    assert await teacher.load_names() == []


async def test_deleted_class_opens_nothing(teacher: Teacher) -> None:
    _, body = await teacher.school.request("GET", "class/state", teacher.key)
    projector_key = body["addresses"]["projector"].partition("#key=")[2]
    pupil = await teacher.enter("Bob")
    await teacher.act("delete")
    statuses = [
        await request_with_key(teacher.school, name, method, key)
        for name, method, key in (
            ("state", "GET", teacher.key),
            ("wall", "GET", projector_key),
            ("door", "POST", teacher.link),
            ("return", "POST", pupil.key),
        )
    ]
    assert statuses == [401, 401, 404, 401]


@pytest.mark.long
@pytest.mark.exhaustive
async def test_codes_cannot_be_guessed(teacher: Teacher, clock: Clock) -> None:
    async def guess(number: int) -> int:
        path, body = ("door", {}) if number % 2 else ("join", {"name": "Eve"})
        knock = {"code": f"{number:06}", **body}
        return (await teacher.school.request("POST", f"class/{path}", body=knock))[0]

    statuses = Counter[int]()
    for start in range(0, 10_000, 50):
        statuses.update(await asyncio.gather(*map(guess, range(start, start + 50))))
    assert statuses == {404: WRONG_CODES.burst, 429: 10_000 - WRONG_CODES.burst}
    assert (await ask_door(teacher, code=teacher.code))[0] == 429, "else it would tell the right one"
    assert (await ask_door(teacher, link=teacher.link))[0] == 200, "whoever scanned it comes in"
    clock.advance(10)
    later = [(await ask_door(teacher, code="000000"))[0] for _ in range(20)]
    assert later == [404] * 10 + [429] * 10
    clock.advance(1)
    assert [(await ask_door(teacher, code=teacher.code))[0] for _ in range(20)] == [200] * 20


# Deletion

PUPIL, ANSWER, WRONG, LISTED = "Zwentibold", "8/(3-8/3)", "8*(3+3)-8*3", "Quirinius"


async def play_lesson(teacher: Teacher, **details: Any) -> Pupil:
    """Play a lesson whose names and answers can be searched for."""
    await teacher.act("add", names=LISTED)
    pupil = await teacher.enter(PUPIL)
    await teacher.begin("3 8 3 8", "6 6 6 6", **details)
    if "due" in details:
        await pupil.press("Begin: 2 hands")
    await pupil.answer(WRONG)
    await pupil.press("Hint")
    await pupil.answer(ANSWER)
    return pupil


async def find_traces(teacher: Teacher, bot: LiveBot) -> list[str]:
    """Return which name, answer and code is in any table of the database."""
    left = await dump_all_tables(bot)
    return [text for text in (PUPIL, LISTED, ANSWER, WRONG, teacher.code) if text in left]


async def test_class_is_deleted_a_day_after_its_last_lesson(
    teacher: Teacher, bot: LiveBot, clock: Clock, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.configure_logging("DEBUG", [])
    pupil = await play_lesson(teacher)
    clock.advance(2 * HOUR)
    await teacher.act("close lesson")
    clock.advance(DAY - 60)
    await bot.run_timers()
    assert await find_traces(teacher, bot) == [PUPIL, LISTED, ANSWER, WRONG, teacher.code]
    for _ in range(3):  # the hour of the deletion, and two to clean the file
        clock.advance(HOUR)
        await bot.run_timers()
    assert await find_traces(teacher, bot) == []
    assert (await teacher.school.request("POST", "open", body={"pupil": pupil.key}))[0] == 401
    logged = capsys.readouterr().err
    assert logged
    assert [
        text for text in (PUPIL, LISTED, ANSWER, WRONG, teacher.code, teacher.key) if text in logged
    ] == []
    if not ON_POSTGRESQL:
        files = b"".join(file.read_bytes() for file in database.parent.glob(f"{database.name}*"))
        assert [text for text in (PUPIL, LISTED, ANSWER, WRONG, teacher.code) if text.encode() in files] == []


async def test_homework_is_deleted_a_day_after_it_is_due(
    teacher: Teacher, bot: LiveBot, clock: Clock
) -> None:
    await play_lesson(teacher, pace="own", due=int(clock.now + 5 * DAY))
    clock.advance(6 * DAY - 60)
    await bot.run_timers()
    assert PUPIL in await find_traces(teacher, bot)
    clock.advance(HOUR)
    await bot.run_timers()
    assert await find_traces(teacher, bot) == []


async def test_kept_report_stays(teacher: Teacher, bot: LiveBot, clock: Clock) -> None:
    await play_lesson(teacher)
    await teacher.act("keep", is_on=True)
    clock.advance(40 * DAY)
    await bot.run_timers()
    assert [each["name"] for each in (await teacher.load_report())["pupils"]] == [LISTED, PUPIL]
    await teacher.act("keep", is_on=False)
    clock.advance(HOUR)
    await bot.run_timers()
    assert await find_traces(teacher, bot) == []


async def test_teacher_deletes_a_class_at_once(teacher: Teacher, bot: LiveBot) -> None:
    await play_lesson(teacher)
    await teacher.act("delete")
    assert await find_traces(teacher, bot) == []


async def test_classes_are_exported_and_deleted_with_their_teacher(
    teacher: Teacher, bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    other = await teacher.school.open_class(bob)
    await play_lesson(teacher)
    await bot.say(ann, world.chat_of(ann), "/export")
    (exported,) = json.loads(world.documents[-1])["classes"]
    assert exported["code"] == teacher.code
    assert PUPIL.encode() not in world.documents[-1]
    await bot.say(ann, world.chat_of(ann), "/forgetme")
    await world.answer_to(world.press(ann, world.posts(ann)[-1], 0))
    await bot.settle()
    assert await find_traces(teacher, bot) == []
    assert await find_traces(other, bot) == [other.code]
