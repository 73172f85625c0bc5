import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Boards } = await load("boards");

/** So many boards of one browser; `resting` are those that were asked to make room. */
function opened(count) {
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

test("of six live boards the oldest makes room, and comes back as the newest", () => {
  const { boards, resting } = opened(7);
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

test("boards that are closed, and one that connects again and again, put none aside", () => {
  const { boards, resting } = opened(7);
  boards[0].tell(true);
  for (const board of boards.slice(1)) [true, false].forEach((live) => board.tell(live));
  for (let times = 0; times < 9; times += 1) boards[1].tell(true);
  assert.deepEqual(resting, []);
});
