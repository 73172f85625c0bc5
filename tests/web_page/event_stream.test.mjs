import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { EventParser, EventStream, PageLimiter } = await load("event_stream");

/** Fake `fetch` with these answers: a status, and chunks of a stream that then ends. */
function fakeFetch(...list) {
  const lastIds = [];
  globalThis.fetch = async (path, { headers }) => {
    lastIds.push(headers["Last-Event-ID"] ?? "");
    const [status, chunks] = list.shift() ?? [401, []];
    if (status === "break") throw new TypeError("no network");
    return new Response(new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        controller.close();
      },
    }), { status });
  };
  return lastIds;
}

const IGNORE_ALL = { onState() {}, onReply() {}, onConnected() {}, onLost() {}, onActive() {}, onPaused() {}, onEnded() {} };

test("states and words are delivered, and a lost stream is opened again from the newest event", async () => {
  const lastIds = fakeFetch(
    [200, ["event: state\nid: 5\nda", 'ta: {"version":"1"}\n\n', ": ping\n\n"]],
    ["break", []],
    [503, []],
    [200, ['event: word\nid: 6\ndata: {"text":"Так"}\n\n']],
    [401, []],
  );
  const calls = [];
  const stream = new EventStream("key", {
    ...IGNORE_ALL,
    onState: (state) => calls.push(`state ${state.version}`),
    onReply: (reply) => calls.push(`reply ${reply.text}`),
    onConnected: () => calls.push("connected"),
    onLost: () => {
      calls.push("lost");
      setTimeout(() => stream.reconnectNow(), 0);
    },
    onEnded: (status) => calls.push(`ended ${status}`),
  });
  await stream.run();
  assert.deepEqual(calls, ["connected", "state 1", "lost", "lost", "lost", "connected", "reply Так", "lost", "ended 401"]);
  assert.deepEqual(lastIds, ["", "5", "5", "5", "6"]);
});

test("a page that must make room rests until it is used", async () => {
  const lastIds = fakeFetch([200, ["event: elsewhere\ndata: {}\n\n"]], [401, []]);
  const calls = [];
  let markPaused;
  const paused = new Promise((done) => (markPaused = done));
  const stream = new EventStream("key", { ...IGNORE_ALL, onActive: (isActive) => calls.push(isActive), onLost: () => calls.push("lost"), onPaused: () => markPaused() });
  const running = stream.run();
  await paused;
  await new Promise((done) => setImmediate(done));
  assert.deepEqual([lastIds.length, calls], [1, [true, false]]);
  stream.resume();
  await running;
  assert.deepEqual([lastIds.length, calls], [2, [true, false, true, false]]);
});

test("an error of the page is not a lost connection", async () => {
  fakeFetch([200, ['event: state\ndata: {"version":"1"}\n\n']]);
  const calls = [];
  const stream = new EventStream("key", { ...IGNORE_ALL, onLost: () => calls.push("lost"), onState: (state) => state.no.such.part });
  await assert.rejects(stream.run(), TypeError);
  assert.deepEqual(calls, []);
});

test("a hidden page closes its stream and reports no lost connection", async () => {
  const calls = [];
  const lastIds = [];
  globalThis.fetch = (_, { signal, headers }) => {
    lastIds.push(headers["Last-Event-ID"] ?? "");
    if (lastIds.length > 1) return Promise.resolve(new Response(null, { status: 401 }));
    return Promise.resolve(new Response(new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('event: state\nid: 7\ndata: {"version":"1"}\n\n'));
        signal.addEventListener("abort", () => controller.error(signal.reason));
      },
    })));
  };
  let markReceived;
  const first = new Promise((done) => (markReceived = done));
  const stream = new EventStream("key", { ...IGNORE_ALL, onState: () => markReceived(), onLost: () => calls.push("lost"), onEnded: (status) => calls.push(status) });
  const running = stream.run();
  await first;
  stream.suspend();
  await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual([lastIds, calls], [[""], []]);
  stream.reconnectNow();
  await running;
  assert.deepEqual([lastIds, calls], [["", "7"], [401]]);
});

const TEXT = 'event: state\nid: 7\ndata: {"a":\ndata: 1}\n\n: still here\n\nevent: word\ndata: x: y\n\n';
const EXPECTED = [
  { name: "state", data: '{"a":\n1}' },
  { name: "word", data: "x: y" },
];

test("events are parsed however they are split", () => {
  for (const text of [TEXT, TEXT.replaceAll("\n", "\r\n")]) {
    for (let size = 1; size <= text.length; size += 1) {
      const [parser, found] = [new EventParser(), []];
      for (let index = 0; index < text.length; index += size) found.push(...parser.parse(text.slice(index, index + size)));
      assert.deepEqual(found, EXPECTED);
      assert.equal(parser.lastId, "7");
    }
  }
});

test("incomplete events and comments are ignored", () => {
  assert.deepEqual(new EventParser().parse("event: state\ndata: 1\n"), []);
  assert.deepEqual(new EventParser().parse(": ping\n\n"), []);
});

/** Return `count` pages of one browser; `paused` lists those that had to pause. */
function openPages(count) {
  const channels = [];
  const paused = [];
  const pages = Array.from({ length: count }, (_, index) => {
    const channel = { postMessage: (data) => channels.filter((each) => each !== channel).forEach((each) => each.onmessage({ data })) };
    channels.push(channel);
    return new PageLimiter(channel, () => rest(index));
  });
  const rest = (index) => {
    paused.push(index);
    pages[index].setActive(false);
  };
  return { pages, paused };
}

test("the oldest of six pages makes room and returns as the newest", () => {
  const { pages, paused } = openPages(7);
  for (const page of pages.slice(0, 5)) page.setActive(true);
  assert.deepEqual(paused, []);
  pages[5].setActive(true);
  assert.deepEqual(paused, [0]);
  paused.length = 0;
  pages[0].setActive(true);
  assert.deepEqual(paused, [1]);
  pages[6].setActive(true);
  assert.deepEqual(paused, [1, 2]);
});

test("closed and reconnecting pages displace no others", () => {
  const { pages, paused } = openPages(7);
  pages[0].setActive(true);
  for (const page of pages.slice(1)) [true, false].forEach((isActive) => page.setActive(isActive));
  for (let times = 0; times < 9; times += 1) pages[1].setActive(true);
  assert.deepEqual(paused, []);
});
