import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { EventParser, EventStream, PageLimiter } = await load("event_stream");

/** Fake `fetch` with these answers: a status, and chunks of a stream that then ends. */
function fakeFetch(...list) {
  const asked = [];
  globalThis.fetch = async (path, { headers }) => {
    asked.push(headers["Last-Event-ID"] ?? "");
    const [status, chunks] = list.shift() ?? [401, []];
    if (status === "break") throw new TypeError("no network");
    return new Response(new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        controller.close();
      },
    }), { status });
  };
  return asked;
}

const quiet = { onState() {}, onReply() {}, onConnected() {}, onLost() {}, onActive() {}, onPaused() {}, onEnded() {} };

test("states and words are delivered, and a lost stream is opened again from the newest event", async () => {
  const asked = fakeFetch(
    [200, ["event: state\nid: 5\nda", 'ta: {"version":"1"}\n\n', ": ping\n\n"]],
    ["break", []],
    [503, []],
    [200, ['event: word\nid: 6\ndata: {"text":"Так"}\n\n']],
    [401, []],
  );
  const calls = [];
  const stream = new EventStream("key", {
    ...quiet,
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
  assert.deepEqual(asked, ["", "5", "5", "5", "6"]);
});

test("a page that must make room rests until it is used", async () => {
  const asked = fakeFetch([200, ["event: elsewhere\ndata: {}\n\n"]], [401, []]);
  const calls = [];
  let rested;
  const resting = new Promise((done) => (rested = done));
  const stream = new EventStream("key", { ...quiet, onActive: (isActive) => calls.push(isActive), onLost: () => calls.push("lost"), onPaused: () => rested() });
  const running = stream.run();
  await resting;
  await new Promise((done) => setImmediate(done));
  assert.deepEqual([asked.length, calls], [1, [true, false]]);
  stream.resume();
  await running;
  assert.deepEqual([asked.length, calls], [2, [true, false, true, false]]);
});

test("an error of the page is not a lost connection", async () => {
  fakeFetch([200, ['event: state\ndata: {"version":"1"}\n\n']]);
  const calls = [];
  const stream = new EventStream("key", { ...quiet, onLost: () => calls.push("lost"), onState: (state) => state.no.such.part });
  await assert.rejects(stream.run(), TypeError);
  assert.deepEqual(calls, []);
});

test("a hidden page closes its stream and reports no lost connection", async () => {
  const calls = [];
  const asked = [];
  globalThis.fetch = (_, { signal, headers }) => {
    asked.push(headers["Last-Event-ID"] ?? "");
    if (asked.length > 1) return Promise.resolve(new Response(null, { status: 401 }));
    return Promise.resolve(new Response(new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('event: state\nid: 7\ndata: {"version":"1"}\n\n'));
        signal.addEventListener("abort", () => controller.error(signal.reason));
      },
    })));
  };
  let heard;
  const first = new Promise((done) => (heard = done));
  const stream = new EventStream("key", { ...quiet, onState: () => heard(), onLost: () => calls.push("lost"), onEnded: (status) => calls.push(status) });
  const running = stream.run();
  await first;
  stream.suspend();
  await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual([asked, calls], [[""], []]);
  stream.reconnectNow();
  await running;
  assert.deepEqual([asked, calls], [["", "7"], [401]]);
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
      for (let at = 0; at < text.length; at += size) found.push(...parser.parse(text.slice(at, at + size)));
      assert.deepEqual(found, EXPECTED);
      assert.equal(parser.lastId, "7");
    }
  }
});

test("incomplete events and comments are ignored", () => {
  assert.deepEqual(new EventParser().parse("event: state\ndata: 1\n"), []);
  assert.deepEqual(new EventParser().parse(": ping\n\n"), []);
});

/** Return `count` pages of one browser; `resting` lists those that were asked to make room. */
function openPages(count) {
  const channels = [];
  const resting = [];
  const pages = Array.from({ length: count }, (_, at) => {
    const channel = { postMessage: (data) => channels.filter((each) => each !== channel).forEach((each) => each.onmessage({ data })) };
    channels.push(channel);
    return new PageLimiter(channel, () => rest(at));
  });
  const rest = (at) => {
    resting.push(at);
    pages[at].setActive(false);
  };
  return { pages, resting };
}

test("the oldest of six pages makes room and returns as the newest", () => {
  const { pages, resting } = openPages(7);
  for (const page of pages.slice(0, 5)) page.setActive(true);
  assert.deepEqual(resting, []);
  pages[5].setActive(true);
  assert.deepEqual(resting, [0]);
  resting.length = 0;
  pages[0].setActive(true);
  assert.deepEqual(resting, [1]);
  pages[6].setActive(true);
  assert.deepEqual(resting, [1, 2]);
});

test("closed and reconnecting pages displace no others", () => {
  const { pages, resting } = openPages(7);
  pages[0].setActive(true);
  for (const page of pages.slice(1)) [true, false].forEach((isActive) => page.setActive(isActive));
  for (let times = 0; times < 9; times += 1) pages[1].setActive(true);
  assert.deepEqual(resting, []);
});
