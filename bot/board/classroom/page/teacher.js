/** The teacher's page: the way in, the lesson, who is stuck, and the report. */
import { ask } from "./ask.js";
import { findElement, followStates, getServerTime, loadSentences, noteServerTime } from "./class_page.js";
import { showMessage, takeKey } from "./class_page.js";
import { createButton, createElement, Region, setText } from "./dom.js";
import { postJson, sendRequest } from "./http.js";
import { LessonForm } from "./lesson_form.js";
import { PupilsTable } from "./pupils_table.js";
import { createReport } from "./report.js";
import { isolateName, say } from "./translations.js";

let key = null;
let addresses = null;
let state = null;
const regions = {};
let form = null;
let table = null;
let stuckNames = null;
let namesForm = null;

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
  setInterval(() => table.updateSeconds(getServerTime()), 1000);
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
  const createSection = (name, heading, ...children) => {
    const node = createElement("div", {});
    regions[name] = new Region(node);
    const title = createElement("h2", { tabindex: -1 }, heading);
    return createElement("section", { class: `panel ${name}`, "aria-label": heading }, title, node, ...children);
  };
  form = new LessonForm({ begin: beginLesson, check: checkHands });
  table = new PupilsTable(changePupil);
  stuckNames = createElement("p", { class: "stuck-names", role: "status" });
  namesForm = createNamesForm();
  const main = findElement("main");
  main.replaceChildren(
    createSection("door", say("Let your pupils in")),
    createSection("lesson", say("Lesson")),
    createSection("pupils", say("Pupils"), stuckNames, table.node, namesForm),
    createSection("report", say("Report"), ...createReportParts()),
    createSection("end", say("End of the class")),
  );
  main.removeAttribute("aria-busy");
}

function receive(received) {
  state = received;
  const { door, lesson, hands, pupils } = state;
  findElement("main").toggleAttribute("data-lesson", Boolean(lesson?.is_open));
  draw("door", [door], createDoor);
  const { pace, number, count, due, shows_solutions: isOver } = lesson ?? {};
  const inputs = lesson?.is_open ? [pace, number, count, due, isOver, hands] : [state.games];
  draw("lesson", [door.is_closed, ...inputs], createLesson);
  const done = findElement("done");
  if (done) setText(done, say("{n} of {all} done", { n: lesson.done, all: countPupils() }));
  draw("pupils", [pupils.length > 0, door.is_closed], createPupilsAdvice);
  table.node.hidden = !pupils.length;
  table.draw(state, getServerTime());
  const stuck = pupils.filter(({ cells }) => cells.at(-1)?.is_stuck).map(({ name }) => isolateName(name));
  setText(stuckNames, stuck.length ? say("Stuck: {names}", { names: stuck.join(say(", ")) }) : "");
  namesForm.hidden = door.is_closed;
  regions.lesson.node.parentNode.hidden = door.is_closed;
  draw("end", [door.is_closed, state.is_kept], createEnd);
}

/** Draw a section; a focus that it would lose goes to its heading. */
function draw(name, inputs, createChildren) {
  const { node } = regions[name];
  const hadFocus = node.contains(document.activeElement);
  regions[name].draw(inputs, createChildren);
  if (hadFocus && !node.contains(document.activeElement)) node.previousElementSibling.focus();
}

// The door

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
      { class: "choices" },
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
  const { lesson } = state;
  if (!lesson?.is_open) return [form.create(state)];
  return lesson.pace === "together" ? createSharedHand(lesson) : createOwnPace(lesson);
}

function createSharedHand(lesson) {
  const { number, count, shows_solutions: isOver } = lesson;
  const place = `${lesson.title} · ${say("Hand {n} of {all}", { n: number, all: count })} · ${state.hands[number - 1].level}`;
  const isLast = number === count;
  const next = isLast || !isOver ? null : createButton(say("Next hand"), () => act("next", { number }), { "data-key": "next", class: "main" });
  const solutions = isOver ? null : createButton(say("Show the solutions"), () => act("solutions"), { "data-key": "solutions", class: "main" });
  return [
    createElement("p", {}, place),
    createElement("p", { class: "hand" }, state.hands[number - 1].line),
    createElement("p", { id: "done" }),
    createElement("div", { class: "choices" }, ...[solutions, next, createCloseButton(isLast && isOver)].filter(Boolean)),
  ];
}

