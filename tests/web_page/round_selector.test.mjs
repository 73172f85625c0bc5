import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { RoundSelector } = await load("round_selector");

const YAHTZEE = { round: { id: 1, game: "Yahtzee", kind: "contest", state: "running" }, card: { turn: 3 } };
const makeHand = (id, state = "open") => ({ round: { id, game: "", kind: "first", state }, card: null });
const ended = { ...YAHTZEE, round: { ...YAHTZEE.round, state: "over" } };
const shownRound = (selector, state, beside = null) => selector.select({ ...state, beside }).round.id;

test("an ended hand stays before a running contest until dismissed", () => {
  const stored = memory();
  const selector = new RoundSelector(stored);
  assert.equal(shownRound(selector, YAHTZEE), 1);
  assert.deepEqual([selector.side, selector.sides.hand], ["contest", undefined]);
  assert.equal(shownRound(selector, makeHand(2), YAHTZEE), 2);
  assert.equal(selector.side, "hand");
  assert.equal(shownRound(selector, YAHTZEE, makeHand(2, "over")), 2);
  assert.equal(shownRound(new RoundSelector(stored), YAHTZEE, makeHand(2, "over")), 2, "over a reload too");
  assert.equal(selector.switchSide().round.id, 1);
  assert.equal(selector.side, "contest");
  assert.equal(shownRound(selector, YAHTZEE, makeHand(2, "over")), 1);
  assert.equal(shownRound(selector, makeHand(3), YAHTZEE), 3, "what begins is shown");
});

test("a hand that ended before the visit does not hide the card", () => {
  assert.equal(shownRound(new RoundSelector(memory()), YAHTZEE, makeHand(2, "over")), 1);
});

test("the reader can switch between an open hand and the card", () => {
  const selector = new RoundSelector(memory());
  shownRound(selector, makeHand(2), YAHTZEE);
  selector.switchSide();
  assert.equal(shownRound(selector, makeHand(2), YAHTZEE), 1, "a change there takes nobody away from the card");
  assert.equal(selector.switchSide().round.id, 2);
});

test("the reader stays at a contest until they deal a hand", () => {
  const selector = new RoundSelector(memory());
  assert.equal(shownRound(selector, YAHTZEE, makeHand(2)), 1);
  assert.equal(shownRound(selector, YAHTZEE, makeHand(3)), 1);
  selector.notePress("st:deal");
  assert.equal(shownRound(selector, YAHTZEE, makeHand(3, "over")), 1);
  assert.equal(shownRound(selector, YAHTZEE, makeHand(4)), 4);
  assert.equal(shownRound(selector, YAHTZEE, makeHand(4, "over")), 4);
  assert.equal(shownRound(selector, YAHTZEE, makeHand(5)), 5);
});

test("a reader who left a race stays away from its hands, but not from a later deal", () => {
  const selector = new RoundSelector(memory());
  shownRound(selector, makeHand(2), YAHTZEE);
  selector.switchSide();
  assert.equal(shownRound(selector, makeHand(3), YAHTZEE), 1);
  assert.equal(shownRound(selector, YAHTZEE, makeHand(3, "over")), 1);
  assert.equal(shownRound(selector, makeHand(4), YAHTZEE), 4);
});

test("an ended contest stays, and a new one replaces an ended hand", () => {
  const selector = new RoundSelector(memory());
  shownRound(selector, makeHand(2), YAHTZEE);
  selector.switchSide();
  assert.equal(shownRound(selector, makeHand(2), ended), 1);
  assert.equal(shownRound(selector, makeHand(2), ended), 1);
  selector.switchSide();
  assert.equal(shownRound(selector, ended, makeHand(2, "over")), 2);
  const next = { ...YAHTZEE, round: { ...YAHTZEE.round, id: 7 } };
  assert.equal(shownRound(selector, next, makeHand(2, "over")), 7);
  assert.equal(shownRound(selector, next), 7);
});

test("an empty table is shown as it is", () => {
  const state = { round: null, card: null, beside: null };
  assert.equal(new RoundSelector(memory()).select(state), state);
});
