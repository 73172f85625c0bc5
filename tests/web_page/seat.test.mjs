import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { Seat } = await load("seat");

const YAHTZEE = { round: { id: 1, game: "yahtzee", kind: "contest", state: "running" }, card: { turn: 3 } };
const hand = (id, state = "open") => ({ round: { id, game: "twentyfour", kind: "first", state }, card: null });
const ended = { ...YAHTZEE, round: { ...YAHTZEE.round, state: "over" } };
const at = (seat, state, beside = null) => seat.shown({ ...state, beside }).round.id;

test("how a hand ended stays before the running contest until somebody goes on", () => {
  const kept = memory();
  const seat = new Seat(kept);
  assert.equal(at(seat, YAHTZEE), 1);
  assert.equal(seat.way, null);
  assert.equal(at(seat, hand(2), YAHTZEE), 2);
  assert.equal(seat.way, "Back to the card");
  assert.equal(at(seat, YAHTZEE, hand(2, "over")), 2);
  assert.equal(at(new Seat(kept), YAHTZEE, hand(2, "over")), 2, "over a reload too");
  assert.equal(seat.other().round.id, 1);
  assert.equal(seat.way, null, "nothing is played there any more");
  assert.equal(at(seat, YAHTZEE, hand(2, "over")), 1);
  assert.equal(at(seat, hand(3), YAHTZEE), 3, "what begins is shown");
});

test("of a hand that ended before somebody came nothing is in the way of the card", () => {
  assert.equal(at(new Seat(memory()), YAHTZEE, hand(2, "over")), 1);
});

test("between a hand that goes on and the card one goes to and fro", () => {
  const seat = new Seat(memory());
  at(seat, hand(2), YAHTZEE);
  seat.other();
  assert.equal(at(seat, hand(2), YAHTZEE), 1, "a change there takes nobody away from the card");
  assert.equal(seat.way, "To the hand");
  assert.equal(seat.other().round.id, 2);
  const left = new Seat(memory());
  at(left, hand(2), { ...YAHTZEE, card: null });
  assert.equal(left.way, "To the game of Yahtzee");
});

test("who was led to a contest stays there, until they deal a hand themselves", () => {
  const seat = new Seat(memory());
  assert.equal(at(seat, YAHTZEE, hand(2)), 1);
  assert.equal(at(seat, YAHTZEE, hand(3)), 1);
  seat.pressed("st:deal");
  assert.equal(at(seat, YAHTZEE, hand(3, "over")), 1);
  assert.equal(at(seat, YAHTZEE, hand(4)), 4);
  assert.equal(at(seat, YAHTZEE, hand(4, "over")), 4);
  assert.equal(at(seat, YAHTZEE, hand(5)), 5);
});

test("who left a race for the card is not called to each of its hands, but to one that is dealt after it", () => {
  const seat = new Seat(memory());
  at(seat, hand(2), YAHTZEE);
  seat.other();
  assert.equal(at(seat, hand(3), YAHTZEE), 1);
  assert.equal(at(seat, YAHTZEE, hand(3, "over")), 1);
  assert.equal(at(seat, hand(4), YAHTZEE), 4);
});

test("how a contest ended stays as well, and one that begins takes the place of a hand that is over", () => {
  const seat = new Seat(memory());
  at(seat, hand(2), YAHTZEE);
  seat.other();
  assert.equal(at(seat, hand(2), ended), 1);
  assert.equal(at(seat, hand(2), ended), 1);
  seat.other();
  assert.equal(at(seat, ended, hand(2, "over")), 2);
  const next = { ...YAHTZEE, round: { ...YAHTZEE.round, id: 7 } };
  assert.equal(at(seat, next, hand(2, "over")), 7);
  assert.equal(at(seat, next), 7);
});

test("an empty table is shown as it is", () => {
  const state = { round: null, card: null, beside: null };
  assert.equal(new Seat(memory()).shown(state), state);
});
