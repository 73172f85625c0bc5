import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Fraction } = await load("fraction");
const parse = (text) => Fraction.parse(text);

test("values are exact and in lowest terms", () => {
  assert.equal(String(parse("8").dividedBy(parse("3"))), "8/3");
  assert.equal(String(parse("3").minus(parse("8/3"))), "1/3");
  assert.equal(String(parse("8").dividedBy(parse("1/3"))), "24");
  assert.equal(String(parse("6/-3".replace("-", "")).plus(parse("-2"))), "0");
  assert.equal(String(parse("4/6").times(parse("-3/2"))), "-1");
});

test("the sign belongs to the numerator", () => {
  assert.equal(String(new Fraction(3n, -6n)), "-1/2");
  assert.equal(String(new Fraction(0n, -6n)), "0");
});

test("numbers may have any size", () => {
  const large = parse("9".repeat(40));
  assert.equal(String(large.times(large).dividedBy(large)), "9".repeat(40));
});

test("parse and toString are inverses", () => {
  for (const text of ["0", "7", "-7", "1/3", "-22/7"]) assert.equal(String(parse(text)), text);
});

test("text that is no number is refused", () => {
  for (const text of ["", "1.5", "1/", "/2", "1/-2", "½", "1e3", " 1"]) assert.throws(() => parse(text), SyntaxError);
  assert.throws(() => parse("1/0"), RangeError);
  assert.throws(() => parse("1").dividedBy(parse("0")), RangeError);
});

test("isWhole, isPositive and equals compare values", () => {
  assert.ok(parse("4/2").isWhole && parse("4/2").isPositive && !parse("-1").isPositive && parse("0").isZero);
  assert.ok(parse("2/4").equals(parse("1/2")) && !parse("1/2").equals(parse("1/3")));
});
