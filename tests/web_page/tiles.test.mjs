import assert from "node:assert/strict";
import { test } from "node:test";
import { load, puzzle } from "./page.mjs";

const { barred, BARRED, cleared, dealt, isBegun, operated, outcome, replayed, sent, tapped, undone } = await load("tiles");
const hand = puzzle(["3", "8", "3", "8"]);
const draw = puzzle(["75", "6", "4", "2"], { target: "300", every: false, whole: true, near: true });

/** Taps: a number is a place, anything else an operation. */
function play(table, ...taps) {
  return taps.reduce((now, tap) => (typeof tap === "number" ? tapped(now, tap) : operated(now, tap)), table);
}

const values = (table) => table.places.map((each) => each && String(each.value));

test("number, operation, number: both become their value, and it stays chosen", () => {
  const table = play(dealt(hand), 1, "/", 0);
  assert.deepEqual(values(table), ["8/3", null, "3", "8"]);
  assert.equal(table.chosen, 0);
  assert.equal(table.op, null);
});

test("the classic hand in nine taps, and a chain in seven", () => {
  const table = play(dealt(hand), 1, "/", 0, 2, "-", 0, 3, "/", 0);
  assert.equal(outcome(table), "made");
  assert.equal(sent(table), "8/(3-8/3)");
  const chain = play(dealt(puzzle(["1", "2", "3", "4"])), 0, "*", 1, "*", 2, "*", 3);
  assert.equal(outcome(chain), "made");
  assert.equal(sent(chain), "1*2*3*4");
});

test("another number without an operation changes the choice", () => {
  assert.equal(play(dealt(hand), 1, 2).chosen, 2);
  assert.equal(play(dealt(hand), 1, 1).chosen, null);
  const waiting = play(dealt(hand), 1, "+", 1);
  assert.deepEqual([waiting.chosen, waiting.op], [1, null]);
});

test("another operation takes the place of the first, the same one is left", () => {
  assert.equal(play(dealt(hand), 1, "+", "*").op, "*");
  assert.equal(play(dealt(hand), 1, "+", "+").op, null);
  assert.equal(play(dealt(hand), "+").op, null);
});

test("every merger can be undone", () => {
  let table = play(dealt(hand), 1, "/", 0, 2, "-", 0, 3, "/", 0);
  for (const expected of [2, 1, 0]) {
    table = undone(table);
    assert.equal(table.moves.length, expected);
  }
  assert.deepEqual(values(table), ["3", "8", "3", "8"]);
  assert.equal(table.chosen, 1);
  assert.equal(isBegun(undone(table)), false);
});

test("undo first leaves the operation that waits", () => {
  const table = undone(play(dealt(hand), 1, "/", 0, "+"));
  assert.deepEqual([table.op, table.moves.length], [null, 1]);
});

test("reset lays the tiles as they were dealt", () => {
  const table = play(dealt(hand), 1, "/", 0);
  const { before, ...rest } = cleared(table);
  assert.deepEqual(rest, dealt(hand));
  assert.equal(before, table);
  assert.equal(undone(cleared(table)), table);
});

test("one number left that is not the target is a miss", () => {
  const table = play(dealt(hand), 0, "+", 1, "+", 2, "+", 3);
  assert.equal(outcome(table), "missed");
  assert.equal(outcome(play(dealt(hand), 0, "+", 1, "+", 2)), null);
});

test("where all numbers must be used, the target on the way is not the end", () => {
  assert.equal(outcome(play(dealt(hand), 0, "*", 1)), null);
});

test("Countdown ends with the target, and hands in what is chosen", () => {
  assert.equal(outcome(play(dealt(draw), 0, "*", 2)), "made");
  assert.equal(sent(play(dealt(draw), 0, "*", 2)), "75*4");
  assert.equal(sent(play(dealt(draw), 0, "+", 2)), "75+4");
  assert.equal(sent(play(dealt(draw), 0, "+", 2, 1)), "6");
  assert.equal(sent(dealt(draw)), null);
});

test("in Countdown only whole numbers above zero are made", () => {
  assert.equal(barred(play(dealt(draw), 0, "/"), 1), BARRED.fraction);
  assert.equal(barred(play(dealt(draw), 3, "-"), 2), BARRED.low);
  assert.equal(barred(play(dealt(draw), 1, "/"), 3), null);
  const table = play(dealt(draw), 3, "-");
  assert.equal(tapped(table, 2), table);
  assert.equal(barred(play(dealt(puzzle(["4", "4"], { whole: true })), 0, "-"), 1), BARRED.low);
});

test("nothing divides by zero, and 24 has fractions and less than nothing", () => {
  const table = play(dealt(puzzle(["3", "3", "5", "5"])), 0, "-", 1, 2, "/");
  assert.equal(barred(table, 1), BARRED.zero);
  assert.equal(tapped(table, 1), table);
  assert.equal(String(play(dealt(hand), 0, "-", 1).places[1].value), "-5");
});

test("moves can be replayed, and what is not allowed is left out", () => {
  const table = play(dealt(hand), 1, "/", 0, 2, "-", 0);
  assert.deepEqual(values(replayed(hand, table.moves)), values(table));
  const strange = [[0, "+", 0], [9, "+", 1], [0, "^", 1], [1, "/", 0], [1, "/", 0]];
  assert.deepEqual(values(replayed(hand, strange)), ["8/3", null, "3", "8"]);
});

test("an empty place takes no tap", () => {
  const table = play(dealt(hand), 1, "/", 0);
  assert.equal(tapped(table, 1), table);
});
