import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { Day } = await load("day");
const HAND = { day: "2026-11-25", numbers: ["3", "8", "3", "8"], labels: ["3", "8", "3", "8"], target: "24", is_done: false };

const ANN = { id: 11, name: "Ann" };
const BOB = { id: 22, name: "Bob" };

const NOON = Date.parse("2026-11-25T12:00Z") / 1000;
let now = NOON;

const RIGHT = { text: "Right!" };

/** Return an answer of the service; null stands for a lost connection. */
const answer = (status, said = null) => ({ status, ok: status === 200, after: null, json: () => said });

/** Let a window send its waiting answers; return what it sent and reported. After `answers` the connection is lost. */
async function sendAnswers(day, ...answers) {
  const record = { sent: [], judged: [], taken: [], refused: [] };
  const post = async (path, body) => {
    record.sent.push([path, body]);
    return answers.shift() ?? new Promise(() => {}); // no further try within a test
  };
  day.makeSender(post, memory(), {
    taken: ({ day: of }) => record.taken.push(of),
    refused: (_, { status }) => record.refused.push(status),
    judged: (text) => record.judged.push(text),
  }).run();
  await new Promise((done) => setTimeout(done, 0));
  return record;
}

function makeStore() {
  const values = {};
  return (name) => (values[name] ??= memory());
}

/** Return the stored day of one person. */
function makeDay(person, where = makeStore()) {
  const day = new Day(where, () => now);
  day.of(person);
  return day;
}

test("the newest hand is kept until it is done", () => {
  const day = makeDay(ANN);
  assert.equal(day.hand, null);
  day.keep({ language: "en", day: HAND });
  assert.equal(day.hand.uses_all, undefined);
  day.keep({ language: "en", day: null });
  assert.equal(day.hand.day, "2026-11-25");
  day.keep({ language: "en", day: { ...HAND, is_done: true } });
  assert.equal(day.hand, null);
});

test("a hand is done once the bot says so, and is forgotten after three days", () => {
  const day = makeDay(ANN);
  day.keep({ language: "en", day: HAND });
  day.keep({ language: "en", day: null, finished_days: ["2026-11-24"] });
  assert.equal(day.hand.day, HAND.day);
  now = NOON + 2.5 * 86_400;
  assert.equal(day.hand.day, HAND.day);
  now = NOON + 2.5 * 86_400 + 1;
  assert.equal(day.hand, null, "the bot takes it no more");
  now = NOON;
  day.keep({ language: "en", day: null, finished_days: [HAND.day] });
  assert.equal(day.hand, null);
});

test("only the hand with a waiting answer counts as waiting", () => {
  const day = makeDay(ANN);
  day.keep({ language: "en", day: HAND });
  assert.equal(day.solvedHand, null);
  day.add("2026-11-25", "8/(3-8/3)", 1);
  assert.equal(day.solvedHand.day, "2026-11-25");
  assert.equal(day.hand, null);
  day.keep({ language: "en", day: { ...HAND, day: "2026-11-26" } });
  assert.equal(day.solvedHand, null);
  assert.equal(day.hand.day, "2026-11-26");
});

test("moves are kept for each person and hand", () => {
  const where = makeStore();
  const [anns, bobs] = [makeDay(ANN, where), makeDay(BOB, where)];
  anns.keep({ language: "en", day: HAND });
  assert.equal(anns.isBegun(HAND), false);
  anns.moves.write({ key: `${anns.hand.id} 3 8 3 8`, moves: [[0, "+", 1]] });
  assert.deepEqual([anns.isBegun(HAND), bobs.isBegun(HAND)], [true, false]);
  assert.equal(anns.isBegun({ ...HAND, day: "2026-11-26" }), false);
});

test("a stored hand of another format is ignored", () => {
  for (const broken of [{}, 5, true, "abc", [null], { day: 1, target: 5, numbers: null }, { ...HAND, labels: null }, { ...HAND, numbers: "3838" }, { ...HAND, target: 24 }]) {
    const where = makeStore();
    where("day:11").write(broken);
    const day = makeDay(ANN, where);
    assert.deepEqual([day.hand, day.solvedHand], [null, null], JSON.stringify(broken));
    day.done("2026-11-25");
    day.keep({ language: "en", day: HAND });
    assert.equal(day.hand.day, HAND.day);
  }
});

test("an offline answer is sent with its time, and its verdict is reported", async () => {
  const day = makeDay(ANN);
  day.keep({ language: "en", day: HAND });
  const { id } = day.add(HAND.day, "8/(3-8/3)", 1790000000.7);
  assert.match(id, /^[\w-]{22}$/);
  assert.deepEqual([day.hand, day.isSolved(HAND)], [null, true]);
  const { sent, judged } = await sendAnswers(day, answer(200, { text: "Solved offline." }));
  assert.deepEqual(sent, [["./day", { id, day: HAND.day, answer: "8/(3-8/3)", at: 1790000000 }]]);
  assert.deepEqual([judged, day.waiting, day.hand], [["Solved offline."], [], null]);
  assert.deepEqual((await sendAnswers(day)).sent, []);
});

