import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { Day } = await load("day");
const HAND = { day: "2026-11-25", numbers: ["3", "8", "3", "8"], shown: ["3", "8", "3", "8"], target: "24", done: false };

const ANN = { id: 11, name: "Ann" };
const BOB = { id: 22, name: "Bob" };

const NOON = Date.parse("2026-11-25T12:00Z") / 1000;
let now = NOON;

const RIGHT = async () => ({ status: 200, json: () => ({ text: "Right!" }) });

/** Two pages of Ann in one browser. */
function pages() {
  const everywhere = kept();
  return [kept(), kept()].map((here) => {
    const day = new Day(everywhere, () => now, here);
    day.of(ANN);
    return day;
  });
}

function kept() {
  const values = {};
  return (name) => (values[name] ??= memory());
}

/** The days of one person, of what a browser keeps. */
function dayOf(person, where = kept()) {
  const day = new Day(where, () => now);
  day.of(person);
  return day;
}

test("the newest hand is kept, until it is done", () => {
  const day = dayOf(ANN);
  assert.equal(day.hand, null);
  day.keep({ language: "en", day: HAND });
  assert.equal(day.hand.every, true);
  day.keep({ language: "en", day: null });
  assert.equal(day.hand.day, "2026-11-25");
  day.keep({ language: "en", day: { ...HAND, done: true } });
  assert.equal(day.hand, null);
});

test("a hand is done once the bot says so, whatever it shows by then, and is let go of after three days", () => {
  const day = dayOf(ANN);
  day.keep({ language: "en", day: HAND });
  day.keep({ language: "en", day: null, over: ["2026-11-24"] });
  assert.equal(day.hand.day, HAND.day);
  now = NOON + 2.5 * 86_400;
  assert.equal(day.hand.day, HAND.day);
  now = NOON + 2.5 * 86_400 + 1;
  assert.equal(day.hand, null, "the bot takes it no more");
  now = NOON;
  day.keep({ language: "en", day: null, over: [HAND.day] });
  assert.equal(day.hand, null);
});

test("a hand whose answer waits is known as that, and no other", () => {
  const day = dayOf(ANN);
  day.keep({ language: "en", day: HAND });
  assert.equal(day.solvedHand, null);
  day.solved("2026-11-25", "8/(3-8/3)", 1);
  assert.equal(day.solvedHand.day, "2026-11-25");
  assert.equal(day.hand, null);
  day.keep({ language: "en", day: { ...HAND, day: "2026-11-26" } });
  assert.equal(day.solvedHand, null);
  assert.equal(day.hand.day, "2026-11-26");
});

test("an answer waits, is sent with its time, and what is said of it comes back", async () => {
  const day = dayOf(ANN);
  day.keep({ language: "en", day: HAND });
  day.solved("2026-11-25", "8/(3-8/3)", 1790000000.7);
  assert.equal(day.hand, null);
  assert.deepEqual(await day.send(async () => null), []);
  assert.deepEqual(await day.send(async () => ({ status: 503 })), []);
  assert.ok(day.isSolved(HAND));
  const sent = [];
  const said = await day.send(async (body) => {
    sent.push(body);
    return { status: 200, json: () => ({ text: "Solved offline." }) };
  });
  assert.deepEqual(said, ["Solved offline."]);
  assert.match(sent[0].id, /^[\w-]{22}$/);
  assert.deepEqual({ ...sent[0], id: "" }, { id: "", day: "2026-11-25", answer: "8/(3-8/3)", at: 1790000000 });
  assert.deepEqual(await day.send(async () => assert.fail()), []);
  assert.equal(day.hand, null);
});

test("an answer that was given with a connection goes before its offline double, and before no other", async () => {
  const day = dayOf(ANN);
  day.solved("2026-11-25", "8/(3-8/3)", 1);
  day.solved("2026-11-24", "1*2*3*4", 1);
  const sent = [];
  const post = async (body) => {
    sent.push(body.day);
    return { status: 200, json: () => ({ text: "Right." }) };
  };
  await day.send(post, true, (each) => each === "2026-11-25");
  assert.deepEqual([sent, day.waits], [["2026-11-24"], true]);
  await day.send(post);
  assert.deepEqual([sent, day.waits], [["2026-11-24", "2026-11-25"], false]);
});

test("a hand that another window solved meanwhile keeps that answer alone", async () => {
  const where = kept();
  const [one, other] = [dayOf(ANN, where), dayOf(ANN, where)];
  one.solved("2026-11-25", "8/(3-8/3)", 1);
  other.solved("2026-11-25", "8/(3-(8/3))", 2);
  assert.equal(where("day-answers:11").read().length, 1);
  assert.equal(other.answer(HAND), "8/(3-8/3)");
});

