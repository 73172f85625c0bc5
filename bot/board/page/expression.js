/**
 * How numbers were put together: `{value, label}` for one that was dealt, `{value, op, left, right}` for two that
 * were merged. Written for people with the signs of the schoolbook, and for the bot in plain ASCII.
 */
import { Fraction } from "./fraction.js";

/** The four operations, each with the sign that people read, and with what it makes of two values. */
export const OPERATIONS = Object.freeze({
  "+": { sign: "+", rank: 1, of: (a, b) => a.plus(b) },
  "-": { sign: "−", rank: 1, of: (a, b) => a.minus(b) },
  "*": { sign: "×", rank: 2, of: (a, b) => a.times(b) },
  "/": { sign: "÷", rank: 2, of: (a, b) => a.over(b) },
});

/** A number that was dealt, from its exact text; a card has a suit. */
export function leaf(text, label = text, suit = null) {
  return Object.freeze({ value: Fraction.parse(text), label, suit });
}

/** Two expressions joined. RangeError when that divides by zero. */
export function joined(left, op, right) {
  return Object.freeze({ value: OPERATIONS[op].of(left.value, right.value), op, left, right });
}

/** What people read: `9÷(4−9÷4)`. */
export function shown(expression) {
  return written(expression, (op) => OPERATIONS[op].sign, figure);
}

/** What is sent: `9/(4-9/4)`. */
export function plain(expression) {
  return written(expression, (op) => op, (value) => value.toString());
}

/** A value as people read it, on one line: `−1/3`. */
export function figure(value) {
  return value.toString().replace("-", "−");
}

/** An answer as it was sent, as people read it; a shape may keep one sign back, `○`. */
export function readable(answer) {
  return answer.replace(/\s*([-+*/○])\s*/g, (_, op) => OPERATIONS[op]?.sign ?? op).trim();
}

function written(expression, between, number) {
  if (!expression.op) return lone(expression.value, number);
  const { op, left, right } = expression;
  const first = bracketed(left, rank(left) < rank(expression), between, number);
  return first + between(op) + bracketed(right, needsBrackets(op, right), between, number);
}

/** A dealt fraction or one below zero stands in brackets, so that it stays one number. */
function lone(value, number) {
  return value.isWhole && value.top >= 0n ? number(value) : `(${number(value)})`;
}

function bracketed(expression, wanted, between, number) {
  const text = written(expression, between, number);
  return wanted ? `(${text})` : text;
}

/** Whether the right side of `op` would mean something else without brackets, or other steps on the way. */
function needsBrackets(op, right) {
  if (!right.op || OPERATIONS[right.op].rank > OPERATIONS[op].rank) return false;
  return op !== "+" && !(op === "*" && right.op === "*");
}

function rank(expression) {
  return expression.op ? OPERATIONS[expression.op].rank : 3;
}

/** Whether a dealt number is known by a letter, as a queen is. */
export function isLettered(expression) {
  return Boolean(expression.label) && expression.label !== expression.value.toString();
}

/** What a number is called by who types it: its figures, and its letter where it has one. */
export function typedNames(expression) {
  const figures = expression.value.toString();
  return isLettered(expression) ? [expression.label, figures] : [figures];
}
