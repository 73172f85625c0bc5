/**
 * Expressions: `{value, label, suit}` for a number that was dealt, `{value, op, left, right}` for two that were merged.
 * People read × ÷ −; the bot gets ASCII.
 */
import { Fraction } from "./fraction.js";

/** The four operations; people read `sign`. */
export const OPERATIONS = Object.freeze({
  "+": { sign: "+", precedence: 1, compute: (a, b) => a.plus(b) },
  "-": { sign: "−", precedence: 1, compute: (a, b) => a.minus(b) },
  "*": { sign: "×", precedence: 2, compute: (a, b) => a.times(b) },
  "/": { sign: "÷", precedence: 2, compute: (a, b) => a.dividedBy(b) },
});
const NUMBER_PRECEDENCE = 3;

/** Make the expression of a dealt number from its exact text; a card has a suit. */
export function makeNumber(text, label = text, suit = null) {
  return Object.freeze({ value: Fraction.parse(text), label, suit });
}

/**
 * Combine two expressions.
 * @throws {RangeError} for a division by zero
 */
export function combine(left, op, right) {
  return Object.freeze({ value: OPERATIONS[op].compute(left.value, right.value), op, left, right });
}

/** Format an expression for people: `9÷(4−9÷4)`. */
export function formatExpression(expression) {
  return write(expression, (op) => OPERATIONS[op].sign, formatValue);
}

/** Format an expression for the bot: `9/(4-9/4)`. */
export function formatForBot(expression) {
  return write(expression, (op) => op, String);
}

/** Format a value for people, on one line: `−1/3`. */
export function formatValue(value) {
  return value.toString().replace("-", "−");
}

/** Put the signs that people read into an answer of the bot, or into a shape, where ○ stands for an operation. */
export function formatAnswer(answer) {
  return answer.replace(/\s*([-+*/○])\s*/g, (_, op) => OPERATIONS[op]?.sign ?? op).trim();
}

function write(expression, formatOp, formatNumber) {
  const { value, op, left, right } = expression;
  if (!op) {
    const isPlain = value.isWhole && !isNegative(value);
    return isPlain ? formatNumber(value) : `(${formatNumber(value)})`; // so that it stays one number
  }
  const leftText = write(left, formatOp, formatNumber);
  const rightText = write(right, formatOp, formatNumber);
  const leftPart = getPrecedence(left) < getPrecedence(expression) ? `(${leftText})` : leftText;
  return leftPart + formatOp(op) + (needsBrackets(op, right) ? `(${rightText})` : rightText);
}

function isNegative(value) {
  return value.numerator < 0n;
}

/** Whether the right operand of `op` would, without brackets, have another value or other intermediate results. */
function needsBrackets(op, right) {
  if (getPrecedence(right) > OPERATIONS[op].precedence) return false;
  return op !== "+" && !(op === "*" && right.op === "*");
}

function getPrecedence({ op }) {
  return op ? OPERATIONS[op].precedence : NUMBER_PRECEDENCE;
}

/** Whether a dealt number has a letter, as a queen has. */
export function hasLetter(expression) {
  return Boolean(expression.label) && expression.label !== expression.value.toString();
}

/** List the texts by which a number can be typed: its letter, if it has one, and its digits. */
export function listTypedNames(expression) {
  const digits = expression.value.toString();
  return hasLetter(expression) ? [expression.label, digits] : [digits];
}
