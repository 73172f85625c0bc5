import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Fraction } = await load("fraction");
const of = (text) => Fraction.parse(text);

test("values are exact and in lowest terms", () => {
  assert.equal(String(of("8").over(of("3"))), "8/3");
  assert.equal(String(of("3").minus(of("8/3"))), "1/3");
  assert.equal(String(of("8").over(of("1/3"))), "24");
  assert.equal(String(of("6/-3".replace("-", "")).plus(of("-2"))), "0");
  assert.equal(String(of("4/6").times(of("-3/2"))), "-1");
});

test("the sign stands at the top", () => {
  assert.equal(String(new Fraction(3n, -6n)), "-1/2");
  assert.equal(String(new Fraction(0n, -6n)), "0");
});

test("numbers of any size", () => {
  const large = of("9".repeat(40));
  assert.equal(String(large.times(large).over(large)), "9".repeat(40));
});

test("parse and toString are inverses", () => {
  for (const text of ["0", "7", "-7", "1/3", "-22/7"]) assert.equal(String(of(text)), text);
});

test("what is no number is refused", () => {
  for (const text of ["", "1.5", "1/", "/2", "1/-2", "½", "1e3", " 1"]) assert.throws(() => of(text), SyntaxError);
  assert.throws(() => of("1/0"), RangeError);
  assert.throws(() => of("1").over(of("0")), RangeError);
});

test("whole, above zero, equal", () => {
  assert.ok(of("4/2").isWhole && of("4/2").isPositive && !of("-1").isPositive && of("0").isZero);
  assert.ok(of("2/4").equals(of("1/2")) && !of("1/2").equals(of("1/3")));
});
