/** Ask in a dialog: it keeps the focus within, and gives it back to where it was. */
import { createButton, createElement } from "./dom.js";
import { say } from "./translations.js";

/**
 * Ask a question, and return the key of the chosen answer; "" if the reader cancels.
 * @param {string} question
 * @param {[string, string][]} answers key and label of each; Enter in `field` chooses the first one
 * @param {HTMLInputElement|null} field for a text that the answer needs
 */
export function ask(question, answers, field = null) {
  const dialog = createElement("dialog", { class: "panel", "aria-label": question });
  const submit = (event) => {
    event.preventDefault();
    dialog.close(answers[0][0]);
  };
  const buttons = answers.map(([key, label], index) => {
    return createButton(label, () => dialog.close(key), index ? {} : { class: "main" });
  });
  // Without a field the second press of a double press cancels.
  const cancel = createButton(say("Cancel"), () => dialog.close(""), { autofocus: !field });
  const row = createElement("div", { class: "choices" }, ...buttons, cancel);
  dialog.append(createElement("form", { submit }, createElement("h2", {}, question), field, row));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}
