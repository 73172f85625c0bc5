"""Talk of a group is filtered out; possible answers and commands are kept."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.expressions.game import BareExpressions
from bot.telegram.dispatch import MessageFilter

ANSWERS = BareExpressions()  # beside a game whose answers are bare numbers, fewer messages are talk
FILTER = MessageFilter(24, "TwentyFourBot", {"play", "why", "a"}, ANSWERS.may_contain_answer)
ANN = {"id": 7, "is_bot": False, "first_name": "Ann"}


def make_update(text: Any = None, chat: str = "supergroup", **more: Any) -> dict[str, Any]:
    message = {"message_id": 1, "date": 1, "from": ANN, "chat": {"id": -5, "type": chat}, **more}
    return {"update_id": 1, "message": message if text is None else {**message, "text": text}}


@pytest.mark.parametrize(
    "update",
    [
        *map(make_update, ("see you at 8", "24", "8.5", "A", "1:2:3 go", "@TwentyFourBot hello", "/ban Bob")),
        *map(
            make_update,
            (
                "/play@OtherBot",
                "/help@Other",
                "/players",
                "/calc 2+3",
                "/when@Other 1-2-3",
                "/a4@Other",
                "/play13@Other",
                "/ban13",
                "/a4b",
                "8/(3-",
                "x" * 5000,
                "",
                "(((((((",
            ),
        ),
        make_update(new_chat_members=[ANN]),
        make_update(left_chat_member=ANN),
        make_update(photo=[{"file_id": "x"}], caption="at 8:30"),
        make_update(photo=[{"file_id": "x"}]),
        make_update(poll={"id": "1-2+3*4", "question": "When?", "options": [{"text": "at 8:30"}]}),
        make_update(contact={"phone_number": "+1*2-3/4", "first_name": "Dan"}),
        make_update("this!", quote={"text": "see you at 8"}, external_reply={"origin": {"type": "user"}}),
        make_update(photo=[{"file_id": "x"}], caption="8/(3-8/3)"),
        make_update(poll={"id": "1", "question": "8/(3-8/3)?", "options": [{"text": "yes"}]}),
        make_update("this!", quote={"text": "8/(3-8/3)"}),
        *map(make_update, ("/foo 8/(3-8/3)", "/a@OtherBot 8/(3-8/3)")),
        *map(
            make_update, ("call 555-123-4567 now", "on 11/21/2026 we met", "2026-11-21 at 10:15:30", "a 3+4")
        ),
        *map(make_update, ("we are 2 plus 3 kids", "3 over 4", "A♠ K♥ Q♣", "第3加4天", "4 por 4", "①②③ ④")),
        make_update("look:\n nothing", forward_origin={"type": "user"}),
        make_update("lol", reply_to_message={"from": ANN, "text": "8/(3-8/3)"}),
        make_update("me too", entities=[{"type": "text_mention", "offset": 0, "length": 2, "user": ANN}]),
    ],
    ids=str,
)
def test_group_talk_is_filtered_out(update: dict[str, Any]) -> None:
    assert FILTER.is_talk(update)


@pytest.mark.parametrize(
    "update",
    [
        *map(make_update, ("8/(3-8/3)", " 1+1 ", "8/(3-8/3)=25", "A*J", "８×３", "/play", "/PLAY hard")),
        *map(make_update, ("/play13", "/a4*(1+2+3)", "/a4")),
        *map(make_update, ("/play@twentyfourbot", "/a 1", "/a\n1", "/solv@TwentyFourBot 3 8 3 8")),
        make_update("so ٨/(٣-٨/٣)"),
        *map(make_update, ("look:\n 8/(3-8/3) = 24", "it is 8/(3-8/3) lol", "is it 2+4+8+10?")),
        make_update("lol", reply_to_message={"from": {"id": 24}, "text": "3 8 3 8 → 24"}),
        *map(
            make_update,
            ("so 8 over (3 minus 8 over 3)", "A♠*(K♥-J♦)*Q♣", "⑧/(③-⑧/③)", "6*4=24 as 6=5+1", "—8/(3-8/3)"),
        ),
        make_update("hello", chat="private"),
        make_update(5),
        make_update(migrate_to_chat_id=-7),
        make_update(migrate_from_chat_id=-7),
        {"update_id": 1},
        {"update_id": 1, "message": "odd"},
        {"update_id": 1, "message": {"text": "no chat"}},
        {"update_id": 1, "callback_query": {"id": "5", "from": ANN}},
        {"update_id": 1, "my_chat_member": {"chat": {"id": -5, "type": "group"}}},
        "odd",
        None,
    ],
    ids=str,
)
def test_possible_answers_and_commands_are_kept(update: Any) -> None:
    assert not FILTER.is_talk(update)


NUMBER_FILTER = MessageFilter(24, "TwentyFourBot", (), lambda text: text == "24")


@pytest.mark.parametrize("text", ["/", "/ 8", "/é", "/" + "x" * 33])
def test_slash_without_command_is_kept(text: str) -> None:
    assert not NUMBER_FILTER.is_talk(make_update(text))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["message", "chat", "text", "from"]), inner)
    ),
    max_leaves=8,
)


@pytest.mark.long
@given(ANYTHING)
def test_malformed_updates_raise_nothing(raw: Any) -> None:
    FILTER.is_talk(raw)
    FILTER.is_talk({"message": raw})
    FILTER.is_talk(make_update(raw, reply_to_message=raw))
