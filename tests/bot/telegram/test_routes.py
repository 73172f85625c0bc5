"""The features' lists as one: no name twice, and doors behind /start."""

from typing import Any

import pytest

from bot.features import FEATURES
from bot.queue.intake import PRESSED, Work
from bot.telegram.context import Context, Effect, Handler, nothing
from bot.telegram.routes import ALLOWED, Button, Command, Delivered, Other, Routes, Text, gathered

ROUTES = gathered(FEATURES)


def test_the_commands_of_the_contract() -> None:
    first = {"start", "help", "play", "a", "hint", "skip", "solve", "leaderboard", "stats"}
    later = {"race", "daily", "settings", "doctor", "why", "cancel", "privacy", "export", "forgetme"}
    later |= {"stop", "duel", "records", "countdown", "numbers", "practice", "yahtzee", "top", "timezone"}
    assert set(ROUTES.kinds.commands) == first | later


def test_texts_are_gathered_in_their_order() -> None:
    one, other = Text(str.isdigit, ROUTES.commands[0].handler), Text(bool, ROUTES.commands[0].handler)
    assert gathered([Routes(texts=[one]), Routes(texts=[other])]).texts == [one, other]


def test_a_buttons_prefix_names_one_handler() -> None:
    presses = "ce cp ct d da dg dh dn do dr e fm h he lb n o pf pr pv qn qr qs r s st tp v w wd x y"
    assert " ".join(sorted(ROUTES.kinds.presses)) == presses


def test_every_other_update_has_a_handler() -> None:
    assert set(ROUTES.others) == set(Other)
    assert set(ROUTES.kinds.presses.values()) == PRESSED


def test_telegram_is_asked_for_what_there_are_handlers_for() -> None:
    assert sorted(ALLOWED) == [
        "callback_query",
        "inline_query",
        "message",
        "my_chat_member",
    ]


async def ignoring(_: Context) -> Effect:
    return nothing


@pytest.mark.parametrize(
    "routes",
    [
        Routes(commands=[Command("play", ignoring, Work.DEAL)]),
        Routes(buttons=[Button("n", ignoring)]),
        Routes(doors={"play": ignoring}),
        Routes(others={Other.TEXT: ignoring}),
        Routes(receipts={"deal": lambda tx, delivered: None}),
        Routes(timed=[work for feature in FEATURES for work in feature.timed][:1]),
    ],
    ids=["command", "button", "door", "update", "receipt", "timed work"],
)
def test_two_features_claim_no_name(routes: Routes) -> None:
    with pytest.raises(ValueError, match="two features claim"):
        gathered([*FEATURES, routes])


def test_a_receipt_is_known_by_its_number() -> None:
    assert Delivered("deal:7", {}, 0.0, None, 0.0).number == 7


@pytest.mark.parametrize(
    ("name", "argument", "came"),
    [
        ("start", "", ("start", "")),
        ("start", "door", ("door", "")),
        ("start", "door_3-8_x", ("door", "3-8_x")),
        ("start", "doors", ("start", "doors")),
        ("play", "door", ("play", "door")),
    ],
)
async def test_a_link_leads_through_its_door(name: str, argument: str, came: tuple[str, str]) -> None:
    seen: list[tuple[str, str]] = []

    def noting(name: str) -> Handler:
        async def handler(context: Context) -> Effect:
            seen.append((name, context.argument))
            return nothing

        return handler

    routes = gathered(
        [
            Routes(commands=[Command(name, noting(name), Work.DEAL)]),
            Routes(doors={"door": noting("door")}),
        ]
    )
    none: Any = None
    await routes.commands[0].handler(Context(none, none, none, None, None, None, 0, 0.0, 0.0, none, argument))
    assert seen == [came]
