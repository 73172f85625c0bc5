"""Hands played on the board, a web page, beside players in the chat."""

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import func, select
from starlette.exceptions import HTTPException

import solver
from bot.board import submissions
from bot.board.rules import Place
from bot.database import schema
from bot.formats import format_expression
from bot.modes.daily import queries as days
from bot.modes.daily.rules import Attempt
from bot.players import queries as people
from bot.queue.updates import encode_submission
from bot.rounds import queries as rounds
from bot.rounds.registry import GAMES
from bot.rounds.rules import State
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, OpenBot, RestartBot
from tests.stories.tapping import Page, make_person, open_page, read_state
from tests.telegram import Chat, Message, User, World

OFFLINE = "You have solved this hand offline. Well done! It counts for no streak and no ranking."


def list_methods_since(world: World, since: int) -> list[str]:
    """Return the methods called since then, except polls and membership checks."""
    return [
        r.method for r in world.record.requests[since:] if r.method not in ("getUpdates", "getChatMember")
    ]


async def test_board_and_chat_players_share_one_hand(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    cem = world.user("Cem")
    family = world.group("Family", ann, bob, cem)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    ann_page, bob_page, before = (
        open_page(bot, ann, family),
        open_page(bot, bob, family),
        len(world.record.requests),
    )
    state = await ann_page.read_state()
    assert state["round"] | {"deadline": 0} == {
        "id": 1,
        "game": "",
        "kind": "first",
        "state": "open",
        "target": "24",
        "uses_all": True,
        "numbers": ["3", "8", "3", "8"],
        "labels": ["3", "8", "3", "8"],
        "whole_numbers_only": False,
        "accepts_near": False,
        "suits": ["♠", "♥", "♦", "♣"],
        "about": "4 of 10 people find it · 5 points",
        "hints": [],
        "worth": "now worth 5 points",
        "is_hint_costly": True,
        "hurry": "",
        "race_hand": "",
        "run": None,
        "last_result": None,
        "race_end": "",
        "deadline": 0,
        "entry_value": "",
        "best_solution": "",
    }
    await ann_page.answer("3*8+3-8")
    assert [(w.text, w.is_right) for w in await ann_page.read_replies()] == [("3×8+3−8 = 19, not 24.", False)]
    assert list_methods_since(world, before) == []
    await bot.say(cem, family, "3*8+3+8", reply_to=deal)
    clock.advance(7)
    press = await bob_page.answer("8/(3-8/3)")
    word = (await bob_page.read_replies())[-1]
    assert (word.press_id, word.text, word.is_right) == (press, "", True)
    assert "🏆 \u2068Bob\u2069: 8÷(3−8÷3) = 24" in deal.text.splitlines()
    page_state, own = await ann_page.read_state(), await bob_page.read_state()
    winner = {"name": "Bob", "you": False, "answer": "8/(3-8/3)", "earned": "+6 points"}
    assert page_state["winner"] == winner
    assert own["winner"]["you"]
    assert page_state["round"]["state"] == "over"
    people = [(p["name"], p["status"], p["points"]) for p in page_state["people"]]
    assert people == [("Bob", "done", 6), ("Ann", "tried", None), ("Cem", "tried", None)]
    late = await bot.say(cem, family, "8/(3-8/3)", reply_to=deal)
    assert late.reactions
    await ann_page.answer("8/(3-8/3)", round_id=page_state["round"]["id"])
    assert (await ann_page.read_replies())[-1].text == "Right, but the hand was over. Well found!"


async def test_repeated_tap_counts_once(bot: LiveBot, ann: User, bob: User, family: Chat) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    bob_page = open_page(bot, bob, family)
    for _ in range(2):
        await bob_page.answer("3*8+3-8", press_id="a" * 22)
    await open_page(bot, ann, family).answer("3*8+3-8", press_id="a" * 22)
    assert len(await bob_page.read_replies()) == 1


async def test_telegram_update_cannot_pass_for_a_tap(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    """An update with the id and the content of a submission is no press of anybody."""
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    press = open_page(bot, bob, family).make_submission("f" * 22, button="s:1")
    forged = json.loads(encode_submission(press)) | {"update_id": press.update_id}
    await bot.service.inbox.accept([forged, forged | {"update_id": 8}])
    await bot.settle()
    assert "Give up" in "".join(deal.labels)
    assert await open_page(bot, bob, family).read_replies() == []


async def test_board_buttons_work_like_chat_buttons(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    ann_page, bob_page = open_page(bot, ann, family), open_page(bot, bob, family)
    await bob_page.press("Hint")
    assert "💡 The last step is ÷." in deal.text
    assert (await ann_page.read_state())["round"]["hints"] == ["The last step is ÷."]
    await bob_page.answer("3*8+3-8")
    await ann_page.press("Give up")
    assert (await ann_page.read_replies())[-1].text == "1 of 2 agree: 1 more needed."
    await bob_page.press("Give up")
    assert (await ann_page.read_state())["round"]["state"] == "over"
    await ann_page.press("Next hand")
    assert (await bob_page.read_state())["round"]["id"] == 2


async def test_answer_to_previous_hand_does_not_count_against_next(
    bot: LiveBot, ann: User, bob: User, family: Chat
) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    bob_page = open_page(bot, bob, family)
    await open_page(bot, ann, family).answer("8/(3-8/3)")
    await bot.deal(ann, family, 1, 2, 3, 4)
    await bob_page.answer("3*8+3-8", round_id=1)
    await bob_page.answer("8/(3-8/3)", round_id=1)
    assert [w.is_right for w in await bob_page.read_replies()][-1] is None
    assert not any(p["name"] == "Bob" for p in (await bob_page.read_state())["people"])


async def test_answer_to_long_finished_hand_is_refused(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    await open_page(bot, ann, family).answer("8/(3-8/3)")
    clock.advance(200)
    await bot.deal(ann, family, 1, 2, 3, 4)
    bob_page = open_page(bot, bob, family)
    for answer in ("8/(3-8/3)", "3*8+3-8", "1*2*3*4"):
        await bob_page.answer(answer, round_id=1)
        word = (await bob_page.read_replies())[-1]
        assert (word.text, word.is_right) == ("That hand is over.", None)
    assert (await bob_page.read_state())["round"]["state"] == "open"


async def test_countdown_entry_stays_secret_until_the_end(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/countdown@{world.bot.username}")
    ann_page, bob_page = open_page(bot, ann, family), open_page(bot, bob, family)
    dealt = (await ann_page.read_state())["round"]
    assert (dealt["kind"], dealt["whole_numbers_only"], dealt["accepts_near"], dealt["uses_all"]) == (
        "best",
        True,
        True,
        False,
    )
    near = await load_best_answer(bot, dealt["id"])
    await bob_page.answer(near)
    word = (await bob_page.read_replies())[-1]
    assert word.is_right
    assert format_expression(near) in word.text
    page_state, own = await ann_page.read_state(), await bob_page.read_state()
    assert (page_state["round"]["entry_value"], bool(own["round"]["entry_value"])) == ("", True)
    assert [(p["name"], p["activity"]) for p in page_state["people"]] == [("Bob", "handed in")]
    assert near not in str(page_state)
    clock.advance(90)
    await bot.run_timers()
    over = await ann_page.read_state()
    value = str(solver.parse(near).value)
    assert (over["winner"]["name"], over["winner"]["answer"], over["winner"]["value"]) == ("Bob", near, value)


async def load_best_answer(bot: LiveBot, round_id: int) -> str:
    """Return a best answer to the round, as the bot writes it."""
    round = await bot.services.store.read(lambda tx: rounds.load_round(tx, round_id))
    assert round
    return str(GAMES[round.game].solutions(round.puzzle)[0])


async def test_card_is_playable_without_a_private_chat(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/yahtzee@{world.bot.username}")
    bob_page, ann_page, before = (
        open_page(bot, bob, family),
        open_page(bot, ann, family),
        len(world.record.requests),
    )
    await bob_page.press("Play")
    card = (await bob_page.read_state())["card"]
    assert (card["turn"], card["turns"], len(card["dice"]), len(card["rows"])) == (0, 13, 5, 13)
    assert "Play" not in str((await bob_page.read_state())["buttons"])
    assert (await ann_page.read_state())["card"] is None
    for turn in range(13):
        rows = (await bob_page.read_state())["card"]["rows"]
        free = next(row for row in rows if row["press"])
        assert free["press"].split(":")[2] == str(turn)
        await bob_page.press_data(free["press"])
        assert (await bob_page.read_replies())[-1].text == f"{free['name']} {free['preview']}"
        await bob_page.press_data(free["press"])
    full = (await bob_page.read_state())["card"]
    assert (full["turn"], full["dice"], {row["press"] for row in full["rows"]}) == (13, [], {None})
    assert full["total"] == sum(row["score"] for row in full["rows"]) + full["bonus"]
    assert "sendMessage" not in list_methods_since(world, before)
    await ann_page.press_data(free["press"])
    assert (await ann_page.read_state())["card"] is None


async def test_contest_can_be_ended_on_boards_alone(bot: LiveBot, world: World, ann: User, bob: User) -> None:
    cem, dee = world.user("Cem"), world.user("Dee")
    family = world.group("Family", ann, bob, cem, dee)
    await bot.say(bob, family, f"/yahtzee@{world.bot.username}")
    ann_page, bob_page, cem_page, dee_page = (open_page(bot, who, family) for who in (ann, bob, cem, dee))
    for each in (dee_page, cem_page):
        await each.press("Play")
    for _ in range(13):
        await cem_page.press_data(
            next(row["press"] for row in (await cem_page.read_state())["card"]["rows"] if row["press"])
        )
    assert "End" in json.dumps((await bob_page.read_state())["buttons"]), "who dealt it may end it"
    assert "End" not in json.dumps((await ann_page.read_state())["buttons"]), "whose vote is by /stop alone"
    for each in (cem_page, cem_page, dee_page):
        await each.press("🏁 End")
    assert (await dee_page.read_replies())[-1].text.startswith("Press once more to end it for all")
    await dee_page.press("🏁 End")
    assert (await ann_page.read_state())["round"]["state"] == "over"


async def test_result_of_hand_beside_contest_is_shown(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/yahtzee@{world.bot.username}")
    ann_page, bob_page = open_page(bot, ann, family), open_page(bot, bob, family)
    await bob_page.press("Play")
    assert (await bob_page.read_state())["beside"] is None
    clock.advance(60)
    bot.rig(3, 8, 3, 8)
    await bob_page.press("Deal a hand")
    dealt = await bob_page.read_state()
    assert (dealt["round"]["game"], dealt["beside"]["round"]["game"]) == ("", "Yahtzee")
    assert (dealt["card"], dealt["beside"]["card"]["turn"]) == (None, 0)
    row = next(row for row in dealt["beside"]["card"]["rows"] if row["press"])
    await bob_page.press_data(row["press"])
    assert (await bob_page.read_state())["beside"]["card"]["turn"] == 1
    watched = Place(family.id, 0, dealt["round"]["id"], watch_only=True)
    clock.advance(9)
    await ann_page.answer("8/(3-8/3)", round_id=dealt["round"]["id"])
    page_state, own = await bob_page.read_state(), await ann_page.read_state()
    assert (page_state["round"]["game"], page_state["card"]["turn"]) == ("Yahtzee", 1)
    over = page_state["beside"]
    assert (over["round"]["id"], over["round"]["state"]) == (dealt["round"]["id"], "over")
    assert (over["winner"]["name"], over["winner"]["answer"]) == ("Ann", "8/(3-8/3)")
    assert own["beside"]["winner"]["you"]
    assert "Next hand" in json.dumps(over["buttons"])
    assert "Deal a hand" in json.dumps(page_state["buttons"])
    looked = await read_state(bot, watched, None)
    assert (looked["round"]["state"], looked["beside"]) == ("over", None)
    who, ended = make_person(ann), dealt["round"]["id"]
    result = await bot.services.store.read(
        lambda tx: submissions.build_shared_result(tx, Place(family.id), who, "en", ann_page.now, ended)
    )
    assert result
    assert "🏆 \u2068Ann\u2069" in result["input_message_content"]["message_text"]
    bot.rig(1, 2, 3, 4)
    await bob_page.press_data(f"n:{ended}")
    assert (await bob_page.read_state())["round"]["numbers"] == ["1", "2", "3", "4"]


async def test_board_of_contest_shows_hand_beside_it(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    await open_page(bot, ann, family).answer("8/(3-8/3)")
    clock.advance(60)
    await bot.say(ann, family, f"/yahtzee@{world.bot.username}")
    clock.advance(60)
    bob_page = open_page(bot, bob, family, round_id=2)
    assert (await bob_page.read_state())["beside"] is None, "that hand was over before it began"
    bot.rig(1, 2, 3, 4)
    await bob_page.press("Deal a hand")
    page_state = await bob_page.read_state()
    assert (page_state["round"]["game"], page_state["beside"]["round"]["numbers"]) == (
        "Yahtzee",
        ["1", "2", "3", "4"],
    )
    assert "Deal a hand" not in json.dumps(page_state)
    clock.advance(9)
    await bob_page.answer("1*2*3*4", round_id=page_state["beside"]["round"]["id"])
    assert (await bob_page.read_state())["beside"]["winner"]["you"]


async def test_end_of_race_shows_score_and_last_hand(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/race@{world.bot.username} 3")
    ann_page, bob_page = open_page(bot, ann, family), open_page(bot, bob, family)
    for each in (bob_page, bob_page, ann_page):
        on = (await each.read_state())["round"]["id"]
        answer = await load_best_answer(bot, on)
        await each.answer(answer, round_id=on)
    own, page_state = await bob_page.read_state(), await ann_page.read_state()
    points = {p["name"]: p["points"] for p in own["people"]}
    score = f"{points['Bob']} to {points['Ann']}"
    assert own["round"]["race_end"] == f"You won the race, {score}."
    assert page_state["round"]["race_end"] == f"\u2068Bob\u2069 won the race, {score}."
    assert own["round"]["last_result"] == {
        "name": "Ann",
        "you": False,
        "text": "",
        "answer": f"{format_expression(answer)} = 24",
    }
    assert [p["activity"] for p in own["people"]] == ["", ""]


async def test_end_of_duel_shows_score(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await win_duel(bot, world, ann, bob, family)
    end, other_end = [
        (await open_page(bot, user, family).read_state())["round"]["race_end"] for user in (ann, bob)
    ]
    assert end == "You won the duel, 3 to 0."
    assert other_end == "\u2068Ann\u2069 wins the duel against \u2068Bob\u2069, 3:0!"


async def win_duel(bot: LiveBot, world: World, ann: User, bob: User, family: Chat) -> Message:
    """Let Ann win a duel against Bob; return its message."""
    await bot.say(ann, family, f"/duel@{world.bot.username}")
    duel = world.posts(family)[-1]
    world.press(bob, duel, "Accept")
    await bot.settle()
    ann_page = open_page(bot, ann, family)
    for _ in range(3):
        on = (await ann_page.read_state())["round"]["id"]
        await ann_page.answer(await load_best_answer(bot, on), round_id=on)
    return duel


def list_labels(state: dict[str, Any]) -> list[str]:
    """Return the labels of all buttons of a page."""
    return [button["label"] for row in state["buttons"] for button in row]


CHALLENGED = "⚔️ \u2068Ann\u2069 challenges \u2068Bob\u2069!"


async def test_rematch_is_offered_and_accepted_on_boards(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    cem = world.user("Cem")
    family = world.group("Family", ann, bob, cem)
    await win_duel(bot, world, ann, bob, family)
    ann_page, bob_page, cem_page = (open_page(bot, who, family) for who in (ann, bob, cem))
    assert list_labels(await ann_page.read_state()) == ["Rematch"]
    assert list_labels(await cem_page.read_state()) == [], "it is for the two who duelled"
    await ann_page.press("Rematch")
    assert (await ann_page.read_replies())[-1].text == "Challenge sent. It waits for five minutes."
    own, theirs, others = [await each.read_state() for each in (ann_page, bob_page, cem_page)]
    assert (own["notice"], list_labels(own)) == (CHALLENGED, ["Rematch", "Withdraw the challenge"])
    assert (theirs["notice"], list_labels(theirs)) == (CHALLENGED, ["Rematch", "Accept", "No, thanks"])
    assert (others["notice"], list_labels(others)) == ("", [])
    await bob_page.press("Accept")
    duel = await bob_page.read_state()
    assert (duel["round"]["state"], duel["round"]["race_hand"]) == ("open", "Hand 1 of 5")
    assert (duel["notice"], list_labels(duel)) == ("", ["Give up"])
    assert "Accept" not in world.posts(family)[-1].labels


async def test_board_names_the_duellists_to_others(bot: LiveBot, world: World, ann: User, bob: User) -> None:
    cem = world.user("Cem")
    family = world.group("Family", ann, bob, cem)
    await bot.say(ann, family, f"/duel@{world.bot.username}")
    world.press(bob, world.posts(family)[-1], "Accept")
    await bot.settle()
    notice = "This is \u2068Ann\u2069 and \u2068Bob\u2069’s duel: a right answer of yours gives no points."
    theirs = await open_page(bot, cem, family).read_state()
    assert (theirs["notice"], list_labels(theirs)) == (notice, [])
    for each in (ann, bob):
        own = await open_page(bot, each, family).read_state()
        assert (own["notice"], list_labels(own)) == ("", ["Give up"])
    await bot.say(cem, family, f"/stop@{world.bot.username}")
    offered = list_labels(await open_page(bot, cem, family).read_state())
    assert offered == ["End 1/2"], "everybody has a say in that"


@pytest.mark.parametrize(("who", "label"), [("bob", "No, thanks"), ("ann", "Withdraw the challenge")])
async def test_challenge_is_declined_or_withdrawn_on_board(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, who: str, label: str
) -> None:
    await win_duel(bot, world, ann, bob, family)
    pages = {"ann": open_page(bot, ann, family), "bob": open_page(bot, bob, family)}
    await pages["ann"].press("Rematch")
    challenge = world.posts(family)[-1]
    assert challenge.labels == ["Accept", "No, thanks"]
    await pages[who].press(label)
    assert not challenge.labels
    assert "duel just now" in challenge.text or "withdrawn the challenge" in challenge.text
    for each in pages.values():
        assert ((await each.read_state())["notice"], list_labels(await each.read_state())) == (
            "",
            ["Rematch"],
        )


async def test_boards_drop_declined_or_expired_challenge(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await win_duel(bot, world, ann, bob, family)
    ann_page, bob_page = open_page(bot, ann, family), open_page(bot, bob, family)
    changes = bot.service.changes.subscribe([family.id])
    for ends in ("turned down", "lapses"):
        await ann_page.press("Rematch")
        challenge = world.posts(family)[-1]
        assert "Accept" in list_labels(await bob_page.read_state())
        await asyncio.wait_for(changes.wait(), 60)
        if ends == "lapses":
            clock.advance(301)
            await bot.run_timers()
        else:
            world.press(bob, challenge, "No, thanks")
            await bot.settle()
        await asyncio.wait_for(changes.wait(), 60)
        assert list_labels(await bob_page.read_state()) == ["Rematch"]
    changes.close()


async def test_expired_challenge_cannot_be_accepted(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await win_duel(bot, world, ann, bob, family)
    await open_page(bot, ann, family).press("Rematch")
    bob_page, posted = open_page(bot, bob, family), len(world.posts(family))
    assert "Accept" in list_labels(await bob_page.read_state())
    clock.advance(301)
    await bob_page.press("Accept")
    world.press(bob, world.posts(family)[-1], "Accept")
    await bot.settle()
    assert len(world.posts(family)) == posted


async def test_open_challenge_is_offered_to_all_but_the_challenger(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/duel@{world.bot.username}")
    ann_page, bob_page = open_page(bot, ann, family), open_page(bot, bob, family)
    notice = "⚔️ \u2068Ann\u2069 challenges whoever dares!"
    own, theirs = await ann_page.read_state(), await bob_page.read_state()
    assert (own["notice"], list_labels(own)) == (notice, ["Withdraw the challenge", "Deal a hand"])
    assert (theirs["notice"], list_labels(theirs)) == (notice, ["Accept", "Deal a hand"])
    await bob_page.press("Accept")
    assert (await bob_page.read_state())["round"]["race_hand"] == "Hand 1 of 5"


async def test_card_is_played_on_board_and_in_chat(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/yahtzee@{world.bot.username}")
    world.start(ann)
    await bot.settle()
    ann_page = open_page(bot, ann, family)
    await ann_page.press("Play")
    card = world.posts(world.chat_of(ann))[-1]
    await ann_page.press_data((await ann_page.read_state())["card"]["rows"][6]["press"])
    assert "Roll 2 of 13" in card.text
    world.press(ann, card, next(label for label in card.labels if label.startswith("Ones")))
    await bot.settle()
    assert (await ann_page.read_state())["card"]["turn"] == 2


async def test_private_hand_is_answered_on_board(bot: LiveBot, world: World, ann: User) -> None:
    world.start(ann)
    await bot.settle()
    alone = world.chat_of(ann)
    deal = await bot.deal(ann, alone, 3, 8, 3, 8)
    ann_page = open_page(bot, ann, alone)
    await ann_page.answer("3*8+3-8", round_id=1)
    await ann_page.answer("8/(3-8/3)", round_id=1)
    assert [w.is_right for w in await ann_page.read_replies()] == [False, True]
    assert "🏆" in deal.text


async def test_daily_hand_appears_on_board_once_opened(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    world.start(ann)
    await bot.settle()
    alone = world.chat_of(ann)
    ann_page = open_page(bot, ann, alone)
    assert (await ann_page.read_state())["day"] is None
    await ann_page.press("Solve today’s hand")
    today = (await ann_page.read_state())["day"]
    assert today
    assert not today["is_done"]
    assert "Solve today’s hand" not in str((await ann_page.read_state())["buttons"])
    posts = len(world.posts(alone))
    clock.advance(30)
    hand = await bot.services.store.read(lambda tx: days.load_hand(tx, today["day"]))
    assert hand
    answer = hand.puzzle.ideas[0]  # type: ignore[attr-defined]
    assert answer not in str(await ann_page.read_state())
    wrong, right = (
        await ann_page.send_offline_solution(today["day"], "1+1"),
        await ann_page.send_offline_solution(today["day"], answer),
    )
    assert wrong == "That is not right. The hand of 21 Nov is still yours to solve."
    solved = "Right! The hand of 21 Nov, solved offline at 21 Nov, 12:00 UTC by your clock: no points."
    assert right == solved
    assert (await ann_page.read_state())["day"]["is_done"]
    assert (await ann_page.send_offline_solution(today["day"], answer)).startswith(
        "You have solved that day’s hand offline"
    )
    await bot.say(ann, alone, answer)
    assert len(world.posts(alone)) == posts + 1
    assert world.posts(alone)[-1].text == OFFLINE
    assert await ann_page.send_offline_solution("2026-11-20", answer) == "There is no such hand."
    clock.advance(4 * 86_400)
    assert await ann_page.send_offline_solution(today["day"], answer) == "That day’s hand is over."


async def test_daily_hand_solved_offline_is_over_and_scores_nothing(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    bot.rig(3, 8, 3, 8)
    alone = world.chat_of(ann)
    world.start(ann)
    await bot.settle()
    await bot.say(ann, family, f"/daily@{world.bot.username}")
    table = world.posts(family)[-1]
    world.start(ann, str(table.button(0)["url"]).partition("start=")[2])
    await bot.settle()
    above = world.posts(alone)[-1]
    await bot.say(ann, alone, "/daily")
    hers = world.posts(alone)[-1]
    assert "1 player is still at it." in table.text
    ann_page = open_page(bot, ann, alone)
    day = (await ann_page.read_state())["day"]["day"]
    assert (await ann_page.send_offline_solution(day, "8/(3-8/3)")).startswith("Right!")
    wrong, right = "3*8+3-8", "8/(3-8/3)"
    for text, to in ((right, None), (wrong, None), (right, hers), (wrong, hers), ("/hint", hers)):
        posts = len(world.posts(alone))
        message = await bot.say(ann, alone, text, reply_to=to)
        assert [post.text for post in world.posts(alone)[posts:]] == [OFFLINE], text
        assert not message.reactions, text
    await bot.say(ann, alone, "/daily")
    result = world.posts(alone)[-1]
    assert result.text.splitlines()[1:4] == ["3 8 3 8 → 24", "8÷(3−8÷3) = 24", OFFLINE]
    assert table.text.splitlines()[1:] == ["\u2068Ann\u2069 · solved offline"]
    assert hers.text == result.text
    assert await world.answer_to(world.press(ann, above, "Give up")) == OFFLINE
    await bot.settle()
    assert above.text == result.text

    def count_rows(tx: Any) -> list[int]:
        tables = (schema.awards, schema.ratings, schema.achievements)
        return [tx.scalar(select(func.count()).select_from(table)) for table in tables]

    assert await bot.services.store.read(count_rows) == [0, 0, 0]
    attempt = await bot.services.store.read(lambda tx: days.load_attempt(tx, day, ann.id))
    assert attempt
    assert (attempt.state, attempt.wrong_answers, attempt.hints_shown) == (State.VOID, 0, 0)


@pytest.mark.parametrize("pictures", [True, False])
async def test_daily_message_says_solved_offline(
    bot: LiveBot, world: World, ann: User, pictures: bool
) -> None:
    bot.rig(3, 8, 3, 8)
    alone = world.chat_of(ann)
    world.start(ann)
    await bot.settle()
    await bot.services.store.write(lambda tx: people.load_or_insert_chat(tx, alone.id, "private"))
    await bot.services.store.write(lambda tx: people.store_language(tx, alone.id, "es"))
    await bot.say(ann, alone, "/daily")
    hers, posts = world.posts(alone)[-1], len(world.posts(alone))
    assert hers.is_photo == pictures
    assert hers.labels == ["Pista", "Rendirse"]
    ann_page = open_page(bot, ann, alone)
    day = (await ann_page.read_state())["day"]["day"]
    await ann_page.send_offline_solution(day, "3*8+3-8")
    await bot.service.wait_until_idle()
    assert hers.labels == ["Pista", "Rendirse"]
    assert (await ann_page.send_offline_solution(day, "8/(3-8/3)")).startswith("Right!")
    await bot.service.wait_until_idle()
    assert "8÷(3−8÷3) = 24" in hers.text
    assert "sin conexión" in hers.text
    assert not hers.labels
    assert len(world.posts(alone)) == posts


async def open_daily_hand(bot: LiveBot, world: World, ann: User, family: Chat) -> tuple[Message, Page, str]:
    """Open the daily hand by the group's table; return the table, the private board and the day."""
    bot.rig(3, 8, 3, 8)
    world.start(ann)
    await bot.settle()
    await bot.say(ann, family, f"/daily@{world.bot.username}")
    table = world.posts(family)[-1]
    world.start(ann, str(table.button(0)["url"]).partition("start=")[2])
    await bot.settle()
    ann_page = open_page(bot, ann, world.chat_of(ann))
    day = (await ann_page.read_state())["day"]["day"]
    return table, ann_page, day


async def test_group_table_lists_offline_solver(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    table, ann_page, day = await open_daily_hand(bot, world, ann, family)
    assert "1 player is still at it." in table.text
    assert (await ann_page.send_offline_solution(day, "3*8+3-8")).startswith("That is not right.")
    assert (await ann_page.send_offline_solution(day, "8/(3-8/3)")).startswith("Right!")
    await bot.service.wait_until_idle()
    assert table.text.splitlines()[1:] == ["\u2068Ann\u2069 · solved offline"]
    assert table.button(0)["text"] == "Solve today’s hand"
    edits = len(table.edits)
    clock.advance(61)
    await bot.run_timers()
    assert len(table.edits) == edits


async def test_expired_group_table_gets_no_button_back(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    table, ann_page, day = await open_daily_hand(bot, world, ann, family)
    clock.advance(2.4 * 86_400)
    await bot.run_timers()
    assert "1 player" not in table.text
    assert not table.labels
    assert (await ann_page.send_offline_solution(day, "8/(3-8/3)")).startswith("Right!")
    await bot.service.wait_until_idle()
    assert table.text.splitlines()[1:] == ["\u2068Ann\u2069 · solved offline"]
    assert not table.labels


async def test_daily_hand_solved_in_chat_is_done_on_board(bot: LiveBot, world: World, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    world.start(ann)
    await bot.say(ann, world.chat_of(ann), "/daily")
    ann_page = open_page(bot, ann, world.chat_of(ann))
    day = (await ann_page.read_state())["day"]["day"]
    await ann_page.answer("8/(3-8/3)")
    assert (await ann_page.read_replies())[-1].is_right
    assert "Solved in" in world.posts(world.chat_of(ann))[-1].text
    assert await ann_page.send_offline_solution(day, "8/(3-8/3)") == "You have done that day’s hand already."


async def test_daily_hand_is_solved_on_group_board(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    table, alone, day = await open_daily_hand(bot, world, ann, family)
    chat, ann_page = world.chat_of(ann), open_page(bot, ann, family)
    assert (await ann_page.read_state())["day"]["day"] == day
    posts = len(world.posts(chat))
    wrong = await ann_page.answer_daily(day, "3*8+3-8")
    word = (await ann_page.read_replies())[-1]
    assert (word.press_id, word.text, word.is_right) == (wrong, "3×8+3−8 = 19, not 24.", False)
    assert len(world.posts(chat)) == posts, "the reply to a tap appears on its page only"
    clock.advance(30)
    right = await ann_page.answer_daily(day, "8/(3-8/3)")
    word = (await ann_page.read_replies())[-1]
    assert (word.press_id, word.text, word.is_right) == (
        right,
        "Solved in 30 s.\nYour streak: 1 day",
        True,
    )
    (result,) = world.posts(chat)[posts:]
    assert "8÷(3−8÷3) = 24" in result.text
    assert "Solved in 30 s." in result.text.splitlines()
    assert table.text.splitlines()[1:] == ["1. \u2068Ann\u2069 · 🟥🟩 ⏱ 30 s 🔥 1"]
    assert "8÷(3−8÷3)" not in table.text
    for state in (await ann_page.read_state(), await alone.read_state()):
        assert state["day"]["is_done"]
    attempt = await load_attempt(bot, day, ann)
    assert attempt
    assert (attempt.state, attempt.seconds, attempt.wrong_answers) == (State.WON, 30, 1)
    await ann_page.answer_daily(day, "8/(3-8/3)")
    assert (await ann_page.read_replies())[
        -1
    ].text == "You have solved that hand already. /daily has today’s."
    assert await ann_page.send_offline_solution(day, "8/(3-8/3)") == "You have done that day’s hand already."
    assert world.posts(chat)[posts:] == [result]
    assert await load_attempt(bot, day, ann) == attempt


async def test_repeated_tap_at_daily_hand_counts_once(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    _, ann_page, day = await open_daily_hand(bot, world, ann, family)
    world.start(bob)
    await bot.say(bob, world.chat_of(bob), "/daily")
    bob_page = open_page(bot, bob, family)
    for each in (ann_page, ann_page, bob_page):
        await each.answer_daily(day, "3*8+3-8", press_id="a" * 22)
    for each in (ann_page, bob_page):
        attempt = await load_attempt(bot, day, each.user)
        assert attempt
        assert (attempt.wrong_answers, len(await each.read_replies())) == (1, 1)


async def test_daily_tap_is_neither_other_answer_nor_command(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    _, ann_page, day = await open_daily_hand(bot, world, ann, family)
    await bot.deal(ann, world.chat_of(ann), 1, 2, 3, 4)
    await bot.settle()
    posts = len(world.posts(world.chat_of(ann)))
    for wrong, text in enumerate(("1*2*3*4", "/forgetme"), 1):
        await ann_page.answer_daily(day, text)
        assert [w.is_right for w in await ann_page.read_replies()] == [False] * wrong
    assert (await ann_page.read_state())["round"]["state"] == "open"
    assert [post.text for post in world.posts(world.chat_of(ann))[posts:]] == []
    assert await load_attempt(bot, day, ann)


async def test_tapped_answer_precedes_offline_solution(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    """The page sends the offline solution again and then learns that the hand is done."""
    _, ann_page, day = await open_daily_hand(bot, world, ann, family)
    await ann_page.answer_daily(day, "8/(3-8/3)", settle=False)
    with suppress(HTTPException):
        assert (
            await ann_page.send_offline_solution(day, "8/(3-8/3)") == "You have done that day’s hand already."
        )
    await bot.settle()
    assert await ann_page.send_offline_solution(day, "8/(3-8/3)") == "You have done that day’s hand already."
    attempt = await load_attempt(bot, day, ann)
    assert attempt
    assert attempt.state is State.WON


async def test_offline_solution_waits_for_stored_answer(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    _, ann_page, day = await open_daily_hand(bot, world, ann, family)
    submission = ann_page.make_submission("p" * 22, day=day, answer="8/(3-8/3)")
    body = encode_submission(submission)
    row = {"update_id": submission.update_id, "lane": ann.id, "body": body, "state": "waiting"}
    waits = schema.inbox.insert().values(row | {"at": ann_page.now})
    await bot.services.store.write(lambda tx: tx.execute(waits))
    with pytest.raises(HTTPException) as refusal:
        await ann_page.send_offline_solution(day, "8/(3-8/3)")
    assert (refusal.value.status_code, refusal.value.headers) == (503, {"Retry-After": "1"})
    gone = schema.inbox.delete().where(schema.inbox.c.update_id == submission.update_id)
    await bot.services.store.write(lambda tx: tx.execute(gone))
    assert (await ann_page.send_offline_solution(day, "8/(3-8/3)")).startswith(
        "Right! The hand of 21 Nov, solved offline"
    )


async def test_daily_hand_can_be_tapped_until_its_24_hours_end(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    _, ann_page, day = await open_daily_hand(bot, world, ann, family)
    world.start(bob)
    clock.advance(3600)
    await bot.say(bob, world.chat_of(bob), "/daily")
    clock.advance(86_400 - 1800)
    bob_page = open_page(bot, bob, world.chat_of(bob))
    assert (await ann_page.read_state())["day"] is None, "her time has run out"
    assert (await bob_page.read_state())["day"]["day"] == day, "another day has begun, and his time runs"
    assert "Solve today’s hand" in str((await bob_page.read_state())["buttons"])
    for each in (ann_page, bob_page):
        await each.answer_daily(day, "8/(3-8/3)")
    late = "That hand’s 24 hours are over, so this counts neither way. /daily has today’s."
    assert [(w.text, w.is_right) for w in await ann_page.read_replies()] == [(late, None)]
    assert [w.is_right for w in await bob_page.read_replies()] == [True]
    mine, his = await load_attempt(bot, day, ann), await load_attempt(bot, day, bob)
    assert mine
    assert his
    assert (mine.state, mine.wrong_answers, his.state) == (State.OPEN, 0, State.WON)
    assert [(await each.read_state())["finished_days"] for each in (ann_page, bob_page)] == [[], [day]]


async def test_daily_tap_without_attempt_is_refused(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    _, ann_page, day = await open_daily_hand(bot, world, ann, family)
    for each, of_day in (
        (open_page(bot, bob, family), day),
        (ann_page, "2026-11-20"),
        (ann_page, "2026-11-22"),
    ):
        with pytest.raises(HTTPException) as refusal:
            await each.answer_daily(of_day, "8/(3-8/3)")
        assert refusal.value.status_code == 409
        assert await each.read_replies() == []
    attempt = await load_attempt(bot, day, ann)
    assert attempt
    assert (attempt.state, attempt.wrong_answers) == (State.OPEN, 0)
    assert await load_attempt(bot, day, bob) is None


async def load_attempt(bot: LiveBot, day: str, user: User) -> Attempt | None:
    return await bot.services.store.read(lambda tx: days.load_attempt(tx, day, user.id))


async def test_offline_solution_without_attempt_reveals_nothing(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    for user in (ann, bob):
        world.start(user)
    await bot.settle()
    ann_page, bob_page = open_page(bot, ann, world.chat_of(ann)), open_page(bot, bob, world.chat_of(bob))
    await ann_page.press("Solve today’s hand")
    day = (await ann_page.read_state())["day"]["day"]
    hand = await bot.services.store.read(lambda tx: days.load_hand(tx, day))
    assert hand
    replies = {await bob_page.send_offline_solution(day, answer) for answer in ("1+1", hand.puzzle.ideas[0])}  # type: ignore[attr-defined]
    assert replies == {"You were never dealt that hand, so its answer can’t count. /daily has today’s."}


async def test_first_hand_is_dealt_on_private_board(bot: LiveBot, world: World, ann: User) -> None:
    world.start(ann)
    await bot.settle()
    ann_page = open_page(bot, ann, world.chat_of(ann))
    assert (await ann_page.read_state())["round"] is None
    await ann_page.press("Deal a hand")
    state = await ann_page.read_state()
    assert state["round"]["state"] == "open"
    assert "Deal a hand" not in json.dumps(state["buttons"])


async def test_first_hand_is_dealt_on_group_board(bot: LiveBot, bob: User, family: Chat) -> None:
    bob_page = open_page(bot, bob, family)
    await bob_page.press("Deal a hand")
    assert (await bob_page.read_state())["round"]["state"] == "open"


async def test_a_tab_of_the_page_deals_its_game(bot: LiveBot, ann: User, family: Chat) -> None:
    ann_page = open_page(bot, ann, family)
    await ann_page.press_data("st:play:countdown")
    state = await ann_page.read_state()
    assert (state["round"]["game"], state["round"]["state"]) == ("Countdown", "open")
    assert [tab["press"] for tab in state["games"]] == [None, None, "st:play:yahtzee"]
    await ann_page.press_data("st:play:yahtzee")
    assert (await ann_page.read_state())["beside"]["round"]["game"] == "Yahtzee"


async def test_watchers_see_masked_names_and_no_buttons(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/race@{world.bot.username} 2")
    watched = Place(family.id, 0, 1, watch_only=True)

    async def read_watcher_state() -> dict[str, Any]:
        return await read_state(bot, watched, bob.id)

    first = await read_watcher_state()
    assert (first["place"]["kind"], first["buttons"], first["day"]) == ("watch", [], None)
    answer = await load_best_answer(bot, 1)
    assert (first["round"]["race_hand"], first["round"]["last_result"]) == ("Hand 1 of 2", None)
    await open_page(bot, ann, family).answer(answer)
    after, own = await read_watcher_state(), (await open_page(bot, ann, family).read_state())["round"]
    assert after["round"]["id"] == 2
    assert after["round"]["race_hand"] == "Hand 2 of 2"
    won = {"name": "A•••", "you": False, "text": "", "answer": f"{format_expression(answer)} = 24"}
    assert after["round"]["last_result"] == won
    assert own["last_result"] == won | {"name": "Ann", "you": True}
    assert await load_best_answer(bot, 2) not in str([after, own])
    assert [(p["name"], p["you"]) for p in after["people"]] == [("A•••", False)]


async def test_changes_wake_subscribed_boards(bot: LiveBot, ann: User, bob: User, family: Chat) -> None:
    changes = bot.service.changes
    there = changes.subscribe([family.id, bob.id])
    await bot.deal(ann, family, 3, 8, 3, 8)
    await asyncio.wait_for(there.wait(), 60)
    await open_page(bot, bob, family).answer("3*8+3-8")
    await asyncio.wait_for(there.wait(), 60)
    there.close()


@pytest.mark.parametrize("ends", ["typed", "given up"])
async def test_board_is_woken_when_daily_hand_ends_in_chat(bot: LiveBot, ann: User, ends: str) -> None:
    own, home = bot.service.changes.subscribe([ann.id]), bot.world.chat_of(ann)
    bot.rig(3, 8, 3, 8)
    bot.world.say(ann, ann, "/daily")
    hand = await bot.world.next_post(ann, "→ 24")
    await bot.settle()
    await asyncio.wait_for(own.wait(), 60)
    if ends == "typed":
        await bot.say(ann, home, "8/(3-8/3)")
    else:
        for button in ("Give up", "Yes, show me"):
            bot.world.press(ann, hand, button)
            await bot.settle()
    await asyncio.wait_for(own.wait(), 60)
    assert (await open_page(bot, ann, home).read_state())["day"]["is_done"] is True
    own.close()


@pytest.mark.parametrize("is_forged", [False, True])
async def test_waiting_tap_survives_restart(
    world: World, restart_bot: RestartBot, ann: User, bob: User, is_forged: bool
) -> None:
    """Also one that an earlier version stored in the form of Telegram's updates."""
    bot = await restart_bot(world)
    family = world.group("Family", ann, bob)
    await bot.deal(ann, family, 3, 8, 3, 8)
    inbox = bot.service.inbox
    inbox._handler.closing = True  # what comes now is stored and waits for the next start
    tap = open_page(bot, bob, family).make_submission("w" * 22, answer="8/(3-8/3)", round_id=1)
    await inbox.accept([tap])
    if is_forged:
        message = {
            "message_id": 0,
            "date": int(tap.sent_at),
            "board": {"press": tap.press_id, "round": 1},
            "chat": {"id": family.id, "type": family.type},
            "from": bob.json() | {"language_code": "en"},
            "text": "/a 8/(3-8/3)",
            "entities": [{"type": "bot_command", "offset": 0, "length": 2}],
            "ephemeral_message_id": 7,
        }
        body = json.dumps({"update_id": tap.update_id, "message": message})
        change = schema.inbox.update().where(schema.inbox.c.update_id == tap.update_id).values(body=body)
        await bot.services.store.write(lambda tx: tx.execute(change))
    bot = await restart_bot(world)
    await bot.settle()
    assert (await open_page(bot, bob, family).read_state())["winner"]["name"] == "Bob"


async def test_shared_result_hides_the_answer(bot: LiveBot, ann: User, bob: User, family: Chat) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    place, who = Place(family.id), make_person(bob)

    async def read_result() -> dict[str, Any] | None:
        return await bot.services.store.read(lambda tx: submissions.build_shared_result(tx, place, who, "en"))

    assert await read_result() is None
    await open_page(bot, bob, family).answer("8/(3-8/3)")
    shared = await read_result()
    assert shared
    assert "8÷(3−8÷3)" not in str(shared)
    assert shared["input_message_content"]["message_text"].startswith("3 8 3 8 → 24\n🏆 \u2068Bob\u2069")


@pytest.mark.parametrize("alone", [True, False])
async def test_deal_links_to_the_board(
    world: World, open_bot: OpenBot, ann: User, family: Chat, monkeypatch: pytest.MonkeyPatch, alone: bool
) -> None:
    def make_address(chat: int, topic: int, number: int) -> str:
        return "https://board.example/" if chat > 0 else f"https://t.me/b?startapp={-chat}-{topic}-{number}"

    monkeypatch.setattr("bot.service._get_board_url_maker", lambda *_: make_address)
    bot = await open_bot(world)
    world.start(ann)
    await bot.settle()
    chat = world.chat_of(ann) if alone else family
    deal = await bot.deal(ann, chat, 3, 8, 3, 8)
    button = deal.button("🔢 Board")
    url = (
        {"web_app": {"url": make_address(ann.id, 0, 1)}} if alone else {"url": make_address(family.id, 0, 1)}
    )
    assert {key: button[key] for key in url} == url
    await bot.say(ann, chat, "8/(3-8/3)", reply_to=deal)
    assert "🔢 Board" not in deal.labels
    await bot.say(ann, chat, f"/yahtzee@{world.bot.username}")
    assert "🔢 Board" in world.posts(chat)[-1].labels


async def test_full_card_stays_visible(bot: LiveBot, ann: User) -> None:
    alone = bot.world.chat_of(ann)
    await bot.say(ann, alone, "/yahtzee")
    ann_page = open_page(bot, ann, alone)
    for _ in range(13):
        card = (await ann_page.read_state())["card"]
        await ann_page.press_data(next(row["press"] for row in card["rows"] if row["press"]))
    page_state = await ann_page.read_state()
    assert (page_state["round"]["game"], page_state["round"]["state"]) == ("Yahtzee", "over")
    assert page_state["winner"]["you"]
    assert [person["status"] for person in page_state["people"]] == ["done"]
    await bot.deal(ann, alone, 3, 8, 3, 8)
    assert (await ann_page.read_state())["round"]["game"] == ""
