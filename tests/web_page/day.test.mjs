import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { Day } = await load("day");
const HAND = { day: "2026-11-25", numbers: ["3", "8", "3", "8"], shown: ["3", "8", "3", "8"], target: "24", done: false };

const ANN = { id: 11, name: "Ann" };
const BOB = { id: 22, name: "Bob" };

const NOON = Date.parse("2026-11-25T12:00Z") / 1000;
let now = NOON;

const RIGHT = { text: "Right!" };

/** An answer of the service; null for a connection that is lost. */
const answer = (status, said = null) => ({ status, ok: status === 200, after: null, json: () => said });

/** What one window sends of the answers that wait, and hears: each in turn of `answers`, then nothing but breaks. */
async function send(day, ...answers) {
  const heard = { sent: [], judged: [], taken: [], refused: [] };
  const post = async (path, body) => {
    heard.sent.push([path, body]);
    return answers.shift() ?? new Promise(() => {}); // no further try within a test
  };
  day.makeSender(post, memory(), {
    taken: ({ day: of }) => heard.taken.push(of),
    refused: (_, { status }) => heard.refused.push(status),
    judged: (text) => heard.judged.push(text),
  }).run();
  await new Promise((done) => setTimeout(done, 0));
  return heard;
}

function kept() {
  const values = {};
  return (name) => (values[name] ??= memory());
}

/** The day of one person, of what a browser keeps. */
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
  day.add("2026-11-25", "8/(3-8/3)", 1);
  assert.equal(day.solvedHand.day, "2026-11-25");
  assert.equal(day.hand, null);
  day.keep({ language: "en", day: { ...HAND, day: "2026-11-26" } });
  assert.equal(day.solvedHand, null);
  assert.equal(day.hand.day, "2026-11-26");
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

test("an answer that was given offline waits, is sent with its time, and what is said of it is heard", async () => {
  const day = dayOf(ANN);
  day.keep({ language: "en", day: HAND });
  const { id } = day.add(HAND.day, "8/(3-8/3)", 1790000000.7);
  assert.match(id, /^[\w-]{22}$/);
  assert.deepEqual([day.hand, day.isSolved(HAND)], [null, true]);
  const { sent, judged } = await send(day, answer(200, { text: "Solved offline." }));
  assert.deepEqual(sent, [["./day", { id, day: HAND.day, answer: "8/(3-8/3)", at: 1790000000 }]]);
  assert.deepEqual([judged, day.waiting, day.hand], [["Solved offline."], [], null]);
  assert.deepEqual((await send(day)).sent, []);
});

test("an answer that was given with a connection is an entry like others", async () => {
  const day = dayOf(ANN);
  const { id } = day.add(HAND.day, "8/(3-8/3)");
  assert.deepEqual([day.isSolved(HAND), day.waits], [false, false]);
  const { sent, taken, judged } = await send(day, answer(202));
  assert.deepEqual(sent, [["./entry", { id, day: HAND.day, answer: "8/(3-8/3)" }]]);
  assert.deepEqual([taken, judged, day.waiting], [[HAND.day], [], []]);
});

test("of one hand a single answer waits, whichever window it is of", () => {
  const where = kept();
  const [one, other] = [dayOf(ANN, where), dayOf(ANN, where)];
  one.add(HAND.day, "8/(3-8/3)", 1);
  assert.equal(other.add(HAND.day, "8/(3-(8/3))", 2).answer, "8/(3-8/3)");
  assert.equal(other.answer(HAND), "8/(3-8/3)");
  assert.deepEqual([other.shown({ day: HAND }), other.isSolved(HAND)], [null, true]);
});

test("an answer is kept over whatever passes, and over the end of a session", async () => {
  for (const status of [401, 403, 404, 408, 429, 500, 503, 204, 302]) {
    const day = dayOf(ANN);
    day.add(HAND.day, "8/(3-8/3)", 1);
    const { judged } = await send(day, { ...answer(status), ok: status < 300 });
    assert.deepEqual([judged, day.waits], [[], true], String(status));
  }
  const day = dayOf(ANN);
  day.add(HAND.day, "8/(3-8/3)", 1);
  const { judged } = await send(day, answer(200));
  assert.deepEqual([judged, day.waits], [[], true], "the bot's word was lost");
});

test("what the bot refuses for good is left, and its solver hears of it", async () => {
  for (const [status, text] of [[409, "You have not opened that hand."], [400, null], [413, null], [415, null]]) {
    const day = dayOf(ANN);
    day.keep({ language: "en", day: HAND });
    day.add(HAND.day, "1", 1);
    const { judged } = await send(day, answer(status, text && { text }));
    assert.deepEqual(judged, [text ?? "Your answer to the hand of 2026-11-25 could not be sent."]);
    assert.deepEqual([day.waits, day.hand], [false, null]);
  }
});

test("an answer that the bot calls wrong does not end the hand", async () => {
  const day = dayOf(ANN);
  day.keep({ language: "en", day: HAND });
  day.add(HAND.day, "1", 1);
  const { judged } = await send(day, answer(200, { text: "Not right.", done: false }));
  assert.deepEqual([judged, day.waits, day.hand.day], [["Not right."], false, HAND.day]);
});

test("what the bot says is told to the other windows, and nothing of it stays", async () => {
  const where = kept();
  const day = dayOf(ANN, where);
  day.keep({ language: "en", day: HAND });
  const { id } = day.add(HAND.day, "8/(3-8/3)", 1);
  const written = [];
  day.word.write = (value) => written.push(value);
  await send(day, answer(200, RIGHT));
  assert.deepEqual(written, [{ id, text: "Right!" }, null]);
  const other = dayOf(ANN, where);
  assert.deepEqual([other.isDone(HAND), other.hand, other.shown({ day: HAND })], [true, null, null]);
});

test("what one person solved is neither sent nor hidden for another in the same browser", async () => {
  const where = kept();
  const [anns, bobs] = [dayOf(ANN, where), dayOf(BOB, where)];
  for (const each of [anns, bobs]) each.keep({ language: "en", day: HAND });
  anns.add(HAND.day, "8/(3-8/3)", 1);
  assert.equal(bobs.hand.day, HAND.day);
  assert.deepEqual((await send(bobs)).sent, []);
  assert.deepEqual((await send(anns, answer(200, RIGHT))).judged, ["Right!"]);
  assert.equal(bobs.hand.day, HAND.day);
});

test("as long as nobody knows whose page it is nothing is kept and nothing offered", async () => {
  const where = kept();
  const day = new Day(where, () => now);
  day.keep({ language: "en", day: HAND });
  assert.equal(day.hand, null);
  day.of(null);
  day.add(HAND.day, "1", 1);
  assert.deepEqual((await send(day)).sent, []);
  assert.equal(dayOf(ANN, where).isSolved(HAND), false);
});

test("what is kept in another shape is left out, and a hand can be solved all the same", async () => {
  const whole = { id: "x", day: "2026-11-24", answer: "1*2*3*4", at: 1 };
  for (const broken of [{}, 5, true, "abc", [null], [{}], [5, { id: "x", day: 5, answer: 5 }, { id: "x", day: "2026-11-24" }], [null, whole]]) {
    const where = kept();
    where("day-answers:11").write(broken);
    const day = dayOf(ANN, where);
    assert.deepEqual(day.waiting, broken.includes?.(whole) ? [whole] : [], JSON.stringify(broken));
    day.add(HAND.day, "8/(3-8/3)", 1);
    assert.equal(day.isSolved(HAND), true);
  }
});
