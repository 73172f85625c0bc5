import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { Seat } = await load("seat");

const YAHTZEE = { round: { id: 1, game: "Yahtzee", kind: "contest", state: "running" }, card: { turn: 3 } };
const makeHand = (id, state = "open") => ({ round: { id, game: "", kind: "first", state }, card: null });
const ended = { ...YAHTZEE, round: { ...YAHTZEE.round, state: "over" } };
const shownRound = (seat, state, beside = null) => seat.shown({ ...state, beside }).round.id;

test("an ended hand stays before a running contest until dismissed", () => {
  const kept = memory();
  const seat = new Seat(kept);
  assert.equal(shownRound(seat, YAHTZEE), 1);
  assert.deepEqual([seat.at, seat.parts.hand], ["contest", undefined]);
  assert.equal(shownRound(seat, makeHand(2), YAHTZEE), 2);
  assert.equal(seat.at, "hand");
  assert.equal(shownRound(seat, YAHTZEE, makeHand(2, "over")), 2);
  assert.equal(shownRound(new Seat(kept), YAHTZEE, makeHand(2, "over")), 2, "over a reload too");
  assert.equal(seat.other().round.id, 1);
  assert.equal(seat.at, "contest");
  assert.equal(shownRound(seat, YAHTZEE, makeHand(2, "over")), 1);
  assert.equal(shownRound(seat, makeHand(3), YAHTZEE), 3, "what begins is shown");
});

test("a hand that ended before the visit does not hide the card", () => {
  assert.equal(shownRound(new Seat(memory()), YAHTZEE, makeHand(2, "over")), 1);
});

test("the reader can switch between an open hand and the card", () => {
  const seat = new Seat(memory());
  shownRound(seat, makeHand(2), YAHTZEE);
  seat.other();
  assert.equal(shownRound(seat, makeHand(2), YAHTZEE), 1, "a change there takes nobody away from the card");
  assert.equal(seat.other().round.id, 2);
});

test("the reader stays at a contest until they deal a hand", () => {
  const seat = new Seat(memory());
  assert.equal(shownRound(seat, YAHTZEE, makeHand(2)), 1);
  assert.equal(shownRound(seat, YAHTZEE, makeHand(3)), 1);
  seat.pressed("st:deal");
  assert.equal(shownRound(seat, YAHTZEE, makeHand(3, "over")), 1);
  assert.equal(shownRound(seat, YAHTZEE, makeHand(4)), 4);
  assert.equal(shownRound(seat, YAHTZEE, makeHand(4, "over")), 4);
  assert.equal(shownRound(seat, YAHTZEE, makeHand(5)), 5);
});

test("a reader who left a race stays away from its hands, but not from a later deal", () => {
  const seat = new Seat(memory());
  shownRound(seat, makeHand(2), YAHTZEE);
  seat.other();
  assert.equal(shownRound(seat, makeHand(3), YAHTZEE), 1);
  assert.equal(shownRound(seat, YAHTZEE, makeHand(3, "over")), 1);
  assert.equal(shownRound(seat, makeHand(4), YAHTZEE), 4);
});

test("an ended contest stays, and a new one replaces an ended hand", () => {
  const seat = new Seat(memory());
  shownRound(seat, makeHand(2), YAHTZEE);
  seat.other();
  assert.equal(shownRound(seat, makeHand(2), ended), 1);
  assert.equal(shownRound(seat, makeHand(2), ended), 1);
  seat.other();
  assert.equal(shownRound(seat, ended, makeHand(2, "over")), 2);
  const next = { ...YAHTZEE, round: { ...YAHTZEE.round, id: 7 } };
  assert.equal(shownRound(seat, next, makeHand(2, "over")), 7);
  assert.equal(shownRound(seat, next), 7);
});

test("an empty table is shown as it is", () => {
  const state = { round: null, card: null, beside: null };
  assert.equal(new Seat(memory()).shown(state), state);
});
