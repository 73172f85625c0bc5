import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { Day } = await load("day");
const { Today } = await load("today");

const HAND = { day: "2026-11-25", numbers: ["3", "8", "3", "8"], shown: ["3", "8", "3", "8"], target: "24", done: false };
const STATE = { language: "en", day: HAND, round: null, beside: null };
const OPEN = { id: 1, state: "open" };

function today() {
  const values = {};
  const day = new Day((name) => (values[name] ??= memory()), () => Date.parse("2026-11-25T12:00Z") / 1000);
  day.of({ id: 11 });
  return { day, today: new Today(day) };
}

test("with a connection the bot's hand is played, without one what is kept of it", () => {
  const { day, today: made } = today();
  assert.equal(made.playable(STATE, false).id, "day:2026-11-25");
  assert.equal(made.playable(STATE, true), null);
  day.keep(STATE);
  assert.equal(made.playable(STATE, true).day, HAND.day);
  assert.equal(made.playable({ ...STATE, day: null }, false), null);
  assert.equal(made.playable({ ...STATE, day: { ...HAND, done: true } }, false), null);
  day.add(HAND.day, "8/(3-8/3)", 1);
  assert.equal(made.playable(STATE, false), null, "its answer waits, as one that was given offline");
});

test("a hand whose answer is on its way is played no more, in either way", () => {
  const { day, today: made } = today();
  day.keep(STATE);
  day.add(HAND.day, "8/(3-8/3)");
  assert.deepEqual([made.playable(STATE, false), made.playable(STATE, true)], [null, null]);
});

test("what was asked for lies there once, and not while something is played", () => {
  const { today: made } = today();
  assert.equal(made.due(STATE, true), null);
  made.pressed("st:deal");
  assert.equal(made.due(STATE, false), null);
  made.pressed("do:");
  made.pressed("h:1");
  assert.equal(made.due({ ...STATE, day: null }, false), null, "the bot has not said it yet");
  assert.equal(made.due(STATE, false).day, HAND.day);
  assert.equal(made.due(STATE, false), null);
  for (const played of [{ ...STATE, round: OPEN }, { ...STATE, round: { ...OPEN, state: "over" }, beside: { round: OPEN } }]) {
    made.pressed("do:");
    assert.equal(made.due(played, false), null);
    assert.equal(made.due(STATE, false), null, "it is only offered from then on");
  }
});

test("what lies there unasked goes with the first state, unless it was begun", () => {
  const { day, today: made } = today();
  day.keep(STATE);
  made.lay(day.hand, true);
  assert.deepEqual([made.goes(STATE, false), made.goes(STATE, true)], [true, false]);
  made.lay(day.hand);
  assert.equal(made.goes(STATE, false), false);
  assert.equal(made.goes({ ...STATE, over: ["2026-11-26"] }, true), false);
  assert.equal(made.goes({ ...STATE, day: null, over: ["2026-11-26", HAND.day] }, true), true);
});

test("only a word on what was handed in for it says that it came too late", () => {
  const { today: made } = today();
  made.lay(made.playable(STATE, false));
  made.handedIn("a");
  assert.equal(made.isTooLate("b", null), false);
  assert.equal(made.isTooLate("a", true), false);
  assert.equal(made.isHandedIn, true);
  assert.equal(made.isTooLate("a", null), true);
  assert.equal(made.isTooLate("a", false), false);
  assert.equal(made.isHandedIn, false, "a wrong one is as none");
});

test("what was handed in is on its way until it is judged or refused", () => {
  const { today: made } = today();
  made.lay(made.playable(STATE, false));
  const steps = [() => made.handedIn("a"), () => made.refused("b"), () => made.refused("a"), () => made.handedIn("c"), () => made.isTooLate("c", true)];
  const seen = steps.map((step) => (step(), [made.isOnItsWay, made.isHandedIn]));
  assert.deepEqual(seen, [[true, true], [true, true], [false, false], [true, true], [false, true]]);
});
