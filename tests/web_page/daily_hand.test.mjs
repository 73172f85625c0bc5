import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { DailyStore } = await load("daily_store");
const { DailyHand } = await load("daily_hand");

const HAND = { day: "2026-11-25", numbers: ["3", "8", "3", "8"], labels: ["3", "8", "3", "8"], target: "24", is_done: false };
const STATE = { language: "en", day: HAND, round: null, beside: null, place: { kind: "group", title: "" } };
const OPEN = { id: 1, state: "open" };

function makeDailyHand() {
  const values = {};
  const store = new DailyStore((name) => (values[name] ??= memory()), () => Date.parse("2026-11-25T12:00Z") / 1000);
  store.setPerson({ id: 11 });
  return { store, dailyHand: new DailyHand(store) };
}

test("the bot's hand is played when connected, the stored one otherwise", () => {
  const { store, dailyHand } = makeDailyHand();
  assert.equal(dailyHand.findPlayable(STATE, false).id, "day:2026-11-25");
  assert.equal(dailyHand.findPlayable(STATE, true), null);
  store.storeHand(STATE);
  assert.equal(dailyHand.findPlayable(STATE, true).day, HAND.day);
  assert.equal(dailyHand.findPlayable({ ...STATE, day: null }, false), null);
  assert.equal(dailyHand.findPlayable({ ...STATE, day: { ...HAND, is_done: true } }, false), null);
  store.addAnswer(HAND.day, "8/(3-8/3)", 1);
  assert.equal(dailyHand.findPlayable(STATE, false), null, "its answer waits, as one that was given offline");
});

test("a hand with a waiting answer can't be played", () => {
  const { store, dailyHand } = makeDailyHand();
  store.storeHand(STATE);
  store.addAnswer(HAND.day, "8/(3-8/3)");
  assert.deepEqual([dailyHand.findPlayable(STATE, false), dailyHand.findPlayable(STATE, true)], [null, null]);
});

test("a requested hand is laid once, and not during another", () => {
  const { dailyHand } = makeDailyHand();
  assert.equal(dailyHand.takeDuePuzzle(STATE, null), null);
  dailyHand.notePress("st:deal");
  assert.equal(dailyHand.takeDuePuzzle(STATE, STATE), null);
  dailyHand.notePress("do:");
  dailyHand.notePress("h:1");
  assert.equal(dailyHand.takeDuePuzzle({ ...STATE, day: null }, STATE), null, "the bot has not said it yet");
  assert.equal(dailyHand.takeDuePuzzle(STATE, STATE).day, HAND.day);
  assert.equal(dailyHand.takeDuePuzzle(STATE, STATE), null);
  for (const played of [{ ...STATE, round: OPEN }, { ...STATE, round: { ...OPEN, state: "over" }, beside: { round: OPEN } }]) {
    dailyHand.notePress("do:");
    assert.equal(dailyHand.takeDuePuzzle(played, STATE), null);
    assert.equal(dailyHand.takeDuePuzzle(STATE, STATE), null, "it is only offered from then on");
  }
});

test("a hand that runs is laid at one's own table, once", () => {
  const { dailyHand } = makeDailyHand();
  const own = { ...STATE, place: { kind: "private", title: "" } };
  assert.equal(dailyHand.takeDuePuzzle(own, null).day, HAND.day);
  assert.equal(dailyHand.takeDuePuzzle(own, own), null, "who has left it is not called back");
  assert.equal(dailyHand.takeDuePuzzle(own, { ...own, day: null }).day, HAND.day, "it was dealt in the chat");
  assert.equal(dailyHand.takeDuePuzzle({ ...own, round: OPEN }, null), null);
});

test("a hand that ended stays with its result", () => {
  const { dailyHand } = makeDailyHand();
  dailyHand.show(dailyHand.findPlayable(STATE, false));
  const over = { ...STATE, day: { ...HAND, is_done: true }, finished_days: [HAND.day] };
  assert.deepEqual([dailyHand.findResult(STATE), dailyHand.findResult(over).day, dailyHand.mustClose(over, true)], [null, HAND.day, false]);
  assert.equal(dailyHand.findResult({ ...over, day: { ...over.day, day: "2026-11-26" } }), null);
});

test("a hand laid without a request goes with the first state unless begun", () => {
  const { store, dailyHand } = makeDailyHand();
  store.storeHand(STATE);
  dailyHand.show(store.playablePuzzle, true);
  assert.deepEqual([dailyHand.mustClose(STATE, false), dailyHand.mustClose(STATE, true)], [true, false]);
  dailyHand.show(store.playablePuzzle);
  assert.equal(dailyHand.mustClose(STATE, false), false);
  assert.equal(dailyHand.mustClose({ ...STATE, finished_days: ["2026-11-26"] }, true), false);
  assert.equal(dailyHand.mustClose({ ...STATE, day: null, finished_days: ["2026-11-26", HAND.day] }, true), true);
});

test("only a reply to its own answer reports it as too late", () => {
  const { dailyHand } = makeDailyHand();
  dailyHand.show(dailyHand.findPlayable(STATE, false));
  dailyHand.noteAnswer("a");
  assert.equal(dailyHand.noteVerdict("b", null), false);
  assert.equal(dailyHand.noteVerdict("a", true), false);
  assert.equal(dailyHand.hasAnswer, true);
  assert.equal(dailyHand.noteVerdict("a", null), true);
  assert.equal(dailyHand.noteVerdict("a", false), false);
  assert.equal(dailyHand.hasAnswer, false, "a wrong one is as none");
});

test("an answer waits until it is judged or refused", () => {
  const { dailyHand } = makeDailyHand();
  dailyHand.show(dailyHand.findPlayable(STATE, false));
  const steps = [() => dailyHand.noteAnswer("a"), () => dailyHand.noteRefusal("b"), () => dailyHand.noteRefusal("a"), () => dailyHand.noteAnswer("c"), () => dailyHand.noteVerdict("c", true)];
  const seen = steps.map((step) => (step(), [dailyHand.isAwaitingVerdict, dailyHand.hasAnswer]));
  assert.deepEqual(seen, [[true, true], [true, true], [false, false], [true, true], [false, true]]);
});
