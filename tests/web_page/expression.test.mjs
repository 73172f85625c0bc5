import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { joined, leaf, plain, readable, shown, typedNames } = await load("expression");
const [a, b, c, d] = ["8", "3", "8", "3"].map((text) => leaf(text));

test("signs are shown to people and ASCII is sent to the bot", () => {
  const made = joined(a, "/", joined(b, "-", joined(c, "/", d)));
  assert.equal(shown(made), "8÷(3−8÷3)");
  assert.equal(plain(made), "8/(3-8/3)");
  assert.equal(String(made.value), "24");
});

test("brackets are written where they are needed", () => {
  const sum = joined(a, "+", b);
  const rest = joined(a, "-", b);
  assert.equal(plain(joined(sum, "*", rest)), "(8+3)*(8-3)");
  assert.equal(plain(joined(sum, "+", rest)), "8+3+8-3");
  assert.equal(plain(joined(sum, "-", rest)), "8+3-(8-3)");
  assert.equal(plain(joined(rest, "-", b)), "8-3-3");
  assert.equal(plain(joined(joined(a, "*", b), "*", joined(c, "*", d))), "8*3*8*3");
  assert.equal(plain(joined(a, "*", joined(b, "/", c))), "8*(3/8)");
  assert.equal(plain(joined(a, "/", joined(b, "*", c))), "8/(3*8)");
  assert.equal(plain(joined(joined(a, "/", b), "/", c)), "8/3/8");
});

test("brackets do not change the value", () => {
  const numbers = ["2", "3", "5", "7"].map((text) => leaf(text));
  for (const one of "+-*/") {
    for (const two of "+-*/") {
      for (const three of "+-*/") {
        const [p, q, r, s] = numbers;
        for (const made of [
          joined(p, one, joined(q, two, joined(r, three, s))),
          joined(joined(p, one, q), two, joined(r, three, s)),
          joined(joined(p, one, joined(q, two, r)), three, s),
          joined(p, one, joined(joined(q, two, r), three, s)),
        ]) {
          const value = Number(made.value.top) / Number(made.value.bottom);
          assert.ok(Math.abs(evaluate(plain(made)) - value) < 1e-9, plain(made));
        }
      }
    }
  }
});

test("a dealt fraction or negative number is one number", () => {
  assert.equal(plain(joined(leaf("1/2"), "+", leaf("-3"))), "(1/2)+(-3)");
  assert.equal(shown(joined(leaf("1/2"), "+", leaf("-3"))), "(1/2)+(−3)");
});

test("an answer is parsed with signs and spaces", () => {
  assert.equal(readable("8/(3-8/3)"), "8÷(3−8÷3)");
  assert.equal(readable("(1+2)*8"), "(1+2)×8");
});

test("a lettered card is typed by its letter", () => {
  assert.deepEqual(typedNames(leaf("12", "Q")), ["Q", "12"]);
  assert.deepEqual(typedNames(leaf("12", "12")), ["12"]);
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
