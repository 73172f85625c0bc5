/** The end of a round: who won it, and with which answer. The format functions return "" for nothing to tell. */
import { createElement, setMathText } from "./dom.js";
import { formatAnswer } from "./expression.js";
import { createSolutionTree } from "./solution_tree.js";
import { isolateName, say } from "./translations.js";

/** Return who won; for a race or a duel the bot's own sentence. */
function formatWinner({ winner, round, place, isDailyHand }) {
  if ((isDailyHand || place?.kind === "class") && winner) return say("Solved!");
  if (round?.race_end) return round.race_end;
  if (winner?.you) return say("You won!");
  if (winner) return say("{name} won.", { name: isolateName(winner.name) });
  return round?.kind === "contest" ? say("The game is over.") : say("The hand is over.");
}

/** Format the winning answer, or a solution, as an equation; of a contest the winner's total. "" for a race. */
export function formatEquation({ winner, round, solution }) {
  if (round?.race_end && !round.run) return "";
  if (!winner?.answer) return winner && !solution ? "" : formatAnswer(solution ?? "");
  if (round.kind === "contest") return say("Total: {n}", { n: winner.answer });
  const answer = formatAnswer(winner.answer);
  const value = winner.value ?? (round.kind === "best" ? null : round.target);
  return value === null ? answer : `${answer} = ${value.replace("-", "−")}`;
}

/** Format how far the winning answer is from the target. */
export function formatDistance({ winner, round }) {
  const off = winner?.value === undefined ? 0 : computeDistance(winner.value, round);
  return off ? say("{off} away from {target}", { off, target: round.target }) : "";
}

/** Format the best possible answer, unless the winner's is as near. */
export function formatBestPossible({ winner, round }) {
  if (!round?.best_solution) return "";
  const bestDistance = computeDistance(round.best_solution.split(" = ").at(-1), round);
  if (winner?.value !== undefined && computeDistance(winner.value, round) <= bestDistance) return "";
  return say("Best: {answer}", { answer: formatAnswer(round.best_solution) });
}

/** Describe the whole end for screen readers. */
export function describeEnding(state) {
  const { round, winner, results = [] } = state;
  const parts = [
    formatEquation(state),
    formatLastRaceHand(round),
    formatDistance(state),
    winner?.earned,
    formatBestPossible(state),
    ...results,
    formatOwnTotal(state),
  ];
  const details = parts.filter(Boolean).map((part) => part.replace(/[.。]$/, "")).join(say(". "));
  return [formatWinner(state), details].filter(Boolean).join(" ");
}

/** Format the total of the reader's own card, unless they won, since the winner's total is shown anyway. */
function formatOwnTotal({ winner, card }) {
  return card && !winner?.you ? say("Your total: {n}", { n: card.total }) : "";
}

/** Format how the hand before this one of a running race ended. */
export function formatLastResult(round) {
  if (!round?.last_result || round.race_end) return "";
  const { name, you, text, answer } = round.last_result;
  if (you) return say("You: {answer}", { answer: formatAnswer(answer) });
  return name ? isolateName(name) + say(": ") + formatAnswer(answer) : `${text} ${formatAnswer(answer)}`.trim();
}

/** Format how the last hand of a race that is over ended. */
function formatLastRaceHand(round) {
  if (!round?.last_result || !round.race_end) return "";
  const { name, you, text, answer: lastAnswer } = round.last_result;
  const answer = [text, formatAnswer(lastAnswer)].filter(Boolean).join(" ");
  if (!name) return say("Last hand: {answer}", { answer });
  return say("Last hand, {name}: {answer}", { name: you ? say("you") : isolateName(name), answer });
}

/**
 * Return a state in which the daily hand is over.
 * @param {object} puzzle
 * @param {string|null} answer that was given offline
 * @param {object|null} result the bot's: `answer`, `is_solved`, `result` (its lines) and `tree`
 */
export function makeDailyEnding(puzzle, answer, result = null) {
  const round = { ...puzzle, kind: "first", state: "over" };
  const winner = !result || result.is_solved ? { you: true, name: "", answer } : null;
  const outcome = result && { solution: result.answer, results: result.result, tree: result.tree };
  return { isDailyHand: true, winner, round, place: { kind: "private", title: "" }, ...outcome };
}

/** Create the panel that replaces the tiles. */
export function createEnding(state) {
  const createLine = (text, style) => (text ? setMathText(createElement("p", { class: style }), text) : null);
  return createElement(
    "div",
    { class: state.winner?.you ? "ending won" : "ending" },
    createElement("h2", { tabindex: "-1" }, formatWinner(state)),
    state.tree ? createSolutionTree(state.tree, formatEquation(state) || formatBestPossible(state)) : null,
    createLine(formatEquation(state), "equation"),
    createLine(state.winner?.earned, "earned"),
    ...(state.results ?? []).map((text) => createLine(text, "result")),
    createLine(formatLastRaceHand(state.round), "last"),
    createLine(formatDistance(state), "distance"),
    createLine(formatBestPossible(state), state.winner ? "nearest" : "nearest equation"),
  );
}

function computeDistance(value, { target }) {
  return Math.abs(Number(value) - Number(target));
}