test("once an answer with a connection was right its offline double is nothing any more, and no other goes", () => {
  const day = dayOf(ANN);
  day.solved("2026-11-25", "8/(3-8/3)", 1);
  day.solved("2026-11-24", "1*2*3*4", 1);
  day.drop(null);
  assert.equal(day.isSolved(HAND), true);
  day.drop("2026-11-25");
  assert.deepEqual([day.isSolved(HAND), day.waits], [false, true]);
  day.drop("2026-11-24");
  assert.equal(day.waits, false);
});

test("an answer that is on its way is not sent beside itself, and once it was not taken is sent again", async () => {
  const day = dayOf(ANN);
  day.solved("2026-11-25", "8/(3-8/3)", 1);
  let lose;
  const first = day.send(() => new Promise((done) => (lose = done)));
  assert.deepEqual(await day.send(async () => assert.fail()), []);
  lose(null);
  assert.deepEqual(await first, []);
  assert.deepEqual(await day.send(async () => ({ status: 200, json: () => ({ text: "Right." }) })), ["Right."]);
});

test("an answer is kept over whatever passes", async () => {
  const day = dayOf(ANN);
  day.keep({ language: "en", day: HAND });
  day.solved("2026-11-25", "8/(3-8/3)", 1);
  for (const status of [401, 403, 404, 408, 429, 500, 503, 204, 302]) {
    assert.deepEqual(await day.send(async () => ({ status })), [], String(status));
    assert.equal(day.waits, true, String(status));
  }
});

test("what the bot refuses for good is left, and its solver hears of it", async () => {
  const refusals = [[409, "You have not opened that hand."], [400, null], [413, null], [415, null]];
  for (const [status, text] of refusals) {
    const day = dayOf(ANN);
    day.keep({ language: "en", day: HAND });
    day.solved("2026-11-25", "1", 1);
    const json = () => (text ? { text } : null);
    const said = await day.send(async () => ({ status, json }));
    assert.deepEqual(said, [text ?? "Your answer to the hand of 2026-11-25 could not be sent."]);
    assert.deepEqual([day.waits, day.hand], [false, null]);
  }
});

test("an answer of which the bot's word was lost on the way waits, and is sent again", async () => {
  for (const status of [200, 409]) {
    const day = dayOf(ANN);
    day.keep({ language: "en", day: HAND });
    day.solved("2026-11-25", "1", 1);
    assert.deepEqual(await day.send(async () => ({ status, json: () => null })), []);
    assert.deepEqual([day.waits, day.isSolved(HAND)], [true, true]);
    assert.deepEqual(await day.send(async () => ({ status, json: () => ({ text: "Wrong.", done: false }) })), ["Wrong."]);
    assert.equal(day.hand.day, "2026-11-25");
  }
});

test("of two that wait the word on the first is told, though the second is lost", async () => {
  const day = dayOf(ANN);
  for (const each of ["2026-11-24", "2026-11-25"]) {
    day.keep({ language: "en", day: { ...HAND, day: each } });
    day.solved(each, "1", 1);
  }
  let tries = 0;
  const second = async () => (++tries > 1 ? null : RIGHT());
  assert.deepEqual(await day.send(second), ["Right!"]);
  assert.equal(day.waits, true);
  assert.deepEqual(await day.send(RIGHT), ["Right!"]);
});

test("an answer that the bot calls wrong does not end the hand", async () => {
  const day = dayOf(ANN);
  day.keep({ language: "en", day: HAND });
  day.solved("2026-11-25", "1", 1);
  const said = await day.send(async () => ({ status: 200, json: () => ({ text: "Not right.", done: false }) }));
  assert.deepEqual(said, ["Not right."]);
  assert.equal(day.waits, false);
  assert.equal(day.hand.day, "2026-11-25");
});

test("what one person solved is neither sent nor hidden for another in the same browser", async () => {
  const where = kept();
  const anns = dayOf(ANN, where);
  anns.keep({ language: "en", day: HAND });
  anns.solved("2026-11-25", "8/(3-8/3)", 1);
  const bobs = dayOf(BOB, where);
  assert.equal(bobs.hand, null);
  bobs.keep({ language: "en", day: HAND });
  assert.equal(bobs.hand.day, "2026-11-25");
  assert.deepEqual(await bobs.send(async () => assert.fail()), []);
  assert.equal(anns.isSolved(HAND), true);
  const said = await anns.send(async () => ({ status: 200, json: () => ({ text: "Right." }) }));
  assert.deepEqual(said, ["Right."]);
  assert.equal(bobs.hand.day, "2026-11-25");
});

test("as long as nobody knows whose page it is nothing is kept and nothing offered", async () => {
  const where = kept();
  const day = new Day(where, () => now);
  day.keep({ language: "en", day: HAND });
  assert.equal(day.hand, null);
  assert.deepEqual(await day.send(async () => assert.fail()), []);
  day.of(null);
  day.solved("2026-11-25", "1", 1);
  assert.equal(dayOf(ANN, where).isSolved(HAND), false);
});

