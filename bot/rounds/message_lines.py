"""What a message says of how fair a deal was: what it was committed to, and at the end the proof."""

from collections.abc import Sequence

from bot.i18n import Html, Words, escape_value
from bot.rounds.rules import Round, State
from solver import commitment


def render_proof(proof: str, *, over: bool) -> list[Html]:
    """The lines for it (see `solver.fair`), which anybody can check; none where nothing was committed to.

    The commitment stays beside the proof: the message that showed it first is edited.
    """
    if not proof:
        return []
    committed = Html(f"🔒 <code>{commitment(proof)}</code>")
    return [committed, Html(f"🔑 <code>{escape_value(proof)}</code>")] if over else [committed]


def render_folded_proofs(proofs: Sequence[str]) -> list[Html]:
    """The proofs of hands that were on the table one after the other, as one block that unfolds."""
    shown = [line for proof in proofs for line in render_proof(proof, over=True)]
    if not shown:
        return []
    joined = "\n".join(shown)
    return [Html(f"<blockquote expandable>{joined}</blockquote>")]


def render_unsolved(round: Round, words: Words) -> Html:
    """Its time was over, it was given up, or whoever found it may not score."""
    if round.state is State.VOID:
        return words.translate("Found, but it counts for nobody.")
    return (
        words.translate("Nobody found it in time.")
        if round.state is State.EXPIRED
        else words.translate("Given up.")
    )
