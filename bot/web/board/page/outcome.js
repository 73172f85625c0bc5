/** How a hand ended: who won it, and with what. */
import { element } from "./dom.js";
import { readable } from "./expression.js";
import { say } from "./words.js";

/** In a sentence. */
export function endingText({ winner, round }) {
  if (winner?.you) return say("You won!");
  if (winner) return say("{name} won.", { name: winner.name });
  return round?.game === "yahtzee" ? say("The game is over.") : say("The hand is over.");
}

/** The answer as an equation; empty when nobody had one. */
export function equation({ winner, round }) {
  if (!winner?.answer) return "";
  const text = readable(winner.answer);
  return round.kind !== "best" && round.target !== null ? `${text} = ${round.target.replace("-", "−")}` : text;
}

/** The panel that takes the place of the tiles. */
export function ending(state) {
  const answer = equation(state);
  return element(
    "div",
    { class: state.winner?.you ? "ending won" : "ending" },
    element("h2", { tabindex: "-1" }, endingText(state)),
    answer ? element("p", { class: "equation" }, answer) : null,
  );
}