test("the moves on it are each person's own, and of one hand", () => {
  const where = kept();
  const [anns, bobs] = [dayOf(ANN, where), dayOf(BOB, where)];
  anns.keep({ language: "en", day: HAND });
  assert.equal(anns.isBegun(HAND), false);
  anns.moves.write({ key: `${anns.hand.id} 3 8 3 8`, moves: [[0, "+", 1]] });
  assert.deepEqual([anns.isBegun(HAND), bobs.isBegun(HAND)], [true, false]);
  assert.equal(anns.isBegun({ ...HAND, day: "2026-11-26" }), false);
});

test("an answer is sent by the page on which it was made, and by another one only if it is asked to", async () => {
  const [one, other] = pages();
  one.keep({ language: "en", day: HAND });
  one.solved(HAND.day, "8/(3-8/3)", 1);
  assert.deepEqual([other.isSolved(HAND), other.hand], [true, null], "both know of it");
  assert.deepEqual(await other.send(async () => assert.fail(), false), []);
  assert.deepEqual(await one.send(RIGHT, false), ["Right!"]);
  assert.deepEqual([other.left(), other.isDone(HAND), other.waits], [[], true, false]);
});

test("what another page was told of it is left for the page on which it was made, and told once", async () => {
  const [one, other] = pages();
  one.keep({ language: "en", day: HAND });
  one.solved(HAND.day, "8/(3-8/3)", 1);
  assert.deepEqual(await other.send(RIGHT), ["Right!"], "it may be the only one that is open");
  assert.deepEqual(other.left(), []);
  assert.deepEqual([one.left(), one.left()], [["Right!"], []]);
  assert.equal(one.isDone(HAND), true);
});

test("of two pages that send it at once one tells of it", async () => {
  const [one, other] = pages();
  one.keep({ language: "en", day: HAND });
  one.solved(HAND.day, "8/(3-8/3)", 1);
  const slow = async () => {
    assert.deepEqual(await other.send(RIGHT), ["Right!"]);
    return { status: 200, json: () => ({ text: "You have solved that day’s hand offline already." }) };
  };
  assert.deepEqual(await one.send(slow), []);
  assert.deepEqual(one.left(), ["Right!"]);
});

test("a hand that another page knows to be done is offered by none", async () => {
  const [one, other] = pages();
  one.keep({ language: "en", day: HAND });
  other.done(HAND.day);
  assert.deepEqual([one.hand, one.shown({ day: HAND })], [null, null]);
});

test("what is kept in another shape is left out, and a hand can be solved all the same", async () => {
  const whole = { id: "x", day: "2026-11-24", answer: "1*2*3*4", at: 1 };
  const all = [{}, 5, true, "abc", [null], [{}], [5, { id: "x", day: 5, answer: 5 }, { id: "x", day: "2026-11-24" }], { day: 1, target: 5, numbers: null }];
  for (const broken of [...all, [null, whole]]) {
    const where = kept();
    where("day-answers:11").write(broken);
    const day = dayOf(ANN, where);
    day.keep({ language: "en", day: HAND });
    assert.deepEqual([day.isSolved(HAND), day.waits], [false, broken.includes?.(whole) ?? false], JSON.stringify(broken));
    day.solved(HAND.day, "8/(3-8/3)", 1);
    const sent = [];
    await day.send(async (body) => sent.push(body.day) && { status: 200, json: () => ({ text: "Right." }) });
    assert.deepEqual(sent, broken.includes?.(whole) ? [whole.day, HAND.day] : [HAND.day]);
    assert.equal(where("day-answers:11").read(), null);
  }
});

test("a hand that is kept in another shape is none", () => {
  for (const broken of [{}, 5, true, "abc", [null], { day: 1, target: 5, numbers: null }, { ...HAND, shown: null }, { ...HAND, numbers: "3838" }, { ...HAND, target: 24 }]) {
    const where = kept();
    where("day:11").write(broken);
    const day = dayOf(ANN, where);
    assert.deepEqual([day.hand, day.solvedHand], [null, null], JSON.stringify(broken));
    day.done("2026-11-25");
    day.keep({ language: "en", day: HAND });
    assert.equal(day.hand.day, HAND.day);
  }
});

test("what pages leave for each other in another shape is nothing", () => {
  for (const broken of [{}, 5, true, "abc", [null], [{ id: "x" }]]) {
    const where = kept();
    for (const name of ["day-own:11", "day-verdicts:11"]) where(name).write(broken);
    const day = dayOf(ANN, where);
    assert.deepEqual(day.left(), [], JSON.stringify(broken));
    day.solved(HAND.day, "8/(3-8/3)", 1);
    assert.equal(where("day-own:11").read().length, 1);
  }
});
