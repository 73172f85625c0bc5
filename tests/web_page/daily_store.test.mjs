import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { DailyStore } = await load("daily_store");
const HAND = { day: "2026-11-25", numbers: ["3", "8", "3", "8"], labels: ["3", "8", "3", "8"], target: "24", is_done: false };

const ANN = { id: 11, name: "Ann" };
const BOB = { id: 22, name: "Bob" };

const NOON = Date.parse("2026-11-25T12:00Z") / 1000;
let now = NOON;

const RIGHT = { text: "Right!" };

/** Return an answer of the service; null stands for a lost connection. */
const answer = (status, said = null) => ({ status, ok: status === 200, retryAfterSeconds: null, json: () => said });

/** Let a window send its waiting answers; return what it sent and reported. After `answers` the connection is lost. */
async function sendAnswers(store, ...answers) {
  const record = { sent: [], verdicts: [], accepted: [], refused: [] };
  const post = async (path, body) => {
    record.sent.push([path, body]);
    return answers.shift() ?? new Promise(() => {}); // no further try within a test
  };
  store.makeQueue(post, memory(), {
    onAccepted: ({ day: of }) => record.accepted.push(of),
    onRefused: (_, { status }) => record.refused.push(status),
    onVerdict: (text) => record.verdicts.push(text),
  }).send();
  await new Promise((done) => setTimeout(done, 0));
  return record;
}

function makeValues() {
  const values = {};
  return (name) => (values[name] ??= memory());
}

/** Return the stored day of one person. */
function openStore(person, where = makeValues()) {
  const store = new DailyStore(where, () => now);
  store.setPerson(person);
  return store;
}

test("the newest hand is kept until it is done", () => {
  const store = openStore(ANN);
  assert.equal(store.playablePuzzle, null);
  store.storeHand({ language: "en", day: HAND });
  assert.equal(store.playablePuzzle.uses_all, undefined);
  store.storeHand({ language: "en", day: null });
  assert.equal(store.playablePuzzle.day, "2026-11-25");
  store.storeHand({ language: "en", day: { ...HAND, is_done: true } });
  assert.equal(store.playablePuzzle, null);
});

test("a hand is done once the bot says so, and is forgotten after three days", () => {
  const store = openStore(ANN);
  store.storeHand({ language: "en", day: HAND });
  store.storeHand({ language: "en", day: null, finished_days: ["2026-11-24"] });
  assert.equal(store.playablePuzzle.day, HAND.day);
  now = NOON + 2.5 * 86_400;
  assert.equal(store.playablePuzzle.day, HAND.day);
  now = NOON + 2.5 * 86_400 + 1;
  assert.equal(store.playablePuzzle, null, "the bot takes it no more");
  now = NOON;
  store.storeHand({ language: "en", day: null, finished_days: [HAND.day] });
  assert.equal(store.playablePuzzle, null);
});

test("only the hand with a waiting answer counts as waiting", () => {
  const store = openStore(ANN);
  store.storeHand({ language: "en", day: HAND });
  assert.equal(store.solvedPuzzle, null);
  store.addAnswer("2026-11-25", "8/(3-8/3)", 1);
  assert.equal(store.solvedPuzzle.day, "2026-11-25");
  assert.equal(store.playablePuzzle, null);
  store.storeHand({ language: "en", day: { ...HAND, day: "2026-11-26" } });
  assert.equal(store.solvedPuzzle, null);
  assert.equal(store.playablePuzzle.day, "2026-11-26");
});

test("moves are kept for each person and hand", () => {
  const where = makeValues();
  const [anns, bobs] = [openStore(ANN, where), openStore(BOB, where)];
  anns.storeHand({ language: "en", day: HAND });
  assert.equal(anns.hasMoves(HAND), false);
  anns.moves.write({ key: `${anns.playablePuzzle.id} 3 8 3 8`, moves: [[0, "+", 1]] });
  assert.deepEqual([anns.hasMoves(HAND), bobs.hasMoves(HAND)], [true, false]);
  assert.equal(anns.hasMoves({ ...HAND, day: "2026-11-26" }), false);
});

test("a stored hand of another format is ignored", () => {
  for (const broken of [{}, 5, true, "abc", [null], { day: 1, target: 5, numbers: null }, { ...HAND, labels: null }, { ...HAND, numbers: "3838" }, { ...HAND, target: 24 }]) {
    const where = makeValues();
    where("day:11").write(broken);
    const store = openStore(ANN, where);
    assert.deepEqual([store.playablePuzzle, store.solvedPuzzle], [null, null], JSON.stringify(broken));
    store.markFinished("2026-11-25");
    store.storeHand({ language: "en", day: HAND });
    assert.equal(store.playablePuzzle.day, HAND.day);
  }
});

test("an offline answer is sent with its time, and its verdict is reported", async () => {
  const store = openStore(ANN);
  store.storeHand({ language: "en", day: HAND });
  const { id } = store.addAnswer(HAND.day, "8/(3-8/3)", 1790000000.7);
  assert.match(id, /^[\w-]{22}$/);
  assert.deepEqual([store.playablePuzzle, store.isSolvedOffline(HAND)], [null, true]);
  const { sent, verdicts } = await sendAnswers(store, answer(200, { text: "Solved offline." }));
  assert.deepEqual(sent, [["./day", { id, day: HAND.day, answer: "8/(3-8/3)", at: 1790000000 }]]);
  assert.deepEqual([verdicts, store.waitingAnswers, store.playablePuzzle], [["Solved offline."], [], null]);
  assert.deepEqual((await sendAnswers(store)).sent, []);
});

