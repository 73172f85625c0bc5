/** Join a class: by its code or its link, under a name of the teacher's list or another. */
import { findElement, getParameter, loadSentences, showMessage } from "./class_page.js";
import { createButton, createElement } from "./dom.js";
import { createId } from "./entries.js";
import { postJson } from "./http.js";
import { openBrowserValue } from "./storage.js";
import { isolateName, say } from "./translations.js";

const MAX_NAME_CHARS = 32;
/** The key of the pupil who used this browser last. */
const storedPupil = openBrowserValue("pupil");
/** A random id, by which a request that got no answer can be sent again. */
const storedDevice = openBrowserValue("device");
const main = findElement("main");

async function start() {
  await loadSentences();
  findElement("title").textContent = say("Join your class");
  document.title = `${say("Join your class")} · ${say("Twenty-Four")}`;
  const [known, link] = [storedPupil.read(), getParameter("link")];
  const response = known ? await postJson("./class/return", { pupil: known, ...(link && { link }) }) : null;
  const { name, is_here: isHere } = response?.ok ? response.json() : {};
  if (isHere) return showReturn(known, name);
  begin();
  if (response?.status !== 401) return;
  storedPupil.write(null);
  showMessage(say("You are no longer in that class. To join again, type its code."));
}

function begin() {
  const link = getParameter("link");
  if (link) lookIn({ link });
  else showCodeForm();
}

function showReturn(key, name) {
  show(
    createElement("p", {}, say("You were here as {name}.", { name: isolateName(name) })),
    createButton(say("Go on"), () => play(key), { class: "main" }),
    createButton(say("I am somebody else"), begin),
  );
}

function showCodeForm() {
  const input = createElement("input", {
    id: "code",
    class: "code",
    maxlength: 12,
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    required: true,
  });
  const submit = (event) => {
    event.preventDefault();
    lookIn({ code: input.value });
  };
  show(
    createElement(
      "form",
      { submit },
      createElement("label", { for: "code" }, say("The code on your teacher’s screen")),
      input,
      createElement("button", { type: "submit", class: "main" }, say("Go on")),
    ),
  );
  input.focus();
}

/** Ask for the free names of the class, then for the pupil's. */
async function lookIn(knock) {
  const response = await postJson("./class/door", knock);
  if (!response?.ok) {
    showMessage(explainRefusal(response), true);
    if (knock.link) showCodeForm();
    return;
  }
  showNameForm(knock, response.json());
}

function showNameForm(knock, { names, is_locked: isLocked }) {
  showMessage("");
  const input = createElement("input", { id: "name", maxlength: MAX_NAME_CHARS, autocomplete: "off", dir: "auto" });
  const submit = (event) => {
    event.preventDefault();
    join(knock, input.value);
  };
  const listed = names.map((name) => createButton(name, () => join(knock, name), { class: "name", dir: "auto" }));
  const form = createElement(
    "form",
    { submit },
    createElement("label", { for: "name" }, names.length ? say("Not in the list? Type your name") : say("Your name")),
    input,
    createElement("button", { type: "submit", class: "main" }, say("Join")),
    createElement("p", { class: "quiet" }, say("A nickname will do. It is deleted a day after the lesson.")),
  );
  const heading = createElement("h2", { tabindex: -1 }, say("Who are you?"));
  const locked = createElement("p", {}, say("The door is locked. Ask your teacher."));
  show(heading, listed.length ? createElement("div", { class: "choices" }, ...listed) : null, isLocked ? locked : form);
  (listed.length || isLocked ? heading : input).focus();
}

async function join(knock, name) {
  const device = storedDevice.read() ?? createId();
  storedDevice.write(device);
  const response = await postJson("./class/join", { ...knock, name, device });
  if (response?.ok) {
    const { pupil } = response.json();
    storedPupil.write(pupil);
    return play(pupil);
  }
  showMessage(explainRefusal(response), true);
}

function explainRefusal(response) {
  const problem = response?.status === 409 ? response.json()?.problem : null;
  const byProblem = {
    taken: () => say("Somebody has that name. If it is you, ask your teacher to let you in again."),
    locked: () => say("The door is locked. Ask your teacher."),
    full: () => say("The class is full."),
    "no name": () => say("Please type your name."),
    over: () => say("This class is over."),
  };
  if (byProblem[problem]) return byProblem[problem]();
  if (response?.status === 404) return say("No class has that code. Look again: it has six letters and digits.");
  if (response?.status === 429) return say("Many wrong codes were typed just now. Wait a moment, or scan the picture.");
  return say("No connection. Try again.");
}

function play(key) {
  location.assign(`./play#pupil=${key}`);
}

function show(...nodes) {
  main.replaceChildren(createElement("div", { class: "panel" }, ...nodes.filter(Boolean)));
  main.removeAttribute("aria-busy");
}

start();
