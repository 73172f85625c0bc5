import assert from "node:assert/strict";
import { test } from "node:test";
import { load, puzzle } from "./page.mjs";

const { findObstacle, OBSTACLES, resetTiles, dealTiles, isBegun, tapOperation, judgeTiles, replayMoves, formatTilesAnswer, tapTile, undoStep } = await load("tiles");
const hand = puzzle(["3", "8", "3", "8"]);
const draw = puzzle(["75", "6", "4", "2"], { target: "300", uses_all: false, whole_numbers_only: true, accepts_near: true });

/** Tap places (numbers) and operations. */
function tap(table, ...taps) {
  return taps.reduce((now, tap) => (typeof tap === "number" ? tapTile(now, tap) : tapOperation(now, tap)), table);
}

const readValues = (table) => table.places.map((each) => each && String(each.value));

test("two numbers and an operation merge into a chosen tile", () => {
  const table = tap(dealTiles(hand), 1, "/", 0);
  assert.deepEqual(readValues(table), ["8/3", null, "3", "8"]);
  assert.equal(table.chosen, 0);
  assert.equal(table.op, null);
});

test("the classic hand takes nine taps, a chain seven", () => {
  const table = tap(dealTiles(hand), 1, "/", 0, 2, "-", 0, 3, "/", 0);
  assert.equal(judgeTiles(table), "made");
  assert.equal(formatTilesAnswer(table), "8/(3-8/3)");
  const chain = tap(dealTiles(puzzle(["1", "2", "3", "4"])), 0, "*", 1, "*", 2, "*", 3);
  assert.equal(judgeTiles(chain), "made");
  assert.equal(formatTilesAnswer(chain), "1*2*3*4");
});

test("a second number without an operation changes the choice", () => {
  assert.equal(tap(dealTiles(hand), 1, 2).chosen, 2);
  assert.equal(tap(dealTiles(hand), 1, 1).chosen, null);
  const waiting = tap(dealTiles(hand), 1, "+", 1);
  assert.deepEqual([waiting.chosen, waiting.op], [1, null]);
});

test("a second operation replaces the first, the same one removes it", () => {
  assert.equal(tap(dealTiles(hand), 1, "+", "*").op, "*");
  assert.equal(tap(dealTiles(hand), 1, "+", "+").op, null);
  assert.equal(tap(dealTiles(hand), "+").op, null);
});

test("every merger can be undone", () => {
  let table = tap(dealTiles(hand), 1, "/", 0, 2, "-", 0, 3, "/", 0);
  for (const expected of [2, 1, 0]) {
    table = undoStep(table);
    assert.equal(table.moves.length, expected);
  }
  assert.deepEqual(readValues(table), ["3", "8", "3", "8"]);
  assert.equal(table.chosen, 1);
  assert.equal(isBegun(undoStep(table)), false);
});

test("undo removes a waiting operation first", () => {
  const table = undoStep(tap(dealTiles(hand), 1, "/", 0, "+"));
  assert.deepEqual([table.op, table.moves.length], [null, 1]);
});

test("reset restores the dealt tiles", () => {
  const table = tap(dealTiles(hand), 1, "/", 0);
  const { beforeReset, ...rest } = resetTiles(table);
  assert.deepEqual(rest, dealTiles(hand));
  assert.equal(beforeReset, table);
  assert.equal(undoStep(resetTiles(table)), table);
});

test("a last number that is not the target is a miss", () => {
  const table = tap(dealTiles(hand), 0, "+", 1, "+", 2, "+", 3);
  assert.equal(judgeTiles(table), "missed");
  assert.equal(judgeTiles(tap(dealTiles(hand), 0, "+", 1, "+", 2)), null);
});

test("the target before all numbers are used is not the end", () => {
  assert.equal(judgeTiles(tap(dealTiles(hand), 0, "*", 1)), null);
});

test("Countdown ends at the target and hands in the chosen tile", () => {
  assert.equal(judgeTiles(tap(dealTiles(draw), 0, "*", 2)), "made");
  assert.equal(formatTilesAnswer(tap(dealTiles(draw), 0, "*", 2)), "75*4");
  assert.equal(formatTilesAnswer(tap(dealTiles(draw), 0, "+", 2)), "75+4");
  assert.equal(formatTilesAnswer(tap(dealTiles(draw), 0, "+", 2, 1)), "6");
  assert.equal(formatTilesAnswer(dealTiles(draw)), null);
});

test("Countdown allows whole numbers above zero only", () => {
  assert.equal(findObstacle(tap(dealTiles(draw), 0, "/"), 1), OBSTACLES.fraction);
  assert.equal(findObstacle(tap(dealTiles(draw), 3, "-"), 2), OBSTACLES.low);
  assert.equal(findObstacle(tap(dealTiles(draw), 1, "/"), 3), null);
  const table = tap(dealTiles(draw), 3, "-");
  assert.equal(tapTile(table, 2), table);
  assert.equal(findObstacle(tap(dealTiles(puzzle(["4", "4"], { whole_numbers_only: true })), 0, "-"), 1), OBSTACLES.low);
});

test("division by zero is refused, fractions and negative numbers are allowed in 24", () => {
  const table = tap(dealTiles(puzzle(["3", "3", "5", "5"])), 0, "-", 1, 2, "/");
  assert.equal(findObstacle(table, 1), OBSTACLES.zero);
  assert.equal(tapTile(table, 1), table);
  assert.equal(String(tap(dealTiles(hand), 0, "-", 1).places[1].value), "-5");
});

test("moves can be replayMoves, forbidden ones are skipped", () => {
  const table = tap(dealTiles(hand), 1, "/", 0, 2, "-", 0);
  assert.deepEqual(readValues(replayMoves(hand, table.moves)), readValues(table));
  const strange = [[0, "+", 0], [9, "+", 1], [0, "^", 1], [1, "/", 0], [1, "/", 0]];
  assert.deepEqual(readValues(replayMoves(hand, strange)), ["8/3", null, "3", "8"]);
});

test("an empty place can't be chosen", () => {
  const table = tap(dealTiles(hand), 1, "/", 0);
  assert.equal(tapTile(table, 1), table);
});