test("an answer given with a connection is an ordinary entry", async () => {
  const day = makeDay(ANN);
  const { id } = day.add(HAND.day, "8/(3-8/3)");
  assert.deepEqual([day.isSolved(HAND), day.waits], [false, false]);
  const { sent, taken, judged } = await sendAnswers(day, answer(202));
  assert.deepEqual(sent, [["./entry", { id, day: HAND.day, answer: "8/(3-8/3)" }]]);
  assert.deepEqual([taken, judged, day.waiting], [[HAND.day], [], []]);
});

test("one answer to a hand waits, from whichever window", () => {
  const where = makeStore();
  const [one, other] = [makeDay(ANN, where), makeDay(ANN, where)];
  one.add(HAND.day, "8/(3-8/3)", 1);
  assert.equal(other.add(HAND.day, "8/(3-(8/3))", 2).answer, "8/(3-8/3)");
  assert.equal(other.answer(HAND), "8/(3-8/3)");
  assert.deepEqual([other.shown({ day: HAND }), other.isSolved(HAND)], [null, true]);
});

test("a waiting answer outlasts lost connections and the session", async () => {
  for (const status of [401, 403, 404, 408, 429, 500, 503, 204, 302]) {
    const day = makeDay(ANN);
    day.add(HAND.day, "8/(3-8/3)", 1);
    const { judged } = await sendAnswers(day, { ...answer(status), ok: status < 300 });
    assert.deepEqual([judged, day.waits], [[], true], String(status));
  }
  const day = makeDay(ANN);
  day.add(HAND.day, "8/(3-8/3)", 1);
  const { judged } = await sendAnswers(day, answer(200));
  assert.deepEqual([judged, day.waits], [[], true], "the bot's word was lost");
});

test("an answer that the bot refuses for good is dropped and reported", async () => {
  for (const [status, text] of [[409, "You have not opened that hand."], [400, null], [413, null], [415, null]]) {
    const day = makeDay(ANN);
    day.keep({ language: "en", day: HAND });
    day.add(HAND.day, "1", 1);
    const { judged } = await sendAnswers(day, answer(status, text && { text }));
    assert.deepEqual(judged, [text ?? "Your answer to the hand of 2026-11-25 could not be sent."]);
    assert.deepEqual([day.waits, day.hand], [false, null]);
  }
});

test("a wrong answer does not end the hand", async () => {
  const day = makeDay(ANN);
  day.keep({ language: "en", day: HAND });
  day.add(HAND.day, "1", 1);
  const { judged } = await sendAnswers(day, answer(200, { text: "Not right.", done: false }));
  assert.deepEqual([judged, day.waits, day.hand.day], [["Not right."], false, HAND.day]);
});

test("a verdict is reported to the other windows and not kept", async () => {
  const where = makeStore();
  const day = makeDay(ANN, where);
  day.keep({ language: "en", day: HAND });
  const { id } = day.add(HAND.day, "8/(3-8/3)", 1);
  const written = [];
  day.word.write = (value) => written.push(value);
  await sendAnswers(day, answer(200, RIGHT));
  assert.deepEqual(written, [{ id, text: "Right!" }, null]);
  const other = makeDay(ANN, where);
  assert.deepEqual([other.isDone(HAND), other.hand, other.shown({ day: HAND })], [true, null, null]);
});

test("another person's solution in the same browser is neither sent nor hidden", async () => {
  const where = makeStore();
  const [anns, bobs] = [makeDay(ANN, where), makeDay(BOB, where)];
  for (const each of [anns, bobs]) each.keep({ language: "en", day: HAND });
  anns.add(HAND.day, "8/(3-8/3)", 1);
  assert.equal(bobs.hand.day, HAND.day);
  assert.deepEqual((await sendAnswers(bobs)).sent, []);
  assert.deepEqual((await sendAnswers(anns, answer(200, RIGHT))).judged, ["Right!"]);
  assert.equal(bobs.hand.day, HAND.day);
});

test("without a known person nothing is kept or offered", async () => {
  const where = makeStore();
  const day = new Day(where, () => now);
  day.keep({ language: "en", day: HAND });
  assert.equal(day.hand, null);
  day.of(null);
  day.add(HAND.day, "1", 1);
  assert.deepEqual((await sendAnswers(day)).sent, []);
  assert.equal(makeDay(ANN, where).isSolved(HAND), false);
});

test("stored answers of another format are ignored", async () => {
  const whole = { id: "x", day: "2026-11-24", answer: "1*2*3*4", at: 1 };
  for (const broken of [{}, 5, true, "abc", [null], [{}], [5, { id: "x", day: 5, answer: 5 }, { id: "x", day: "2026-11-24" }], [null, whole]]) {
    const where = makeStore();
    where("day-answers:11").write(broken);
    const day = makeDay(ANN, where);
    assert.deepEqual(day.waiting, broken.includes?.(whole) ? [whole] : [], JSON.stringify(broken));
    day.add(HAND.day, "8/(3-8/3)", 1);
    assert.equal(day.isSolved(HAND), true);
  }
});
