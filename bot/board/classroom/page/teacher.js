/** The teacher's page: the way in, the lesson, who is stuck, and the report. */
import { findElement, followStates, getServerTime, loadSentences, noteServerTime } from "./class_page.js";
import { showMessage, takeKey } from "./class_page.js";
import { createButton, createElement, Region, setText } from "./dom.js";
import { postJson, sendRequest } from "./http.js";
import { LessonForm } from "./lesson_form.js";
import { createPupilsTable, updateSeconds } from "./pupils_table.js";
import { createReport } from "./report.js";
import { isolateName, say } from "./translations.js";

let key = null;
let addresses = null;
let state = null;
const regions = {};
let form = null;

async function start() {
  await loadSentences();
  setText(findElement("title"), say("Your class"));
  document.title = `${say("Your class")} · ${say("Twenty-Four")}`;
  key = takeKey("teacher");
  if (!key) return showMessage(say("Open this page by the link that you were given."));
  const response = await request("./class/state");
  if (!response?.ok) return showMessage(explainEnd(response), true);
  const opened = response.json();
  addresses = opened.addresses;
  noteServerTime(opened.now);
  layOut();
  receive(opened.state);
  setInterval(() => updateSeconds(regions.pupils.node, getServerTime()), 1000);
  await followStates("./class/events", key, { onState: receive, onEnded: () => end(say("This class was deleted.")) });
}

function explainEnd(response) {
  return response?.status === 401 ? say("This link opens no class any more.") : say("No connection. Reload the page.");
}

function end(text) {
  findElement("main").replaceChildren();
  showMessage(text);
}

/** Create the sections of the page; states fill them. */
function layOut() {
  const createSection = (name, heading) => {
    const node = createElement("div", {});
    regions[name] = new Region(node);
    return createElement("section", { class: `panel ${name}`, "aria-label": heading }, createElement("h2", {}, heading), node);
  };
  form = new LessonForm({ begin: beginLesson, check: checkHands });
  const main = findElement("main");
  main.replaceChildren(
    createSection("door", say("The way in")),
    createSection("lesson", say("Lesson")),
    createSection("pupils", say("Pupils")),
    createSection("report", say("Report")),
    createSection("end", say("End of the class")),
  );
  main.removeAttribute("aria-busy");
}

function receive(received) {
  showMessage("");
  state = received;
  const { door, lesson, hands, pupils } = state;
  regions.door.draw([door], createDoor);
  const isBeginning = !lesson?.is_open;
  regions.lesson.draw([isBeginning ? [state.games, door.is_closed] : [lesson, pupils.length]], createLesson);
  regions.pupils.draw([pupils, lesson, hands, door.is_closed], () => [
    createPupilsTable(state, getServerTime(), pupilActions),
    door.is_closed ? null : createNamesForm(),
  ]);
  regions.report.draw([door.is_closed], createReportButtons);
  regions.end.draw([door.is_closed, state.is_kept], createEnd);
}

// The way in

function createDoor() {
  const { door } = state;
  if (door.is_closed) return [createElement("p", {}, say("The class is over: nobody can join."))];
  const address = addresses.join.replace(/#.*$/, "");
  const toggle = () => act("lock", { is_on: !door.is_locked });
  return [
    createElement("p", {}, say("Pupils open {address} and type", { address })),
    createElement("p", { class: "code" }, door.code),
    createElement("img", { class: "qr", src: addresses.qr, alt: say("QR code to join") }),
    createElement(
      "div",
      { class: "buttons" },
      createButton(say("Copy the link"), copyLink),
      createButton(door.is_locked ? say("Unlock the door") : say("Lock the door"), toggle, { "data-key": "lock" }),
      createElement("a", { class: "button", href: addresses.projector, target: "_blank" }, say("Open the projector")),
    ),
  ];
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(addresses.join);
    showMessage(say("The link is copied. Whoever has it can join."));
  } catch {
    showMessage(addresses.join); // there is no clipboard away from https
  }
}

// The lesson

function createLesson() {
  const { lesson, door } = state;
  if (door.is_closed) return [createElement("p", {}, say("The class is over."))];
  if (!lesson?.is_open) return [form.create(state)];
  return lesson.pace === "together" ? createSharedHand(lesson) : createOwnPace(lesson);
}

