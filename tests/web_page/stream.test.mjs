import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Events } = await load("stream");
const TEXT = 'event: state\nid: 7\ndata: {"a":\ndata: 1}\n\n: still here\n\nevent: word\ndata: x: y\n\n';
const EXPECTED = [
  { name: "state", data: '{"a":\n1}' },
  { name: "word", data: "x: y" },
];

test("events are read however they are cut", () => {
  for (const text of [TEXT, TEXT.replaceAll("\n", "\r\n")]) {
    for (let size = 1; size <= text.length; size += 1) {
      const [events, found] = [new Events(), []];
      for (let at = 0; at < text.length; at += size) found.push(...events.read(text.slice(at, at + size)));
      assert.deepEqual(found, EXPECTED);
      assert.equal(events.lastId, "7");
    }
  }
});

test("an event that is cut off is none, and a comment is none", () => {
  assert.deepEqual(new Events().read("event: state\ndata: 1\n"), []);
  assert.deepEqual(new Events().read(": ping\n\n"), []);
});
