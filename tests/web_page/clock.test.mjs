import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { figures, left, offset, passed } = await load("clock");

test("what is left is told by the server's clock, and never below zero", () => {
  const ahead = offset(1000, 700);
  assert.equal(left(1060, ahead, 700), 60);
  assert.equal(left(1060, ahead, 700.2), 60);
  assert.equal(left(1060, ahead, 759.5), 1);
  assert.equal(left(1060, ahead, 900), 0);
});

test("figures", () => {
  assert.deepEqual([0, 9, 60, 61, 605].map(figures), ["0:00", "0:09", "1:00", "1:01", "10:05"]);
});

test("a threshold is told once, when it is passed", () => {
  assert.equal(passed(null, 42), null);
  assert.equal(passed(61, 60), 60);
  assert.equal(passed(60, 59), null);
  assert.equal(passed(31, 29), 30);
  assert.equal(passed(65, 9), 10);
});
