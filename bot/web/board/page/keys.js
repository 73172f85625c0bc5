/**
 * The keyboard: type what is written on a tile, `+ - * /` for an operation, Backspace to undo, Escape to begin
 * again, Enter to hand in. Figures that could begin several numbers wait for the next key: of the tiles 2 and 25,
 * `2` `5` is 25, and `2` with Enter or an operation behind it is 2. Where 25 alone begins so, `2` takes it, and a `5`
 * behind that is still its own.
 */

const SIGNS = { "+": "+", "-": "-", "−": "-", "*": "*", "×": "*", "/": "/", "÷": "/", ":": "/" };
const COMMANDS = { Backspace: "undo", Delete: "undo", Escape: "reset", Enter: "enter" };

/** What a key means: `{command}`, `{op}`, `{figure}`, `{arrow}`, or null for nothing of ours. */
export function meaning(key) {
  if (COMMANDS[key]) return { command: COMMANDS[key] };
  if (SIGNS[key]) return { op: SIGNS[key] };
  if (/^Arrow(Left|Right|Up|Down)$/.test(key)) return { arrow: key.slice(5).toLowerCase() };
  return /^[0-9a-z]$/i.test(key) ? { figure: key.toLowerCase() } : null;
}

/**
 * What was typed until now, against the names of the tiles that may be taken, a list for each place.
 * @returns {{place: number|null, waits: boolean, rest: string}} the tile if it is certain, and what of its name was not
 *   typed; whether more may follow
 */
export function typed(text, names) {
  const fitting = names.flat().map(bare).filter((name) => name.startsWith(text));
  if (!text || !fitting.length) return { place: null, waits: false, rest: "" };
  const certain = fitting.every((name) => name === fitting[0]);
  if (!certain) return { place: null, waits: true, rest: "" };
  return { place: exact(fitting[0], names), waits: false, rest: fitting[0].slice(text.length) };
}

/** The tile that is named exactly so; null for none. */
export function exact(text, names) {
  const place = names.findIndex((each) => each.map(bare).includes(text));
  return text && place >= 0 ? place : null;
}

function bare(name) {
  return name.replace(/^[-−]/, "").toLowerCase();
}
