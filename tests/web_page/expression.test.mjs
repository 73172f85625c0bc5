import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { combine, formatAnswer, formatExpression, formatForBot, listTypedNames, makeNumber } = await load("expression");
const [a, b, c, d] = ["8", "3", "8", "3"].map((text) => makeNumber(text));

test("signs are shown to people and ASCII is sent to the bot", () => {
  const made = combine(a, "/", combine(b, "-", combine(c, "/", d)));
  assert.equal(formatExpression(made), "8÷(3−8÷3)");
  assert.equal(formatForBot(made), "8/(3-8/3)");
  assert.equal(String(made.value), "24");
});

test("brackets are written where they are needed", () => {
  const sum = combine(a, "+", b);
  const rest = combine(a, "-", b);
  assert.equal(formatForBot(combine(sum, "*", rest)), "(8+3)*(8-3)");
  assert.equal(formatForBot(combine(sum, "+", rest)), "8+3+8-3");
  assert.equal(formatForBot(combine(sum, "-", rest)), "8+3-(8-3)");
  assert.equal(formatForBot(combine(rest, "-", b)), "8-3-3");
  assert.equal(formatForBot(combine(combine(a, "*", b), "*", combine(c, "*", d))), "8*3*8*3");
  assert.equal(formatForBot(combine(a, "*", combine(b, "/", c))), "8*(3/8)");
  assert.equal(formatForBot(combine(a, "/", combine(b, "*", c))), "8/(3*8)");
  assert.equal(formatForBot(combine(combine(a, "/", b), "/", c)), "8/3/8");
});

test("brackets do not change the value", () => {
  const numbers = ["2", "3", "5", "7"].map((text) => makeNumber(text));
  for (const one of "+-*/") {
    for (const two of "+-*/") {
      for (const three of "+-*/") {
        const [p, q, r, s] = numbers;
        for (const made of [
          combine(p, one, combine(q, two, combine(r, three, s))),
          combine(combine(p, one, q), two, combine(r, three, s)),
          combine(combine(p, one, combine(q, two, r)), three, s),
          combine(p, one, combine(combine(q, two, r), three, s)),
        ]) {
          const value = Number(made.value.numerator) / Number(made.value.denominator);
          assert.ok(Math.abs(evaluate(formatForBot(made)) - value) < 1e-9, formatForBot(made));
        }
      }
    }
  }
});

test("a dealt fraction or negative number is one number", () => {
  assert.equal(formatForBot(combine(makeNumber("1/2"), "+", makeNumber("-3"))), "(1/2)+(-3)");
  assert.equal(formatExpression(combine(makeNumber("1/2"), "+", makeNumber("-3"))), "(1/2)+(−3)");
});

test("an answer is parsed with signs and spaces", () => {
  assert.equal(formatAnswer("8/(3-8/3)"), "8÷(3−8÷3)");
  assert.equal(formatAnswer("(1+2)*8"), "(1+2)×8");
});

test("a lettered card is typed by its letter", () => {
  assert.deepEqual(listTypedNames(makeNumber("12", "Q")), ["Q", "12"]);
  assert.deepEqual(listTypedNames(makeNumber("12", "12")), ["12"]);
});

/** Return an expression's value as floating point, by another parser. */
function evaluate(text) {
  let at = 0;
  const atom = () => {
    if (text[at] === "(") {
      at += 1;
      const value = sum();
      at += 1;
      return value;
    }
    const digits = text.slice(at).match(/^\d+/)[0];
    at += digits.length;
    return Number(digits);
  };
  const chain = (next, signs) => () => {
    let value = next();
    while (signs[text[at]]) value = signs[text[at++]](value, next());
    return value;
  };
  const product = chain(atom, { "*": (x, y) => x * y, "/": (x, y) => x / y });
  const sum = chain(product, { "+": (x, y) => x + y, "-": (x, y) => x - y });
  return sum();
}
