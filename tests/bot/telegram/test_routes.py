"""The features' lists as one: no name twice, and doors behind /start."""

from typing import Any

import pytest

from bot.features import FEATURES
from bot.queue.admission import PRESS_KINDS, UpdateKind
from bot.telegram.context import Context, Effect, Handler, do_nothing
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
    first = {"start", "help", "play", "a", "hint", "skip", "solve", "leaderboard", "stats"}
    later = {"race", "daily", "settings", "doctor", "why", "cancel", "privacy", "export", "forgetme"}
    later |= {"stop", "duel", "records", "countdown", "numbers", "practice", "yahtzee", "top", "timezone"}
    assert set(ROUTES.kind_rules.commands) == first | later


def test_text_routes_keep_their_order() -> None:
    one, other = (
        TextRoute(str.isdigit, ROUTES.commands[0].handler),
        TextRoute(bool, ROUTES.commands[0].handler),
    )
    assert merge_routes([Routes(texts=[one]), Routes(texts=[other])]).texts == [one, other]


def test_button_prefixes() -> None:
    presses = "ce cp ct d da dg dh dn do dr e fm h he lb n o pf pr pv qn qr qs r s st tp v w wd x y"
    assert " ".join(sorted(ROUTES.kind_rules.presses)) == presses


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


async def ignoring(_: Context) -> Effect:
    return do_nothing


@pytest.mark.parametrize(
    "routes",
    [
        Routes(commands=[CommandRoute("play", ignoring, UpdateKind.DEAL)]),
        Routes(buttons=[ButtonRoute("n", ignoring)]),
        Routes(deep_links={"play": ignoring}),
        Routes(other_updates={OtherUpdate.TEXT: ignoring}),
        Routes(delivery_handlers={"deal": lambda tx, delivered: None}),
        Routes(timed_tasks=[work for feature in FEATURES for work in feature.timed_tasks][:1]),
    ],
    ids=["command", "button", "door", "update", "receipt", "timed work"],
)
def test_duplicate_names_raise(routes: Routes) -> None:
    with pytest.raises(ValueError, match="two features claim"):
        merge_routes([*FEATURES, routes])


def test_about_id_is_the_number_after_the_colon() -> None:
    assert DeliveredRequest("deal:7", {}, 0.0, None, 0.0).about_id == 7


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
async def test_start_payload_calls_the_deep_link_handler(
    name: str, argument: str, came: tuple[str, str]
) -> None:
    seen: list[tuple[str, str]] = []

    def noting(name: str) -> Handler:
        async def handler(context: Context) -> Effect:
            seen.append((name, context.argument))
            return do_nothing

        return handler

    routes = merge_routes(
        [
            Routes(commands=[CommandRoute(name, noting(name), UpdateKind.DEAL)]),
            Routes(deep_links={"door": noting("door")}),
        ]
    )
    none: Any = None
    await routes.commands[0].handler(Context(none, none, none, None, None, None, 0, 0.0, 0.0, none, argument))
    assert seen == [came]
