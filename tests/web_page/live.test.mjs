import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Boards, Events, Live } = await load("live");

/** Fake `fetch` with these answers: a status, and chunks of a stream that then ends. */
function fakeFetch(...list) {
  const asked = [];
  globalThis.fetch = async (path, { headers }) => {
    asked.push(headers["Last-Event-ID"] ?? "");
    const [status, chunks] = list.shift() ?? [401, []];
    if (status === "break") throw new TypeError("no network");
    return new Response(new ReadableStream({
      start(stream) {
        for (const chunk of chunks) stream.enqueue(new TextEncoder().encode(chunk));
        stream.close();
      },
    }), { status });
  };
  return asked;
}

const quiet = { state() {}, word() {}, connected() {}, lost() {}, live() {}, rests() {}, ended() {} };

test("states and words are delivered, and a lost stream is opened again from the newest event", async () => {
  const asked = fakeFetch(
    [200, ["event: state\nid: 5\nda", 'ta: {"version":"1"}\n\n', ": ping\n\n"]],
    ["break", []],
    [503, []],
    [200, ['event: word\nid: 6\ndata: {"text":"Так"}\n\n']],
    [401, []],
  );
  const told = [];
  const live = new Live("key", {
    ...quiet,
    state: (state) => told.push(`state ${state.version}`),
    word: (word) => told.push(`word ${word.text}`),
    connected: () => told.push("connected"),
    lost: () => {
      told.push("lost");
      setTimeout(() => live.hurry(), 0);
    },
    ended: (status) => told.push(`ended ${status}`),
  });
  await live.run();
  assert.deepEqual(told, ["connected", "state 1", "lost", "lost", "lost", "connected", "word Так", "lost", "ended 401"]);
  assert.deepEqual(asked, ["", "5", "5", "5", "6"]);
});

test("a page that must make room rests until it is used", async () => {
  const asked = fakeFetch([200, ["event: elsewhere\ndata: {}\n\n"]], [401, []]);
  const told = [];
  let rested;
  const resting = new Promise((done) => (rested = done));
  const live = new Live("key", { ...quiet, live: (is) => told.push(is), lost: () => told.push("lost"), rests: () => rested() });
  const running = live.run();
  await resting;
  await new Promise((done) => setImmediate(done));
  assert.deepEqual([asked.length, told], [1, [true, false]]);
  live.used();
  await running;
  assert.deepEqual([asked.length, told], [2, [true, false, true, false]]);
});

test("an error of the page is not a lost connection", async () => {
  fakeFetch([200, ['event: state\ndata: {"version":"1"}\n\n']]);
  const told = [];
  const live = new Live("key", { ...quiet, lost: () => told.push("lost"), state: (state) => state.no.such.part });
  await assert.rejects(live.run(), TypeError);
  assert.deepEqual(told, []);
});

test("a hidden page closes its stream and reports no lost connection", async () => {
  const told = [];
  const asked = [];
  globalThis.fetch = (_, { signal, headers }) => {
    asked.push(headers["Last-Event-ID"] ?? "");
    if (asked.length > 1) return Promise.resolve(new Response(null, { status: 401 }));
    return Promise.resolve(new Response(new ReadableStream({
      start(stream) {
        stream.enqueue(new TextEncoder().encode('event: state\nid: 7\ndata: {"version":"1"}\n\n'));
        signal.addEventListener("abort", () => stream.error(signal.reason));
      },
    })));
  };
  let heard;
  const first = new Promise((done) => (heard = done));
  const live = new Live("key", { ...quiet, state: () => heard(), lost: () => told.push("lost"), ended: (status) => told.push(status) });
  const running = live.run();
  await first;
  live.sleep();
  await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual([asked, told], [[""], []]);
  live.hurry();
  await running;
  assert.deepEqual([asked, told], [["", "7"], [401]]);
});

const TEXT = 'event: state\nid: 7\ndata: {"a":\ndata: 1}\n\n: still here\n\nevent: word\ndata: x: y\n\n';
const EXPECTED = [
  { name: "state", data: '{"a":\n1}' },
  { name: "word", data: "x: y" },
];

test("events are parsed however they are split", () => {
  for (const text of [TEXT, TEXT.replaceAll("\n", "\r\n")]) {
    for (let size = 1; size <= text.length; size += 1) {
      const [events, found] = [new Events(), []];
      for (let at = 0; at < text.length; at += size) found.push(...events.read(text.slice(at, at + size)));
      assert.deepEqual(found, EXPECTED);
      assert.equal(events.lastId, "7");
    }
  }
});

test("incomplete events and comments are ignored", () => {
  assert.deepEqual(new Events().read("event: state\ndata: 1\n"), []);
  assert.deepEqual(new Events().read(": ping\n\n"), []);
});

/** Return `count` boards of one browser; `resting` lists those that were asked to make room. */
function openBoards(count) {
  const channels = [];
  const resting = [];
  const boards = Array.from({ length: count }, (_, at) => {
    const channel = { postMessage: (data) => channels.filter((each) => each !== channel).forEach((each) => each.onmessage({ data })) };
    channels.push(channel);
    return new Boards(channel, () => rest(at));
  });
  const rest = (at) => {
    resting.push(at);
    boards[at].tell(false);
  };
  return { boards, resting };
}

test("the oldest of six boards makes room and returns as the newest", () => {
  const { boards, resting } = openBoards(7);
  for (const board of boards.slice(0, 5)) board.tell(true);
  assert.deepEqual(resting, []);
  boards[5].tell(true);
  assert.deepEqual(resting, [0]);
  resting.length = 0;
  boards[0].tell(true);
  assert.deepEqual(resting, [1]);
  boards[6].tell(true);
  assert.deepEqual(resting, [1, 2]);
});

test("closed and reconnecting boards displace no others", () => {
  const { boards, resting } = openBoards(7);
  boards[0].tell(true);
  for (const board of boards.slice(1)) [true, false].forEach((live) => board.tell(live));
  for (let times = 0; times < 9; times += 1) boards[1].tell(true);
  assert.deepEqual(resting, []);
});
