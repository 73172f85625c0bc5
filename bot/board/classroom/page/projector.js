/** The page for the wall: the way in, the present hand in large digits, and what the class has found. */
import { findElement, followStates, getServerTime, loadSentences, showMessage, takeKey } from "./class_page.js";
import { computeSecondsLeft, formatSeconds } from "./clock.js";
import { createElement, Region, setText } from "./dom.js";
import { formatAnswer } from "./expression.js";
import { isolateName, say } from "./translations.js";

const main = new Region(findElement("main"));
let state = null;

async function start() {
  await loadSentences();
  const key = takeKey("projector");
  if (!key) return showMessage(say("Open this page from the teacher’s page."));
  setInterval(drawClock, 250);
  await followStates("./class/wall", key, {
    onState: (received) => {
      showMessage("");
      state = received;
      draw();
    },
    onEnded: () => showMessage(say("This class is over.")),
  });
}

function draw() {
  const { lesson } = state;
  setText(findElement("title"), formatTitle());
  main.node.removeAttribute("aria-busy");
  main.draw(state, () => (lesson?.is_open ? createLesson() : createDoor()));
  drawClock();
}

function formatTitle() {
  const { lesson } = state;
  if (!lesson?.is_open) return say("Twenty-Four");
  if (lesson.pace === "own") return `${lesson.title} · ${say("{n} hands", { n: lesson.count })}`;
  return `${lesson.title} · ${say("Hand {n} of {all}", { n: lesson.number, all: lesson.count })}`;
}

function createDoor() {
  const { door, pupil_count: count } = state;
  if (door.is_closed) return [createElement("p", {}, say("This class is over."))];
  const address = door.url.replace(/#.*$/, "");
  return [
    createElement("p", {}, say("Open {address} and type", { address })),
    createElement("p", { class: "wall-large code" }, door.code),
    createElement("img", { class: "wall-qr", src: state.qr, alt: say("QR code to join") }),
    createElement("p", { role: "status" }, say("Here: {n}", { n: count })),
  ];
}

function createLesson() {
  const { lesson, pupil_count: count, door, level } = state;
  const isOwnPace = lesson.pace === "own";
  const done = createElement("p", { class: isOwnPace ? "wall-large" : null }, say("{n} of {all} done", { n: lesson.done, all: count }));
  const address = door.url.replace(/^https?:\/\/|\/?#.*$/g, "");
  const code = createElement("p", { class: "wall-small" }, `${address} · ${say("Code: {code}", { code: door.code })}`);
  if (isOwnPace) return [createElement("p", {}, say("Everybody at their own pace")), done, code];
  const tiles = lesson.tiles.numbers.map((number) => createElement("li", {}, number));
  const goal = createElement("p", { class: "wall-large" }, say("Make {target}", { target: lesson.tiles.target }));
  const clock = createElement("p", { class: "wall-clock", role: "timer", hidden: true });
  const numbers = createElement("ul", { class: "wall-tiles", "data-count": tiles.length, "aria-label": say("Numbers") }, ...tiles);
  if (lesson.shows_solutions) return [numbers, createSolutions(lesson), code];
  return [numbers, goal, createElement("p", { class: "wall-small" }, level), clock, createFirst(state), done, code];
}

function createFirst({ first_names: names }) {
  if (!names.length) return null;
  return createElement("p", { class: "wall-first" }, `🏆 ${names.map(isolateName).join(say(", "))}`);
}

/** List what the class found, by idea, without names; then what nobody found. */
function createSolutions({ solutions, more, tiles }) {
  const items = solutions.map(({ answer, count }) => {
    const text = answer.includes("=") ? answer : `${formatAnswer(answer)} = ${tiles.target}`;
    const isExact = text.endsWith(`= ${tiles.target}`);
    const notes = [count ? say("found by {n}", { n: count }) : say("nobody found it")];
    if (!isExact) notes.unshift(say("nearest to {target}", { target: tiles.target }));
    return createElement("li", {}, createElement("b", {}, text), " ", createElement("small", {}, notes.join(" · ")));
  });
  if (more) items.push(createElement("li", {}, createElement("small", {}, say("more ways: {n}", { n: more }))));
  return createElement("ul", { class: "wall-solutions", "data-count": items.length, "aria-label": say("Solutions") }, ...items);
}

function drawClock() {
  const clock = main.node.querySelector(".wall-clock");
  const deadline = state?.lesson?.deadline;
  if (!clock) return;
  clock.hidden = !deadline;
  if (deadline) setText(clock, formatSeconds(computeSecondsLeft(deadline, 0, getServerTime())));
}

start();
