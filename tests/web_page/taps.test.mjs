/** Taps that a hand takes: at least one for each number and for each operation between them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { countTaps } from "./count_taps.mjs";

test("the median of 200 hands takes at most one tap more than the least possible", () => {
  const taken = countTaps();
  assert.equal(taken.length, 200);
  assert.equal(taken[0], 7);
  assert.ok(taken[taken.length / 2] <= 8, `median ${taken[taken.length / 2]}`);
  assert.ok(taken.at(-1) <= 10, `most ${taken.at(-1)}`);
});
