import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { createId, EntryQueue, runInOneWindow } = await load("entries");
const { computeRetryDelay } = await load("http");

/** Return entries before a service with these answers in turn; "break" is a lost connection. */
function makeEntries(answers, stored = { waiting: memory(), ownIds: memory() }) {
  const record = { sent: [], accepted: [], refused: [], waits: [] };
  const post = async (entry) => {
    record.sent.push(entry);
    const status = answers.shift() ?? 202;
    if (status === "break") return null;
    return { status, retryAfterSeconds: status === 429 ? 3 : null };
  };
  const entries = new EntryQueue(post, stored, {
    onAccepted: (entry) => record.accepted.push(entry.id),
    onRefused: (entry, { status }) => record.refused.push(status),
  }, undefined, async (milliseconds) => record.waits.push(milliseconds));
  return { entries, record, stored };
}

const settle = () => new Promise((done) => setTimeout(done, 0));

test("an id has 22 random characters", () => {
  assert.match(createId(), /^[A-Za-z0-9_-]{22}$/);
  assert.notEqual(createId(), createId());
});

test("an entry is sent again with the same id after a lost connection", async () => {
  const { entries, record } = makeEntries(["break", 503, 202]);
  const id = entries.add({ round: 1, answer: "8/(3-8/3)" });
  await settle();
  assert.deepEqual(record.sent.map((each) => each.id), [id, id, id]);
  assert.deepEqual(record.accepted, [id]);
  assert.equal(record.waits.length, 2);
  assert.deepEqual(entries.waiting, []);
});

test("a refused entry is not sent again", async () => {
  for (const status of [400, 401, 403, 409, 413, 415]) {
    const { entries, record } = makeEntries([status]);
    entries.add({ press: "h:1" });
    await settle();
    assert.deepEqual(record.refused, [status]);
    assert.equal(record.sent.length, 1);
  }
});

test("an answer to a day's hand outlasts the session, other entries do not", async () => {
  for (const status of [401, 403]) {
    const { entries, record, stored } = makeEntries([status, 202, 202]);
    entries.add({ day: "2026-11-25", answer: "8/(3-8/3)" });
    entries.add({ press: "h:1" });
    await settle();
    entries.retryNow();
    await settle();
    assert.deepEqual([record.refused, record.accepted, record.sent.length], [[status], [], 1]);
    assert.deepEqual(stored.waiting.read().map(({ day }) => day), ["2026-11-25"]);
    const { entries: next, record: then } = makeEntries([], stored);
    await next.send();
    assert.deepEqual(then.accepted, [record.sent[0].id], "the next session does");
  }
});

test("Retry-After is obeyed", async () => {
  const { entries, record } = makeEntries([429, 202]);
  entries.add({ press: "h:1" });
  await settle();
  assert.deepEqual(record.waits, [3000]);
});

test("equal entries wait once, others in their order", async () => {
  const { entries, record } = makeEntries([]);
  const ids = [entries.add({ press: "a" }), entries.add({ press: "b" }), entries.add({ press: "a" })];
  await settle();
  assert.equal(ids[0], ids[2]);
  assert.deepEqual(record.accepted, ids.slice(0, 2));
});

test("waiting entries survive a reload", async () => {
  const stored = { waiting: memory([{ id: "x".repeat(22), press: "a" }]), ownIds: memory() };
  const { entries, record } = makeEntries([], stored);
  await entries.send();
  assert.deepEqual(record.accepted, ["x".repeat(22)]);
  assert.deepEqual(stored.waiting.read(), null);
  assert.equal(entries.isOwn("x".repeat(22)), true);
});

test("stored ids of another format are ignored", () => {
  for (const broken of [{}, 5, true, "abc", [null]]) {
    const { entries } = makeEntries([], { waiting: memory(), ownIds: memory(broken) });
    assert.equal(entries.isOwn(entries.add({ press: "h:1" })), true, JSON.stringify(broken));
  }
});

test("pauses double up to a limit", () => {
  assert.deepEqual([1, 2, 3].map((n) => computeRetryDelay(n, 1)), [500, 1000, 2000]);
  assert.equal(computeRetryDelay(50, 1), 15000);
  assert.equal(computeRetryDelay(1, 0), 250);
});

test("own entries are known after a reload, another page's are not", async () => {
  const stored = { waiting: memory(), ownIds: memory() };
  const { entries } = makeEntries([], stored);
  const id = entries.add({ press: "h:1" });
  await settle();
  assert.deepEqual([entries.isOwn(id), entries.isOwn(createId())], [true, false]);
  const { entries: again } = makeEntries([], stored);
  assert.equal(again.isOwn(id), true);
  for (let n = 0; n < 20; n += 1) again.add({ press: `h:${n}` });
  await settle();
  assert.equal(again.isOwn(id), false, "long since judged");
  assert.equal(stored.ownIds.read().length, 20);
});

test("two windows send each shared entry once", async () => {
  const stored = { waiting: memory(), ownIds: memory() };
  let busy = Promise.resolve();
  const runExclusively = (work) => (busy = busy.then(work));
  const sent = [];
  const post = async ({ answer }) => sent.push(answer) && { status: 202 };
  const callbacks = { onAccepted: () => {}, onRefused: () => {} };
  const windows = [1, 2].map(() => new EntryQueue(post, stored, callbacks, runExclusively));
  windows[0].add({ day: "2026-11-25", answer: "1" });
  windows[1].add({ day: "2026-11-24", answer: "2" });
  for (const each of windows) each.retryNow();
  await settle();
  await busy;
  assert.deepEqual([sent, stored.waiting.read()], [["1", "2"], null]);
});

test("runInOneWindow uses the browser's lock, or runs without one", async (t) => {
  const lockNames = [];
  const navigator = { locks: { request: async (name, work) => lockNames.push(name) && work() } };
  const original = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  t.after(() => Object.defineProperty(globalThis, "navigator", original));
  for (const value of [navigator, {}]) {
    Object.defineProperty(globalThis, "navigator", { value, configurable: true, writable: true });
    assert.equal(await runInOneWindow("day", async () => "done"), "done");
  }
  assert.deepEqual(lockNames, ["board:day"]);
});

test("stored entries of another format are ignored", async () => {
  for (const broken of [{}, 5, true, "abc", [null], [{}], [5, [], { id: 5 }, { id: "d" }]]) {
    const { entries, record } = makeEntries([], { waiting: memory(broken), ownIds: memory() });
    entries.add({ press: "h:1" });
    await settle();
    assert.equal(record.accepted.length, 1, JSON.stringify(broken));
  }
});
