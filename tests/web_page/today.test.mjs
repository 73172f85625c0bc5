import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { Day } = await load("day");
const { Today } = await load("today");

const HAND = { day: "2026-11-25", numbers: ["3", "8", "3", "8"], labels: ["3", "8", "3", "8"], target: "24", is_done: false };
const STATE = { language: "en", day: HAND, round: null, beside: null, place: { kind: "group", title: "" } };
const OPEN = { id: 1, state: "open" };

function makeToday() {
  const values = {};
  const day = new Day((name) => (values[name] ??= memory()), () => Date.parse("2026-11-25T12:00Z") / 1000);
  day.of({ id: 11 });
  return { day, today: new Today(day) };
}

test("the bot's hand is played when connected, the stored one otherwise", () => {
  const { day, today } = makeToday();
  assert.equal(today.playable(STATE, false).id, "day:2026-11-25");
  assert.equal(today.playable(STATE, true), null);
  day.keep(STATE);
  assert.equal(today.playable(STATE, true).day, HAND.day);
  assert.equal(today.playable({ ...STATE, day: null }, false), null);
  assert.equal(today.playable({ ...STATE, day: { ...HAND, is_done: true } }, false), null);
  day.add(HAND.day, "8/(3-8/3)", 1);
  assert.equal(today.playable(STATE, false), null, "its answer waits, as one that was given offline");
});

test("a hand with a waiting answer can't be played", () => {
  const { day, today } = makeToday();
  day.keep(STATE);
  day.add(HAND.day, "8/(3-8/3)");
  assert.deepEqual([today.playable(STATE, false), today.playable(STATE, true)], [null, null]);
});

test("a requested hand is laid once, and not during another", () => {
  const { today } = makeToday();
  assert.equal(today.due(STATE, null), null);
  today.pressed("st:deal");
  assert.equal(today.due(STATE, STATE), null);
  today.pressed("do:");
  today.pressed("h:1");
  assert.equal(today.due({ ...STATE, day: null }, STATE), null, "the bot has not said it yet");
  assert.equal(today.due(STATE, STATE).day, HAND.day);
  assert.equal(today.due(STATE, STATE), null);
  for (const played of [{ ...STATE, round: OPEN }, { ...STATE, round: { ...OPEN, state: "over" }, beside: { round: OPEN } }]) {
    today.pressed("do:");
    assert.equal(today.due(played, STATE), null);
    assert.equal(today.due(STATE, STATE), null, "it is only offered from then on");
  }
});

test("a hand that runs is laid at one's own table, once", () => {
  const { today } = makeToday();
  const own = { ...STATE, place: { kind: "private", title: "" } };
  assert.equal(today.due(own, null).day, HAND.day);
  assert.equal(today.due(own, own), null, "who has left it is not called back");
  assert.equal(today.due(own, { ...own, day: null }).day, HAND.day, "it was dealt in the chat");
  assert.equal(today.due({ ...own, round: OPEN }, null), null);
});

test("a hand that ended stays with its result", () => {
  const { today } = makeToday();
  today.lay(today.playable(STATE, false));
  const over = { ...STATE, day: { ...HAND, is_done: true }, finished_days: [HAND.day] };
  assert.deepEqual([today.result(STATE), today.result(over).day, today.goes(over, true)], [null, HAND.day, false]);
  assert.equal(today.result({ ...over, day: { ...over.day, day: "2026-11-26" } }), null);
});

test("a hand laid without a request goes with the first state unless begun", () => {
  const { day, today } = makeToday();
  day.keep(STATE);
  today.lay(day.hand, true);
  assert.deepEqual([today.goes(STATE, false), today.goes(STATE, true)], [true, false]);
  today.lay(day.hand);
  assert.equal(today.goes(STATE, false), false);
  assert.equal(today.goes({ ...STATE, finished_days: ["2026-11-26"] }, true), false);
  assert.equal(today.goes({ ...STATE, day: null, finished_days: ["2026-11-26", HAND.day] }, true), true);
});

test("only a reply to its own answer reports it as too late", () => {
  const { today } = makeToday();
  today.lay(today.playable(STATE, false));
  today.handedIn("a");
  assert.equal(today.isTooLate("b", null), false);
  assert.equal(today.isTooLate("a", true), false);
  assert.equal(today.isHandedIn, true);
  assert.equal(today.isTooLate("a", null), true);
  assert.equal(today.isTooLate("a", false), false);
  assert.equal(today.isHandedIn, false, "a wrong one is as none");
});

test("an answer waits until it is judged or refused", () => {
  const { today } = makeToday();
  today.lay(today.playable(STATE, false));
  const steps = [() => today.handedIn("a"), () => today.refused("b"), () => today.refused("a"), () => today.handedIn("c"), () => today.isTooLate("c", true)];
  const seen = steps.map((step) => (step(), [today.isOnItsWay, today.isHandedIn]));
  assert.deepEqual(seen, [[true, true], [true, true], [false, false], [true, true], [false, true]]);
});
