"""What a message says of how fair a deal was."""

from bot.games import proof
from solver import commitment

PROOF = "7xKq2TmVbE5wRd9NsLhYuC countdown:2"


def test_first_the_commitment_and_at_the_end_the_proof() -> None:
    assert proof.lines(PROOF, over=False) == [f"🔒 <code>{commitment(PROOF)}</code>"]
    assert proof.lines(PROOF, over=True) == [f"🔑 <code>{PROOF}</code>"]


def test_what_nothing_was_committed_to_has_no_line() -> None:
    assert proof.lines("", over=False) == proof.lines("", over=True) == []


def test_several_unfold() -> None:
    assert proof.folded([PROOF]) == proof.lines(PROOF, over=True)
    assert proof.folded(["", PROOF, PROOF]) == [
        f"<blockquote expandable>🔑 <code>{PROOF}</code>\n🔑 <code>{PROOF}</code></blockquote>"
    ]
    assert proof.folded([""]) == []
