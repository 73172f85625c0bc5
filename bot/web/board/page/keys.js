/**
 * The keyboard: type what is written on a tile, `+ - * /` for an operation, Backspace to undo, Escape to begin
 * again, Enter to hand in. Figures that could begin several numbers wait for the next key: of the tiles 2 and 25,
 * `2` `5` is 25, and `2` with Enter or an operation behind it is 2.
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
 * @returns {{place: number|null, waits: boolean}} the tile if it is certain; whether more may follow
 */
export function typed(text, names) {
  const fitting = names.flat().map(bare).filter((name) => name.startsWith(text));
  if (!text || !fitting.length) return { place: null, waits: false };
  const certain = fitting.every((name) => name === fitting[0]);
  return certain ? { place: exact(fitting[0], names), waits: false } : { place: null, waits: true };
}

/** The tile that is named exactly so; null for none. */
export function exact(text, names) {
  const place = names.findIndex((each) => each.map(bare).includes(text));
  return text && place >= 0 ? place : null;
}

function bare(name) {
  return name.replace(/^[-−]/, "").toLowerCase();
}