test("an answer given with a connection is an ordinary entry", async () => {
  const store = openStore(ANN);
  const { id } = store.addAnswer(HAND.day, "8/(3-8/3)");
  assert.deepEqual([store.isSolvedOffline(HAND), store.hasOfflineAnswer], [false, false]);
  const { sent, accepted, verdicts } = await sendAnswers(store, answer(202));
  assert.deepEqual(sent, [["./entry", { id, day: HAND.day, answer: "8/(3-8/3)" }]]);
  assert.deepEqual([accepted, verdicts, store.waitingAnswers], [[HAND.day], [], []]);
});

test("one answer to a hand waits, from whichever window", () => {
  const where = makeValues();
  const [one, other] = [openStore(ANN, where), openStore(ANN, where)];
  one.addAnswer(HAND.day, "8/(3-8/3)", 1);
  assert.equal(other.addAnswer(HAND.day, "8/(3-(8/3))", 2).answer, "8/(3-8/3)");
  assert.equal(other.getOfflineAnswer(HAND), "8/(3-8/3)");
  assert.deepEqual([other.findPlayable(HAND), other.isSolvedOffline(HAND)], [null, true]);
});

test("a waiting answer outlasts lost connections and the session", async () => {
  for (const status of [401, 403, 404, 408, 429, 500, 503, 204, 302]) {
    const store = openStore(ANN);
    store.addAnswer(HAND.day, "8/(3-8/3)", 1);
    const { verdicts } = await sendAnswers(store, { ...answer(status), ok: status < 300 });
    assert.deepEqual([verdicts, store.hasOfflineAnswer], [[], true], String(status));
  }
  const store = openStore(ANN);
  store.addAnswer(HAND.day, "8/(3-8/3)", 1);
  const { verdicts } = await sendAnswers(store, answer(200));
  assert.deepEqual([verdicts, store.hasOfflineAnswer], [[], true], "the bot's word was lost");
});

test("an answer that the bot refuses for good is dropped and reported", async () => {
  for (const [status, text] of [[409, "You have not opened that hand."], [400, null], [413, null], [415, null]]) {
    const store = openStore(ANN);
    store.storeHand({ language: "en", day: HAND });
    store.addAnswer(HAND.day, "1", 1);
    const { verdicts } = await sendAnswers(store, answer(status, text && { text }));
    assert.deepEqual(verdicts, [text ?? "Your answer to the hand of 2026-11-25 could not be sent."]);
    assert.deepEqual([store.hasOfflineAnswer, store.playablePuzzle], [false, null]);
  }
});

test("a wrong answer does not end the hand", async () => {
  const store = openStore(ANN);
  store.storeHand({ language: "en", day: HAND });
  store.addAnswer(HAND.day, "1", 1);
  const { verdicts } = await sendAnswers(store, answer(200, { text: "Not right.", done: false }));
  assert.deepEqual([verdicts, store.hasOfflineAnswer, store.playablePuzzle.day], [["Not right."], false, HAND.day]);
});

test("a verdict is reported to the other windows and not kept", async () => {
  const where = makeValues();
  const store = openStore(ANN, where);
  store.storeHand({ language: "en", day: HAND });
  const { id } = store.addAnswer(HAND.day, "8/(3-8/3)", 1);
  const written = [];
  store.verdict.write = (value) => written.push(value);
  await sendAnswers(store, answer(200, RIGHT));
  assert.deepEqual(written, [{ id, text: "Right!" }, null]);
  const other = openStore(ANN, where);
  assert.deepEqual([other.isFinished(HAND), other.playablePuzzle, other.findPlayable(HAND)], [true, null, null]);
});

test("another person's solution in the same browser is neither sent nor hidden", async () => {
  const where = makeValues();
  const [anns, bobs] = [openStore(ANN, where), openStore(BOB, where)];
  for (const each of [anns, bobs]) each.storeHand({ language: "en", day: HAND });
  anns.addAnswer(HAND.day, "8/(3-8/3)", 1);
  assert.equal(bobs.playablePuzzle.day, HAND.day);
  assert.deepEqual((await sendAnswers(bobs)).sent, []);
  assert.deepEqual((await sendAnswers(anns, answer(200, RIGHT))).verdicts, ["Right!"]);
  assert.equal(bobs.playablePuzzle.day, HAND.day);
});

test("without a known person nothing is kept or offered", async () => {
  const where = makeValues();
  const store = new DailyStore(where, () => now);
  store.storeHand({ language: "en", day: HAND });
  assert.equal(store.playablePuzzle, null);
  store.setPerson(null);
  store.addAnswer(HAND.day, "1", 1);
  assert.deepEqual((await sendAnswers(store)).sent, []);
  assert.equal(openStore(ANN, where).isSolvedOffline(HAND), false);
});

test("stored answers of another format are ignored", async () => {
  const whole = { id: "x", day: "2026-11-24", answer: "1*2*3*4", at: 1 };
  for (const broken of [{}, 5, true, "abc", [null], [{}], [5, { id: "x", day: 5, answer: 5 }, { id: "x", day: "2026-11-24" }], [null, whole]]) {
    const where = makeValues();
    where("day-answers:11").write(broken);
    const store = openStore(ANN, where);
    assert.deepEqual(store.waitingAnswers, broken.includes?.(whole) ? [whole] : [], JSON.stringify(broken));
    store.addAnswer(HAND.day, "8/(3-8/3)", 1);
    assert.equal(store.isSolvedOffline(HAND), true);
  }
});
