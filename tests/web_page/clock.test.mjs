import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Clock, computeClockOffset, computeSecondsLeft, findPassedThreshold, formatSeconds } = await load("clock");

test("time left follows the server's clock and is never below zero", () => {
  const offset = computeClockOffset(1000, 700);
  assert.equal(computeSecondsLeft(1060, offset, 700), 60);
  assert.equal(computeSecondsLeft(1060, offset, 700.2), 60);
  assert.equal(computeSecondsLeft(1060, offset, 759.5), 1);
  assert.equal(computeSecondsLeft(1060, offset, 900), 0);
});

test("time left is shown in minutes and seconds", () => {
  assert.deepEqual([0, 9, 60, 61, 605].map(formatSeconds), ["0:00", "0:09", "1:00", "1:01", "10:05"]);
});

test("a threshold is announced once", () => {
  assert.equal(findPassedThreshold(null, 42), null);
  assert.equal(findPassedThreshold(61, 60), 60);
  assert.equal(findPassedThreshold(60, 59), null);
  assert.equal(findPassedThreshold(31, 29), 30);
  assert.equal(findPassedThreshold(65, 9), 10);
});

test("a threshold that passed long ago is not announced", () => {
  assert.equal(findPassedThreshold(65, 5), null);
  assert.equal(findPassedThreshold(65, 25), null);
});

test("thresholds are announced again after the deadline has moved", () => {
  const clock = new Clock();
  clock.setServerTime(1000, 1000);
  const read = (deadline, now) => clock.readDeadline(deadline, now).passedThreshold;
  assert.equal(read(1055, 1000), null);
  assert.equal(read(1010, 1001), null);
  assert.equal(read(1073, 1002), null);
  assert.equal(read(1073, 1013), 60);
  assert.equal(read(null, 1014), null);
  assert.equal(read(1075, 1014.5), null);
});
