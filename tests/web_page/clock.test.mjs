import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Clock, figures, left, offset, passed } = await load("clock");

test("time left follows the server's clock and is never below zero", () => {
  const ahead = offset(1000, 700);
  assert.equal(left(1060, ahead, 700), 60);
  assert.equal(left(1060, ahead, 700.2), 60);
  assert.equal(left(1060, ahead, 759.5), 1);
  assert.equal(left(1060, ahead, 900), 0);
});

test("time left is shown in minutes and seconds", () => {
  assert.deepEqual([0, 9, 60, 61, 605].map(figures), ["0:00", "0:09", "1:00", "1:01", "10:05"]);
});

test("a threshold is announced once", () => {
  assert.equal(passed(null, 42), null);
  assert.equal(passed(61, 60), 60);
  assert.equal(passed(60, 59), null);
  assert.equal(passed(31, 29), 30);
  assert.equal(passed(65, 9), 10);
});

test("a threshold that passed long ago is not announced", () => {
  assert.equal(passed(65, 5), null);
  assert.equal(passed(65, 25), null);
});

test("thresholds are announced again after the deadline has moved", () => {
  const clock = new Clock();
  clock.set(1000, 1000);
  const read = (deadline, now) => clock.read(deadline, now).crossed;
  assert.equal(read(1055, 1000), null);
  assert.equal(read(1010, 1001), null);
  assert.equal(read(1073, 1002), null);
  assert.equal(read(1073, 1013), 60);
  assert.equal(read(null, 1014), null);
  assert.equal(read(1075, 1014.5), null);
});
