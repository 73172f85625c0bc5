import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { Entries, fresh, runAlone } = await load("entries");
const { pause } = await load("calls");

/** Entries against answers that are given one after the other; "break" is a lost connection. */
function sending(answers, kept = { waiting: memory(), made: memory() }) {
  const told = { sent: [], taken: [], refused: [], waits: [] };
  const post = async (entry) => {
    told.sent.push(entry);
    const status = answers.shift() ?? 202;
    if (status === "break") return null;
    return { status, after: status === 429 ? 3 : null };
  };
  const entries = new Entries(post, kept, {
    taken: (entry) => told.taken.push(entry.id),
    refused: (entry, { status }) => told.refused.push(status),
  }, undefined, async (milliseconds) => told.waits.push(milliseconds));
  return { entries, told, kept };
}

const settled = () => new Promise((done) => setTimeout(done, 0));

test("an id is 22 characters by chance", () => {
  assert.match(fresh(), /^[A-Za-z0-9_-]{22}$/);
  assert.notEqual(fresh(), fresh());
});

test("after a break the same entry is sent with the same id", async () => {
  const { entries, told } = sending(["break", 503, 202]);
  const id = entries.add({ round: 1, answer: "8/(3-8/3)" });
  await settled();
  assert.deepEqual(told.sent.map((each) => each.id), [id, id, id]);
  assert.deepEqual(told.taken, [id]);
  assert.equal(told.waits.length, 2);
  assert.deepEqual(entries.waiting, []);
});

test("what is refused is not sent again", async () => {
  for (const status of [400, 401, 403, 409, 413, 415]) {
    const { entries, told } = sending([status]);
    entries.add({ press: "h:1" });
    await settled();
    assert.deepEqual(told.refused, [status]);
    assert.equal(told.sent.length, 1);
  }
});

test("an answer to the hand of a day outlasts the session, and is not sent by it again; what is for a round does not", async () => {
  for (const status of [401, 403]) {
    const { entries, told, kept } = sending([status, 202, 202]);
    entries.add({ day: "2026-11-25", answer: "8/(3-8/3)" });
    entries.add({ press: "h:1" });
    await settled();
    entries.hurry();
    await settled();
    assert.deepEqual([told.refused, told.taken, told.sent.length], [[status], [], 1]);
    assert.deepEqual(kept.waiting.read().map(({ day }) => day), ["2026-11-25"]);
    const { entries: next, told: then } = sending([], kept);
    await next.run();
    assert.deepEqual(then.taken, [told.sent[0].id], "the next session does");
  }
});

test("the server's wish to wait is granted", async () => {
  const { entries, told } = sending([429, 202]);
  entries.add({ press: "h:1" });
  await settled();
  assert.deepEqual(told.waits, [3000]);
});

test("just the same waits once, and others in their order", async () => {
  const { entries, told } = sending([]);
  const ids = [entries.add({ press: "a" }), entries.add({ press: "b" }), entries.add({ press: "a" })];
  await settled();
  assert.equal(ids[0], ids[2]);
  assert.deepEqual(told.taken, ids.slice(0, 2));
});

test("what waits survives a reload", async () => {
  const kept = { waiting: memory([{ id: "x".repeat(22), press: "a" }]), made: memory() };
  const { entries, told } = sending([], kept);
  await entries.run();
  assert.deepEqual(told.taken, ["x".repeat(22)]);
  assert.deepEqual(kept.waiting.read(), null);
  assert.equal(entries.isOwn("x".repeat(22)), true);
});

test("ids that are kept in another shape are none", () => {
  for (const broken of [{}, 5, true, "abc", [null]]) {
    const { entries } = sending([], { waiting: memory(), made: memory(broken) });
    assert.equal(entries.isOwn(entries.add({ press: "h:1" })), true, JSON.stringify(broken));
  }
});

test("waits double up to a bound", () => {
  assert.deepEqual([1, 2, 3].map((n) => pause(n, 1)), [500, 1000, 2000]);
  assert.equal(pause(50, 1), 15000);
  assert.equal(pause(1, 0), 250);
});

test("what was handed in here is known after a reload too, and what another page did never", async () => {
  const kept = { waiting: memory(), made: memory() };
  const { entries } = sending([], kept);
  const id = entries.add({ press: "h:1" });
  await settled();
  assert.deepEqual([entries.isOwn(id), entries.isOwn(fresh())], [true, false]);
  const { entries: again } = sending([], kept);
  assert.equal(again.isOwn(id), true);
  for (let n = 0; n < 20; n += 1) again.add({ press: `h:${n}` });
  await settled();
  assert.equal(again.isOwn(id), false, "long since judged");
  assert.equal(kept.made.read().length, 20);
});

test("of two windows that share what waits each entry is sent by one", async () => {
  const kept = { waiting: memory(), made: memory() };
  let busy = Promise.resolve();
  const alone = (work) => (busy = busy.then(work));
  const sent = [];
  const post = async ({ answer }) => sent.push(answer) && { status: 202 };
  const told = { taken: () => {}, refused: () => {} };
  const windows = [1, 2].map(() => new Entries(post, kept, told, alone));
  windows[0].add({ day: "2026-11-25", answer: "1" });
  windows[1].add({ day: "2026-11-24", answer: "2" });
  for (const each of windows) each.hurry();
  await settled();
  await busy;
  assert.deepEqual([sent, kept.waiting.read()], [["1", "2"], null]);
});

test("what runs alone has the browser's lock of that name, and runs all the same where there is none", async (t) => {
  const asked = [];
  const navigator = { locks: { request: async (name, work) => asked.push(name) && work() } };
  const usual = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  t.after(() => Object.defineProperty(globalThis, "navigator", usual));
  for (const value of [navigator, {}]) {
    Object.defineProperty(globalThis, "navigator", { value, configurable: true, writable: true });
    assert.equal(await runAlone("day", async () => "done"), "done");
  }
  assert.deepEqual(asked, ["board:day"]);
});

test("what is stored in another shape is no entry", async () => {
  for (const broken of [{}, 5, true, "abc", [null], [{}], [5, [], { id: 5 }, { id: "d" }]]) {
    const { entries, told } = sending([], { waiting: memory(broken), made: memory() });
    entries.add({ press: "h:1" });
    await settled();
    assert.equal(told.taken.length, 1, JSON.stringify(broken));
  }
});
