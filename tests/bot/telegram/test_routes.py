"""Routes of all features are merged; names are unique, and /start follows deep links."""

from typing import Any

import pytest

from bot.features import FEATURES
from bot.queue.admission import PRESS_KINDS, UpdateKind
from bot.telegram.context import Context, Effect, Handler, do_nothing
from bot.telegram.incoming import Incoming
from bot.telegram.routes import (
    ALLOWED_UPDATES,
    ButtonRoute,
    CommandRoute,
    DeliveredRequest,
    OtherUpdate,
    Routes,
    TextRoute,
    merge_routes,
)

ROUTES = merge_routes(FEATURES)


def test_contract_commands_have_routes() -> None:
    first = {"start", "help", "play", "a", "hint", "skip", "giveup", "solve", "leaderboard", "stats"}
    later = {"race", "daily", "settings", "doctor", "why", "cancel", "privacy", "export", "forgetme"}
    later |= {"stop", "duel", "records", "countdown", "numbers", "practice", "yahtzee", "top", "timezone"}
    assert set(ROUTES.kind_rules.commands) >= first | later


def test_text_routes_keep_their_order() -> None:
    one, other = (
        TextRoute(str.isdigit, ROUTES.commands[0].handler),
        TextRoute(bool, ROUTES.commands[0].handler),
    )
    assert merge_routes([Routes(texts=[one]), Routes(texts=[other])]).texts == [one, other]


def test_every_other_update_has_a_handler() -> None:
    assert set(ROUTES.other_updates) == set(OtherUpdate)
    assert set(ROUTES.kind_rules.presses.values()) == PRESS_KINDS


def test_allowed_updates_match_the_handlers() -> None:
    assert sorted(ALLOWED_UPDATES) == [
        "callback_query",
        "inline_query",
        "message",
        "my_chat_member",
    ]


async def ignore(_: Context) -> Effect:
    return do_nothing


@pytest.mark.parametrize(
    "routes",
    [
        Routes(commands=[CommandRoute("play", ignore, UpdateKind.DEAL)]),
        Routes(buttons=[ButtonRoute("n", ignore)]),
        Routes(deep_links={"play": ignore}),
        Routes(other_updates={OtherUpdate.TEXT: ignore}),
        Routes(delivery_handlers={"deal": lambda tx, delivered: None}),
        Routes(timed_tasks=[work for feature in FEATURES for work in feature.timed_tasks][:1]),
    ],
    ids=["command", "button", "deep link", "update", "delivery", "timed task"],
)
def test_duplicate_names_raise(routes: Routes) -> None:
    with pytest.raises(ValueError, match="two features claim"):
        merge_routes([*FEATURES, routes])


@pytest.mark.parametrize("name", ["play100", "race24", "sum7x"])
def test_command_followed_by_digits_is_refused(name: str) -> None:
    commands = [CommandRoute(each, ignore, UpdateKind.DEAL) for each in ("play", "race", "sum", "make100")]
    merge_routes([Routes(commands=commands)])
    with pytest.raises(ValueError, match=f"the command {name!r} would be read as another one"):
        merge_routes([Routes(commands=[*commands, CommandRoute(name, ignore, UpdateKind.DEAL)])])


def test_about_id_is_the_number_after_the_colon() -> None:
    assert DeliveredRequest("deal:7", 0.0, 0.0).about_id == 7


@pytest.mark.parametrize(
    ("name", "argument", "expected"),
    [
        ("start", "", ("start", "")),
        ("start", "door", ("door", "")),
        ("start", "door_3-8_x", ("door", "3-8_x")),
        ("start", "doors", ("start", "doors")),
        ("play", "door", ("play", "door")),
    ],
)
async def test_start_payload_calls_the_deep_link_handler(
    name: str, argument: str, expected: tuple[str, str]
) -> None:
    called: list[tuple[str, str]] = []

    def make_handler(name: str) -> Handler:
        async def handler(context: Context) -> Effect:
            called.append((name, context.argument))
            return do_nothing

        return handler

    routes = merge_routes(
        [
            Routes(commands=[CommandRoute(name, make_handler(name), UpdateKind.DEAL)]),
            Routes(deep_links={"door": make_handler("door")}),
        ]
    )
    none: Any = None
    context = Context(none, Incoming(), none, None, 0, None, 0, None, None, 0.0, 0.0, none, argument)
    await routes.commands[0].handler(context)
    assert called == [expected]
