import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { Waits } = await load("waits");

const ROUND = { id: "a", round: 1, answer: "1+1" };
const DAYS = { id: "b", day: "2026-11-25", answer: "8/(3-8/3)" };
const OTHERS = { id: "c", day: "2026-11-24", answer: "1*2*3*4" };

test("what is for a round waits in its window, and what is for the hand of a day in all of them", () => {
  const [here, everywhere] = [memory(), memory()];
  new Waits(here, everywhere).write([ROUND, DAYS]);
  assert.deepEqual([here.read(), everywhere.read()], [[ROUND], [DAYS]]);
  assert.deepEqual(new Waits(memory(), everywhere).read(), [DAYS], "another link of the same person");
  assert.deepEqual(new Waits(here, everywhere).read(), [ROUND, DAYS]);
});

test("a window takes away only what it knew of", () => {
  const everywhere = memory();
  const [one, other] = [new Waits(memory(), everywhere), new Waits(memory(), everywhere)];
  one.write([DAYS]);
  other.write([OTHERS]);
  assert.deepEqual(everywhere.read(), [DAYS, OTHERS]);
  one.write([]);
  assert.deepEqual(everywhere.read(), [OTHERS]);
  other.write([]);
  assert.equal(everywhere.read(), null);
});

test("what was read and sent by two windows is gone once each has done with it", () => {
  const everywhere = memory([DAYS]);
  const [one, other] = [new Waits(memory(), everywhere), new Waits(memory(), everywhere)];
  assert.deepEqual([one.read(), other.read()], [[DAYS], [DAYS]]);
  one.write([]);
  other.write([DAYS]);
  assert.deepEqual(everywhere.read(), [DAYS], "it is sent twice by one id");
  other.write([]);
  assert.equal(everywhere.read(), null);
});

test("what has not the shape of an entry is dropped, and nothing else with it", () => {
  for (const broken of [{}, 5, true, "abc", [null], [{}], [5, [], { id: 5 }, { id: "d" }], { day: 1, target: 5, numbers: null }]) {
    const [here, everywhere] = [memory(broken), memory(broken)];
    const waits = new Waits(here, everywhere);
    assert.deepEqual(waits.read(), [], JSON.stringify(broken));
    waits.write([ROUND, DAYS]);
    assert.deepEqual([here.read(), everywhere.read()], [[ROUND], [DAYS]]);
  }
  const press = { id: "e", press: "h:1" };
  assert.deepEqual(new Waits(memory([null, press, ROUND]), memory([{ id: 7, day: 7 }, DAYS])).read(), [press, ROUND, DAYS]);
});
