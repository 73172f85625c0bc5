/**
 * The game with tiles, without a screen: places that hold a number or nothing, one of them chosen, perhaps an
 * operation too. Every function returns a new table; one that is not allowed returns the same one.
 *
 * Choose a number, an operation, a number: both become their value, where the second one was, and it stays chosen.
 */
import { Fraction } from "./fraction.js";
import { joined, leaf, OPERATIONS, plain } from "./expression.js";

/** Why two numbers may not be merged. */
export const BARRED = Object.freeze({ zero: "zero", fraction: "fraction", low: "low" });

/**
 * @typedef {object} Table
 * @property {object} puzzle what was dealt: as a state has it: `numbers`, `labels`, `target`, and what an answer may be
 * @property {(object|null)[]} places the expression in each place, or nothing
 * @property {number|null} chosen the place of the number that is chosen
 * @property {string|null} op the operation that waits for its second number
 * @property {number|null} merged the place of the newest merger
 * @property {Array<[number, string, number]>} moves the mergers until now: place, operation, place
 */

/** The table as it is dealt. */
export function dealt(puzzle) {
  const places = puzzle.numbers.map((text, at) => leaf(text, puzzle.labels?.[at] ?? text, puzzle.suits?.[at]));
  return Object.freeze({ puzzle, places, chosen: null, op: null, merged: null, moves: [] });
}

/** A table on which `moves` have been made; those that are not allowed are left out. */
export function replayed(puzzle, moves) {
  return moves.reduce((table, [from, op, to]) => merged(table, from, op, to), dealt(puzzle));
}

/** Tap the number in a place: choose it, leave it, or merge the chosen one with it. */
export function tapped(table, place) {
  if (!table.places[place]) return table;
  if (table.chosen === null || (table.op === null && table.chosen !== place)) {
    return { ...table, chosen: place, op: null };
  }
  if (table.chosen === place) return { ...table, chosen: table.op === null ? null : place, op: null };
  return merged(table, table.chosen, table.op, place);
}

/** Tap an operation: the next number is merged by it; tapped again, it waits no longer. */
export function operated(table, op) {
  if (table.chosen === null) return table;
  return { ...table, op: table.op === op ? null : op };
}

/** Before the newest merger; what was chosen for it is chosen again. */
export function undone(table) {
  const last = table.moves.at(-1);
  if (table.before && !isBegun(table)) return table.before;
  if (table.op !== null) return { ...table, op: null };
  if (!last) return { ...table, chosen: null };
  return { ...replayed(table.puzzle, table.moves.slice(0, -1)), chosen: last[0], before: table.before };
}

/** As it was dealt; `undone` goes back to before that. */
export function cleared(table) {
  return isBegun(table) ? { ...dealt(table.puzzle), before: table } : table;
}

/** Whether two numbers are left to be merged. */
export function isOpen(table) {
  return table.places.filter(Boolean).length > 1;
}

/** Whether anything lies otherwise than it was dealt. */
export function isBegun(table) {
  return table.moves.length > 0 || table.chosen !== null;
}

/** Why the chosen number may not be merged with the one in a place, one of `BARRED`; null if it may. */
export function barred(table, place) {
  if (table.op === null || table.chosen === null || place === table.chosen || !table.places[place]) return null;
  return reason(table.puzzle, table.places[table.chosen], table.op, table.places[place]);
}

/** Whether it is done: "made", "missed" (one number is left, and it is another), or null. */
export function outcome(table) {
  const left = table.places.filter(Boolean);
  if (!table.puzzle.target || !table.moves.length) return null;
  const made = table.puzzle.uses_all ? left.length === 1 && left[0] : table.places[table.merged];
  if (made && made.value.equals(Fraction.parse(table.puzzle.target))) return "made";
  return left.length === 1 ? "missed" : null;
}

/** What would be handed in now: the newest value when it makes the target, else what is chosen; null for nothing. */
export function answer(table) {
  const place = outcome(table) === "made" ? table.places.findIndex((each, at) => each && at === table.merged) : table.chosen;
  return place === null || place < 0 || !table.places[place] ? null : table.places[place];
}

/** The text of an answer, as it is sent. */
export function sent(table) {
  const expression = answer(table);
  return expression && plain(expression);
}

function merged(table, from, op, to) {
  const [left, right] = [table.places[from], table.places[to]];
  if (!left || !right || from === to || !OPERATIONS[op] || reason(table.puzzle, left, op, right)) return table;
  const places = [...table.places];
  places[from] = null;
  places[to] = joined(left, op, right);
  return { ...table, places, chosen: to, op: null, merged: to, moves: [...table.moves, [from, op, to]] };
}

function reason(puzzle, left, op, right) {
  if (op === "/" && right.value.isZero) return BARRED.zero;
  if (!puzzle.whole_numbers_only) return null;
  const value = OPERATIONS[op].of(left.value, right.value);
  if (!value.isWhole) return BARRED.fraction;
  return value.isPositive ? null : BARRED.low;
}
