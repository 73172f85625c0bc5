"""Render lines that the messages of rounds, races, contests and daily hands share."""

from collections.abc import Sequence

from bot.i18n import Html, Words, escape_value
from bot.rounds.rules import Round, State
from solver import commitment

# Keys with which the data of buttons begins, before the id of the round
HINT_BUTTON, SKIP_BUTTON, NEXT_BUTTON = "h", "s", "n"


def render_proof(proof: str, *, over: bool) -> list[Html]:
    """Return the line with the commitment to a deal (see `solver.fair`), and with `over` also its proof.

    Empty if the deal has no proof. The commitment stays: the message that showed it first is edited.
    """
    if not proof:
        return []
    lines = [Html(f"🔒 <code>{commitment(proof)}</code>")]
    if over:
        lines.append(Html(f"🔑 <code>{escape_value(proof)}</code>"))
    return lines


def render_folded_proofs(proofs: Sequence[str]) -> list[Html]:
    """Return commitments and proofs of several deals as one block that unfolds; empty without proofs."""
    lines = "\n".join(line for proof in proofs for line in render_proof(proof, over=True))
    return [Html(f"<blockquote expandable>{lines}</blockquote>")] if lines else []


def render_unsolved(round: Round, words: Words) -> Html:
    """Say how a round without a winner ended."""
    if round.state is State.VOID:
        return words.translate("Found, but it counts for nobody.")
    if round.state is State.EXPIRED:
        return words.translate("Nobody found it in time.")
    return words.translate("Given up.")