function createSharedHand(lesson) {
  const { number, count, shows_solutions: isOver, done } = lesson;
  const place = `${lesson.title} · ${say("Hand {n} of {all}", { n: number, all: count })} · ${state.hands[number - 1].level}`;
  const next = number < count ? createButton(say("Next hand"), () => act("next", { number }), { "data-key": "next", class: isOver ? "main" : "" }) : null;
  const solutions = isOver ? null : createButton(say("Show the solutions"), () => act("solutions"), { "data-key": "solutions", class: "main" });
  const buttons = [solutions, next, createButton(say("End the lesson"), () => act("close lesson"), { "data-key": "close" })];
  return [
    createElement("p", {}, place),
    createElement("p", { class: "hand" }, state.hands[number - 1].line),
    createElement("p", {}, say("{n} of {all} done", { n: done, all: countPupils() })),
    createElement("div", { class: "buttons" }, ...buttons.filter(Boolean)),
  ];
}

function createOwnPace(lesson) {
  const due = lesson.due ? say("Due {time}", { time: new Date(lesson.due * 1000).toLocaleString(document.documentElement.lang) }) : null;
  const lines = [`${lesson.title} · ${say("{n} hands", { n: lesson.count })}`, due, say("{n} of {all} done", { n: lesson.done, all: countPupils() })];
  return [
    ...lines.filter(Boolean).map((line) => createElement("p", {}, line)),
    createElement("div", { class: "buttons" }, createButton(say("End the lesson"), () => act("close lesson"), { "data-key": "close" })),
  ];
}

async function beginLesson(plan) {
  const response = await request("./class/lesson", plan);
  if (response?.ok) return form.reset();
  showMessage(response?.json()?.text ?? say("No connection. Try again."), true);
}

async function checkHands(game, hands) {
  const response = await request("./class/check", { game, hands });
  return response?.ok ? response.json().hands : [];
}

/** Return how many pupils have joined. */
function countPupils() {
  return state.pupils.filter((pupil) => pupil.has_joined).length;
}

// Pupils

const pupilActions = {
  rename(pupil) {
    const name = prompt(say("Another name for {name}", { name: pupil.name }), pupil.name);
    if (name) act("rename", { pupil_id: pupil.id, name });
  },
  remove(pupil) {
    if (confirm(say("Remove {name} with all answers?", { name: isolateName(pupil.name) }))) act("remove", { pupil_id: pupil.id });
  },
  readmit(pupil) {
    act("readmit", { pupil_id: pupil.id });
    showMessage(say("{name} may join again, on any device.", { name: isolateName(pupil.name) }));
  },
};

function createNamesForm() {
  const area = createElement("textarea", { id: "names", rows: 3, dir: "auto" });
  const submit = async (event) => {
    event.preventDefault();
    if (area.value.trim() && (await act("add", { names: area.value }))) area.value = "";
  };
  return createElement(
    "details",
    { class: "names-form" },
    createElement("summary", {}, say("Add names")),
    createElement(
      "form",
      { submit },
      createElement("label", { for: "names" }, say("One name a line: pupils then pick theirs")),
      area,
      createElement("button", { type: "submit" }, say("Add")),
    ),
  );
}

// The report and the end

function createReportButtons() {
  const node = createElement("div", {});
  const showReport = async () => {
    const response = await request("./class/report");
    if (response?.ok) node.replaceChildren(...createReport(response.json()));
  };
  const buttons = [createButton(say("Show the report"), showReport), createButton(say("Download a table (CSV)"), downloadTable)];
  return [createElement("div", { class: "buttons" }, ...buttons), node];
}

async function downloadTable() {
  const response = await fetch("./class/report.csv", { headers: { Authorization: `Bearer ${key}` } });
  if (!response.ok) return showMessage(say("No connection. Try again."), true);
  const url = URL.createObjectURL(await response.blob());
  createElement("a", { href: url, download: "class.csv" }).click();
  URL.revokeObjectURL(url);
}

function createEnd() {
  const { door, is_kept: isKept } = state;
  const keep = createElement("input", { type: "checkbox", id: "keep", change: () => act("keep", { is_on: !isKept }) });
  keep.checked = isKept;
  const close = () => confirm(say("End the class? Nobody can join or play any more.")) && act("close");
  const remove = () => confirm(say("Delete the class with all names and answers now?")) && act("delete");
  return [
    createElement("p", {}, say("Names and answers are deleted a day after the lesson, or after homework is due.")),
    createElement("p", {}, keep, " ", createElement("label", { for: "keep" }, say("Keep the report until I delete it"))),
    createElement(
      "div",
      { class: "buttons" },
      door.is_closed ? null : createButton(say("End the class"), close),
      createButton(say("Delete everything now"), remove),
    ),
  ];
}

/** Carry out a move; return whether that worked, and show the reason if not. */
async function act(action, more = {}) {
  const response = await request("./class/action", { action, ...more });
  if (!response?.ok) showMessage(response?.json()?.text ?? say("No connection. Try again."), true);
  return Boolean(response?.ok);
}

function request(path, body) {
  return body ? postJson(path, body, key) : sendRequest(path, { headers: { Authorization: `Bearer ${key}` } });
}

start();
