import assert from "node:assert/strict";
import { test } from "node:test";
import { load, puzzle } from "./page.mjs";

const { barred, BARRED, cleared, dealt, isBegun, operated, outcome, replayed, sent, tapped, undone } = await load("tiles");
const hand = puzzle(["3", "8", "3", "8"]);
const draw = puzzle(["75", "6", "4", "2"], { target: "300", uses_all: false, whole_numbers_only: true, accepts_near: true });

/** Tap places (numbers) and operations. */
function tap(table, ...taps) {
  return taps.reduce((now, tap) => (typeof tap === "number" ? tapped(now, tap) : operated(now, tap)), table);
}

const readValues = (table) => table.places.map((each) => each && String(each.value));

test("two numbers and an operation merge into a chosen tile", () => {
  const table = tap(dealt(hand), 1, "/", 0);
  assert.deepEqual(readValues(table), ["8/3", null, "3", "8"]);
  assert.equal(table.chosen, 0);
  assert.equal(table.op, null);
});

test("the classic hand takes nine taps, a chain seven", () => {
  const table = tap(dealt(hand), 1, "/", 0, 2, "-", 0, 3, "/", 0);
  assert.equal(outcome(table), "made");
  assert.equal(sent(table), "8/(3-8/3)");
  const chain = tap(dealt(puzzle(["1", "2", "3", "4"])), 0, "*", 1, "*", 2, "*", 3);
  assert.equal(outcome(chain), "made");
  assert.equal(sent(chain), "1*2*3*4");
});

test("a second number without an operation changes the choice", () => {
  assert.equal(tap(dealt(hand), 1, 2).chosen, 2);
  assert.equal(tap(dealt(hand), 1, 1).chosen, null);
  const waiting = tap(dealt(hand), 1, "+", 1);
  assert.deepEqual([waiting.chosen, waiting.op], [1, null]);
});

test("a second operation replaces the first, the same one removes it", () => {
  assert.equal(tap(dealt(hand), 1, "+", "*").op, "*");
  assert.equal(tap(dealt(hand), 1, "+", "+").op, null);
  assert.equal(tap(dealt(hand), "+").op, null);
});

test("every merger can be undone", () => {
  let table = tap(dealt(hand), 1, "/", 0, 2, "-", 0, 3, "/", 0);
  for (const expected of [2, 1, 0]) {
    table = undone(table);
    assert.equal(table.moves.length, expected);
  }
  assert.deepEqual(readValues(table), ["3", "8", "3", "8"]);
  assert.equal(table.chosen, 1);
  assert.equal(isBegun(undone(table)), false);
});

test("undo removes a waiting operation first", () => {
  const table = undone(tap(dealt(hand), 1, "/", 0, "+"));
  assert.deepEqual([table.op, table.moves.length], [null, 1]);
});

test("reset restores the dealt tiles", () => {
  const table = tap(dealt(hand), 1, "/", 0);
  const { before, ...rest } = cleared(table);
  assert.deepEqual(rest, dealt(hand));
  assert.equal(before, table);
  assert.equal(undone(cleared(table)), table);
});

test("a last number that is not the target is a miss", () => {
  const table = tap(dealt(hand), 0, "+", 1, "+", 2, "+", 3);
  assert.equal(outcome(table), "missed");
  assert.equal(outcome(tap(dealt(hand), 0, "+", 1, "+", 2)), null);
});

test("the target before all numbers are used is not the end", () => {
  assert.equal(outcome(tap(dealt(hand), 0, "*", 1)), null);
});

test("Countdown ends at the target and hands in the chosen tile", () => {
  assert.equal(outcome(tap(dealt(draw), 0, "*", 2)), "made");
  assert.equal(sent(tap(dealt(draw), 0, "*", 2)), "75*4");
  assert.equal(sent(tap(dealt(draw), 0, "+", 2)), "75+4");
  assert.equal(sent(tap(dealt(draw), 0, "+", 2, 1)), "6");
  assert.equal(sent(dealt(draw)), null);
});

test("Countdown allows whole numbers above zero only", () => {
  assert.equal(barred(tap(dealt(draw), 0, "/"), 1), BARRED.fraction);
  assert.equal(barred(tap(dealt(draw), 3, "-"), 2), BARRED.low);
  assert.equal(barred(tap(dealt(draw), 1, "/"), 3), null);
  const table = tap(dealt(draw), 3, "-");
  assert.equal(tapped(table, 2), table);
  assert.equal(barred(tap(dealt(puzzle(["4", "4"], { whole_numbers_only: true })), 0, "-"), 1), BARRED.low);
});

test("division by zero is refused, fractions and negative numbers are allowed in 24", () => {
  const table = tap(dealt(puzzle(["3", "3", "5", "5"])), 0, "-", 1, 2, "/");
  assert.equal(barred(table, 1), BARRED.zero);
  assert.equal(tapped(table, 1), table);
  assert.equal(String(tap(dealt(hand), 0, "-", 1).places[1].value), "-5");
});

test("moves can be replayed, forbidden ones are skipped", () => {
  const table = tap(dealt(hand), 1, "/", 0, 2, "-", 0);
  assert.deepEqual(readValues(replayed(hand, table.moves)), readValues(table));
  const strange = [[0, "+", 0], [9, "+", 1], [0, "^", 1], [1, "/", 0], [1, "/", 0]];
  assert.deepEqual(readValues(replayed(hand, strange)), ["8/3", null, "3", "8"]);
});

test("an empty place can't be chosen", () => {
  const table = tap(dealt(hand), 1, "/", 0);
  assert.equal(tapped(table, 1), table);
});
