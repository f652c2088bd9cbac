// A data file: its columns set the ranges of the names they share, and its rows are drawn.

import { $, counted, decode, make, onFile, shown } from "../page/dom.js";
import { ask } from "../page/server.js";
import { isFresh, remember, speakOf, state } from "../page/state.js";

const LARGEST = 1 << 26; // bytes; the server counts characters
/** The table that is open: its columns by name; null without one. */
export let table = null;

let told = () => {};

/** Connect the fields; `changed` is called after another file, target or range. */
export function startData(changed) {
  told = changed;
  onFile($("data-file"), $("data-drop"), async (file) => {
    if (file.size > LARGEST) tell(`${file.name} is larger than a page can take.`, true);
    else await open({ text: await file.text() }, file.name);
  });
  $("data-target").addEventListener("change", (event) => { state.target = event.target.value; setRanges(); fillData(); changed(); });
  $("data-away").addEventListener("click", () => { table = null; state.data = ""; fillData(); changed(); });
}

/** Open a table: the text of a file, or the key of one that the command line named. */
async function open(source, name, keepsRanges = false) {
  try {
    const answer = await ask("data", source, undefined, "reading the data");
    if (answer.problem) return tell(`${name}: ${answer.problem.message}`, true);
    table = { ...answer, name, columns: Object.fromEntries(answer.columns.map(({ name, range, values }) => [name, { range, values: decode(values) }])) };
  } catch (error) {
    return tell(error.message, true);
  }
  const names = Object.keys(table.columns);
  if (!names.includes(state.target)) state.target = ["y", "target"].find((one) => names.includes(one)) ?? names.at(-1);
  state.data = source.key ? name : "";
  if (!keepsRanges) {
    speakOf(names.filter((one) => one !== state.target));
    setRanges();
  }
  fillData();
  return told();
}

/** Offer what was named on the command line; the only one is opened, or the one that a link names. */
export function offerTables(tables) {
  $("opened-data").replaceChildren(...tables.map(({ key, name }) => make("button", { type: "button", className: "plain", textContent: name, onclick: () => open({ key }, name) })));
  const first = tables.find(({ name }) => name === state.data) ?? (tables.length === 1 ? tables[0] : null);
  if (first) open({ key: first.key }, first.name, Boolean(state.data) || !isFresh()); // what a link says comes first
}

/** Names that are columns are variables, with the range of their column. */
function setRanges() {
  for (const [name, { range: [low, high] }] of Object.entries(table.columns)) {
    if (name === state.target) continue;
    state.roles[name] = "variable";
    if (low < high) state.ranges[name] = [low, high];
  }
  remember();
}

/** Put the state into the fields. */
export function fillData() {
  $("data-shown").hidden = !table;
  if (!table) return tell("");
  $("data-target").replaceChildren(...Object.keys(table.columns).map((value) => make("option", { value, textContent: value })));
  $("data-target").value = state.target;
  const dropped = table.n_dropped ? `; ${counted(table.n_dropped)} with gaps left out` : "";
  const drawn = table.n_drawn < table.n_rows ? `; ${counted(table.n_drawn)} drawn` : "";
  const ranges = Object.entries(table.columns).filter(([name]) => name !== state.target).slice(0, 6).map(([name, { range }]) => `${name} ${shown(range[0], 3)} to ${shown(range[1], 3)}`);
  return tell(`${table.name}: ${counted(table.n_rows)} rows${dropped}${drawn}. ${ranges.join(", ")}.`);
}

/** What the pictures draw: the target against the columns of the variables; null without data. */
export function dataPoints() {
  const target = table?.columns[state.target];
  if (!target) return null;
  return { outputs: target.values, range: target.range, columns: Object.fromEntries(Object.entries(table.columns).map(([name, { values }]) => [name, values])) };
}

function tell(words, wrong = false) {
  $("data-told").textContent = words;
  $("data-told").className = wrong ? "problem" : "meta";
}