function createOwnPace(lesson) {
  const due = lesson.due ? say("Due {time}", { time: formatTime(lesson.due) }) : null;
  const lines = [`${lesson.title} · ${say("{n} hands", { n: lesson.count })}`, due];
  return [
    ...lines.filter(Boolean).map((line) => createElement("p", {}, line)),
    createElement("p", { id: "done" }),
    createElement("div", { class: "choices" }, createCloseButton(false)),
  ];
}

function formatTime(seconds) {
  const style = { dateStyle: "medium", timeStyle: "short" };
  return new Date(seconds * 1000).toLocaleString(document.documentElement.lang, style);
}

/** Create the button that ends the lesson; it asks first unless all is done. */
function createCloseButton(isDone) {
  const close = async () => {
    const isSure = isDone || (await ask(say("End the lesson? Open hands end for all."), [["end", say("End the lesson")]]));
    if (isSure) act("close lesson");
  };
  return createButton(say("End the lesson"), close, { "data-key": "close", class: isDone ? "main" : "" });
}

async function beginLesson(plan) {
  const response = await request("./class/lesson", plan);
  if (response?.ok) showMessage("");
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

function createPupilsAdvice() {
  const { pupils, door } = state;
  if (door.is_closed) return [];
  if (pupils.length) return [createElement("p", {}, say("Press a name to change or remove it, or to let the pupil in on another device."))];
  return [createElement("p", {}, say("Nobody has joined yet. Open the projector where the class can see it."))];
}

async function changePupil(id) {
  const { name, has_joined: hasJoined } = state.pupils.find((pupil) => pupil.id === id);
  const field = createElement("input", { value: name, maxlength: 32, dir: "auto", autocomplete: "off", "aria-label": say("Name") });
  const readmit = hasJoined && !state.door.is_closed ? [["readmit", say("Let in again")]] : [];
  const answers = [["rename", say("Save the name")], ...readmit, ["remove", say("Remove")]];
  const chosen = await ask(isolateName(name), answers, field);
  if (chosen === "rename" && field.value !== name) act("rename", { pupil_id: id, name: field.value });
  if (chosen === "readmit" && (await act("readmit", { pupil_id: id }))) {
    showMessage(say("{name} may join again, on any device.", { name: isolateName(name) }));
  }
  if (chosen !== "remove") return;
  const question = say("Remove {name} with all answers?", { name: isolateName(name) });
  if (await ask(question, [["remove", say("Remove")]])) act("remove", { pupil_id: id });
}

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

function createReportParts() {
  const node = createElement("div", {});
  const showReport = async () => {
    const response = await request("./class/report");
    if (!response?.ok) return showMessage(say("No connection. Try again."), true);
    node.replaceChildren(...createReport(response.json()));
    node.firstChild.focus();
  };
  const buttons = [createButton(say("Show the report"), showReport), createButton(say("Download a table (CSV)"), downloadTable)];
  return [createElement("div", { class: "choices" }, ...buttons), node];
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
  const keep = createElement("input", { type: "checkbox", id: "keep", "data-key": "keep", change: () => act("keep", { is_on: !isKept }) });
  keep.checked = isKept;
  const askThenAct = async (question, label, action) => (await ask(question, [[action, label]])) && act(action);
  const close = () => askThenAct(say("End the class? Nobody can join or play any more."), say("End the class"), "close");
  const remove = () => askThenAct(say("Delete the class with all names and answers now?"), say("Delete everything now"), "delete");
  return [
    createElement("p", {}, say("Names and answers are deleted a day after the lesson, or after homework is due.")),
    createElement("p", { class: "choices" }, keep, createElement("label", { for: "keep" }, say("Keep the report until I delete it"))),
    createElement(
      "div",
      { class: "choices" },
      door.is_closed ? null : createButton(say("End the class"), close, { "data-key": "close" }),
      createButton(say("Delete everything now"), remove, { "data-key": "delete" }),
    ),
  ];
}

/** Carry out a move; return whether that worked, and show the reason if not. */
async function act(action, more = {}) {
  const response = await request("./class/action", { action, ...more });
  showMessage(response?.ok ? "" : response?.json()?.text ?? say("No connection. Try again."), true);
  return Boolean(response?.ok);
}

function request(path, body) {
  return body ? postJson(path, body, key) : sendRequest(path, { headers: { Authorization: `Bearer ${key}` } });
}

start();
