import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { describeProgress } = await load("people");
const { formatBonus } = await load("scorecard");

test("people are listed with commas and points", () => {
  assert.equal(describeProgress({ name: "Player", you: true, points: 3, activity: "handed in" }), ", you, handed in, points: 3");
  assert.equal(describeProgress({ name: "Ann", you: false, points: 0, activity: "thinking" }), ", thinking, points: 0");
  assert.equal(describeProgress({ name: "Ann", you: false, points: null, activity: "solved it" }), ", solved it");
});

test("the missing bonus is shown only while it can be reached", () => {
  const rows = Array.from({ length: 13 }, () => ({ score: null }));
  assert.equal(formatBonus({ bonus: 0, missing: 62, rows, dice: [1, 2, 3, 4, 5] }), "62 more in ones to sixes for the bonus");
  assert.equal(formatBonus({ bonus: 0, missing: 62, rows, dice: [] }), "");
  assert.equal(formatBonus({ bonus: 35, missing: 0, rows, dice: [] }), "Bonus: 35");
});
