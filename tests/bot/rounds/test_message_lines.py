"""Lines that prove a fair deal."""

from bot.rounds import message_lines
from solver import commitment

PROOF = "7xKq2TmVbE5wRd9NsLhYuC countdown:2"


def test_proof_appears_at_the_end() -> None:
    assert message_lines.render_proof(PROOF, over=False) == [f"🔒 <code>{commitment(PROOF)}</code>"]
    both = [f"🔒 <code>{commitment(PROOF)}</code>", f"🔑 <code>{PROOF}</code>"]
    assert message_lines.render_proof(PROOF, over=True) == both, "whoever noted the hash can compare"


def test_deal_without_proof_has_no_line() -> None:
    assert message_lines.render_proof("", over=False) == message_lines.render_proof("", over=True) == []


def test_several_proofs_are_folded() -> None:
    both = "\n".join(message_lines.render_proof(PROOF, over=True))
    assert message_lines.render_folded_proofs([PROOF]) == [f"<blockquote expandable>{both}</blockquote>"]
    assert message_lines.render_folded_proofs(["", PROOF, PROOF]) == [
        f"<blockquote expandable>{both}\n{both}</blockquote>"
    ]
    assert message_lines.render_folded_proofs([""]) == []
