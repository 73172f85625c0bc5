/**
 * The rules of the tiles, without a screen. Tap a number, an operation, a number: both numbers merge into their value,
 * which takes the second one's place and stays chosen.
 *
 * Each function returns a new table, or the same one if the action is not allowed.
 */
import { Fraction } from "./fraction.js";
import { combine, formatForBot, makeNumber, OPERATIONS } from "./expression.js";

/** Reasons why two numbers can't be merged. */
export const OBSTACLES = Object.freeze({ zero: "zero", fraction: "fraction", low: "low" });

/**
 * @typedef {object} Table
 * @property {object} puzzle of a state: `numbers`, `labels`, `target`, and what an answer may be
 * @property {(object|null)[]} places the expression in each place, null for none
 * @property {number|null} chosen the place of the chosen number
 * @property {string|null} op the operation that waits for its second number
 * @property {number|null} merged the place of the newest merged number
 * @property {Array<[number, string, number]>} moves all mergers: place, operation, place
 * @property {Table} [beforeReset] the table that an undo right after a reset restores
 */

/** Return the table as it is dealt. */
export function dealTiles(puzzle) {
  const { numbers, labels, suits } = puzzle;
  const places = numbers.map((text, place) => makeNumber(text, labels?.[place] ?? text, suits?.[place]));
  return Object.freeze({ puzzle, places, chosen: null, op: null, merged: null, moves: [] });
}

/** Deal, and make the moves; those that are not allowed are skipped. */
export function replayMoves(puzzle, moves) {
  return moves.reduce((table, [from, op, to]) => merge(table, from, op, to), dealTiles(puzzle));
}

/** Choose the number in a place, or unchoose it, or merge the chosen number with it. */
export function tapTile(table, place) {
  const { places, chosen, op } = table;
  if (!places[place]) return table;
  if (chosen === place) return { ...table, chosen: op === null ? null : place, op: null };
  if (chosen === null || op === null) return { ...table, chosen: place, op: null };
  return merge(table, chosen, op, place);
}

/** Choose an operation for the next merger, or unchoose it. */
export function tapOperation(table, op) {
  if (table.chosen === null) return table;
  return { ...table, op: table.op === op ? null : op };
}

/** Undo the reset just made, the choice of an operation, or the newest merger, whose first number is chosen again. */
export function undoStep(table) {
  if (table.beforeReset && !isBegun(table)) return table.beforeReset;
  if (table.op !== null) return { ...table, op: null };
  const lastMove = table.moves.at(-1);
  if (!lastMove) return { ...table, chosen: null };
  const [chosen] = lastMove;
  return { ...replayMoves(table.puzzle, table.moves.slice(0, -1)), chosen, beforeReset: table.beforeReset };
}

/** Return the dealt table, from which `undoStep` leads back. */
export function resetTiles(table) {
  return isBegun(table) ? { ...dealTiles(table.puzzle), beforeReset: table } : table;
}

/** Whether at least two numbers are left. */
export function canMerge(table) {
  return table.places.filter(Boolean).length > 1;
}

/** Whether anything differs from the deal. */
export function isBegun(table) {
  return table.moves.length > 0 || table.chosen !== null;
}

/** Return the obstacle, one of `OBSTACLES`, to merging the chosen number with the one in a place; null for none. */
export function findObstacle(table, place) {
  const { puzzle, places, chosen, op } = table;
  if (op === null || chosen === null || place === chosen || !places[place]) return null;
  return findRuleObstacle(puzzle, places[chosen], op, places[place]);
}

/** Return "made" for the target, "missed" if the last number is another; null while moves are possible. */
export function judgeTiles(table) {
  const { puzzle, places, merged, moves } = table;
  if (!puzzle.target || !moves.length) return null;
  const isLast = !canMerge(table);
  const result = !puzzle.uses_all || isLast ? places[merged] : null;
  if (result?.value.equals(Fraction.parse(puzzle.target))) return "made";
  return isLast ? "missed" : null;
}

/** Return the expression to submit: the newest number if it makes the target, else the chosen one; null for none. */
export function getAnswer(table) {
  const place = judgeTiles(table) === "made" ? table.merged : table.chosen;
  return table.places[place] ?? null;
}

/** Format the expression to submit for the bot; null if there is none. */
export function formatTilesAnswer(table) {
  const expression = getAnswer(table);
  return expression && formatForBot(expression);
}

function merge(table, from, op, to) {
  const [left, right] = [table.places[from], table.places[to]];
  if (!left || !right || from === to || !OPERATIONS[op]) return table;
  if (findRuleObstacle(table.puzzle, left, op, right)) return table;
  const places = [...table.places];
  places[from] = null;
  places[to] = combine(left, op, right);
  return { ...table, places, chosen: to, op: null, merged: to, moves: [...table.moves, [from, op, to]] };
}

function findRuleObstacle(puzzle, left, op, right) {
  if (op === "/" && right.value.isZero) return OBSTACLES.zero;
  if (!puzzle.whole_numbers_only) return null;
  const value = OPERATIONS[op].compute(left.value, right.value);
  if (!value.isWhole) return OBSTACLES.fraction;
  return value.isPositive ? null : OBSTACLES.low;
}
