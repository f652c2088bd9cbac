// The chosen formula: as mathematics, with all that its file tells, and what can be done with it.

import { compareNow, fill as fillCompare } from "../compare/compare.js";
import { $, cut, make, shown } from "../page/dom.js";
import { mathematics } from "../page/mathml.js";
import { ask } from "../page/server.js";
import { state } from "../page/state.js";
import { model, on } from "./model.js";
import { factsOf } from "./tip.js";

let asked = null;

/** `goTo` opens a tab, `search` looks for the neighbors of a text. */
export function startChosen(goTo, search) {
  const again = () => show(goTo, search);
  for (const kind of ["formulas", "chosen", "equals"]) on(kind, again);
}

async function show(goTo, search) {
  const place = model.chosen;
  if (place === null) return $("chosen").replaceChildren(make("span", { textContent: "Click a formula, or walk the map with the arrow keys." }));
  fill(place, { text: model.texts[place], written: null, mathml: "", columns: {} }, goTo, search);
  asked?.abort();
  asked = new AbortController();
  try {
    const whole = await ask("formula", { key: model.key, place }, asked.signal);
    if (model.chosen === place && !whole.problem) fill(place, whole, goTo, search);
  } catch {
    // The cut text is shown already.
  }
}

function fill(place, { text, written, mathml, columns }, goTo, search) {
  const use = (name) => make("button", { type: "button", className: "quiet", textContent: `Use as ${name.toUpperCase()}`, onclick: () => {
    state[name] = text;
    state[`written_${name}`] = "infix";
    fillCompare();
    compareNow();
    goTo("compare");
  } });
  // A loss that is no number, such as nan or a word, is no fact of the map's; it is told as it is written.
  const isFact = (name, value) => ["loss", "complexity"].includes(name) && !Number.isNaN(Number(value)) && value !== "";
  const others = Object.entries(columns).filter(([name, value]) => value !== null && value !== "" && !isFact(name, value)).slice(0, 8);
  const told = [factsOf(place), ...others.map(([name, value]) => `${name} ${typeof value === "number" ? shown(value) : String(value).slice(0, 60)}`)].filter(Boolean).join(", ");
  $("chosen").replaceChildren(
    make("div", { className: "math" }, mathematics(mathml, text)),
    ...(mathml ? [make("code", { textContent: cut(text, 400) })] : []),
    ...(written ? [make("span", {}, "written ", make("code", { textContent: cut(written, 400) }))] : []),
    make("span", { className: "meta", textContent: told }),
    make("span", { className: "buttons" }, use("e"), use("f"), make("button", { type: "button", className: "quiet", textContent: "Nearest", onclick: () => search(text) })),
  );
}
