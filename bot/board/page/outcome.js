/** How a hand ended: who won it, and with what. */
import { element, figured } from "./dom.js";
import { readable } from "./expression.js";
import { tree } from "./tree.js";
import { isolated, say } from "./words.js";

/** In a sentence; of a race or a duel the bot's own. */
function endingText({ winner, round, alone: isAlone }) {
  if (isAlone && winner) return say("Solved!");
  if (round?.race_end) return round.race_end;
  if (winner?.you) return say("You won!");
  if (winner) return say("{name} won.", { name: isolated(winner.name) });
  return round?.kind === "contest" ? say("The game is over.") : say("The hand is over.");
}

/** The answer as an equation, of a card what it came to; empty when nobody had one. */
export function equation({ winner, round, solution }) {
  if (round?.race_end) return "";
  if (!winner?.answer) return winner && !solution ? "" : readable(solution ?? "");
  if (round.kind === "contest") return say("Total: {n}", { n: winner.answer });
  const text = readable(winner.answer);
  const value = winner.value ?? (round.kind === "best" ? null : round.target);
  return value === null ? text : `${text} = ${value.replace("-", "−")}`;
}

/** How far from the target the nearest answer is; empty where it makes it, or nobody had one. */
export function distance({ winner, round }) {
  const off = winner?.value === undefined ? 0 : away(winner.value, round);
  return off ? say("{off} away from {target}", { off, target: round.target }) : "";
}

/** The nearest that could be made; empty where somebody was as near, and where it isn't told. */
export function nearest({ winner, round }) {
  if (!round?.best_solution) return "";
  const off = away(round.best_solution.split(" = ").at(-1), round);
  if (winner?.value !== undefined && away(winner.value, round) <= off) return "";
  return say("Best: {answer}", { answer: readable(round.best_solution) });
}

/** All of it, to be said aloud. */
export function endingTold(state) {
  const { round, winner, results = [] } = state;
  const parts = [equation(state), lastText(round), distance(state), winner?.earned, nearest(state), ...results, ownTotal(state)].filter(Boolean);
  return [endingText(state), parts.map((part) => part.replace(/[.。]$/, "")).join(say(". "))].filter(Boolean).join(" ");
}

/** What the reader's own card came to, unless it is the winner's, which was told. */
function ownTotal({ winner, card }) {
  return card && !winner?.you ? say("Your total: {n}", { n: card.total }) : "";
}

/** How the hand before this one of a race ended, in a line; empty for none. */
export function beforeText(round) {
  if (!round?.last_result || round.race_end) return "";
  const { name, you, text, answer } = round.last_result;
  if (you) return say("You: {answer}", { answer: readable(answer) });
  return name ? isolated(name) + say(": ") + readable(answer) : `${text} ${readable(answer)}`.trim();
}

/** How the last hand of a race that is over ended; empty for none. */
function lastText(round) {
  if (!round?.last_result || !round.race_end) return "";
  const { name, you, text, answer } = round.last_result;
  const told = [text, readable(answer)].filter(Boolean).join(" ");
  return name ? say("Last hand, {name}: {answer}", { name: you ? say("you") : isolated(name), answer: told }) : say("Last hand: {answer}", { answer: told });
}

/**
 * The end of a hand of the day, like that of any other.
 * @param {string|null} answer that was given without the bot
 * @param {object|null} result what the bot says of it: `answer`, `is_solved`, `result` (its lines) and `tree`
 */
export function alone(hand, answer, result = null) {
  const round = { ...hand, kind: "first", state: "over" };
  const winner = !result || result.is_solved ? { you: true, name: "", answer } : null;
  const told = result && { solution: result.answer, results: result.result, tree: result.tree };
  return { alone: true, winner, round, place: { kind: "private", title: "" }, ...told };
}

/** The panel that takes the place of the tiles: the solution grows as a tree, then the points. */
export function ending(state) {
  const line = (text, kind) => (text ? figured(element("p", { class: kind }), text) : null);
  return element(
    "div",
    { class: state.winner?.you ? "ending won" : "ending" },
    element("h2", { tabindex: "-1" }, endingText(state)),
    state.tree ? tree(state.tree, equation(state) || nearest(state)) : null,
    line(equation(state), "equation"),
    line(state.winner?.earned, "earned"),
    ...(state.results ?? []).map((text) => line(text, "result")),
    line(lastText(state.round), "last"),
    line(distance(state), "distance"),
    line(nearest(state), state.winner ? "nearest" : "nearest equation"),
  );
}

function away(value, { target }) {
  return Math.abs(Number(value) - Number(target));
}
