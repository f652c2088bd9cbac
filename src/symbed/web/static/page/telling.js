// Telling: how a formula was read, or what is wrong with it, under its field and on a tab of its own.

import { $, make } from "./dom.js";
import { mathematics } from "./mathml.js";

const WIDTH = 44; // characters around the caret
const ROWS = [["text", "Text"], ["latex", "LaTeX"], ["tokens", "Tokens"], ["program", "Program"], ["tree", "Tree"]];

/** Show a reading under a field; a click on the error goes to the character. */
export function tell(place, field, reading) {
  field.setAttribute("aria-invalid", String(Boolean(reading?.error)));
  if (!reading) {
    place.replaceChildren(make("p", { className: "meta", textContent: "Type a formula: x, y, z are variables, other names free parameters." }));
  } else if (reading.error) {
    place.replaceChildren(make("p", { className: "error", textContent: reading.error.message }), ...caret(field, reading.error.position));
  } else {
    place.replaceChildren(make("div", { className: "math" }, mathematics(reading.mathml, reading.text)), make("p", { className: "meta", textContent: whose(reading) + roles(reading) }), ...notes(reading));
  }
}

/** The names of a reading in one line. */
export function roles({ variables, parameters }) {
  const list = (names, one, many) => (names.length ? `${names.length > 1 ? many : one} ${names.slice(0, 12).join(", ")}${names.length > 12 ? " \u2026" : ""}` : `no ${many}`);
  return `${list(variables, "variable", "variables")} \u00b7 ${list(parameters, "parameter", "parameters")}`;
}

/** The tool whose words these are, if they are not our own. */
function whose({ dialect, title }) {
  return dialect === "infix" ? "" : `as ${title} means it \u00b7 `;
}

function notes({ note }) {
  return note ? [make("p", { className: "meta", textContent: note })] : [];
}

function caret(field, position) {
  if (position === null) return [];
  const start = Math.max(0, position - WIDTH / 2);
  const text = field.value.slice(start, start + WIDTH);
  const goThere = () => {
    field.focus();
    field.setSelectionRange(position, position + 1);
  };
  const shown = make("pre", { className: "caret", title: "go there", onclick: goThere });
  shown.append(`${text}\n${" ".repeat(position - start)}`, make("b", { textContent: "^" }));
  return [shown];
}

/** How both formulas were read, in every way in which they can be written. */
export function showReadings(readings) {
  readings.forEach((reading, k) => {
    const title = make("h2", {}, make("span", { className: "chip", textContent: "EF"[k] }), ` How ${"EF"[k]} was read`);
    if (!reading) return $(`reading-${k}`).replaceChildren(title, make("p", { className: "meta", textContent: "No formula was typed yet." }));
    if (reading.error) return $(`reading-${k}`).replaceChildren(title, make("p", { className: "error", textContent: reading.error.message }));
    const facts = [
      ["Language", reading.title],
      ["Variables", reading.variables.join(", ") || "none"],
      ["Parameters", reading.parameters.join(", ") || "none"],
      ["Size", `${reading.size} nodes, ${reading.depth} deep`],
    ].flatMap(([name, value]) => [make("dt", { textContent: name }), make("dd", { textContent: value })]);
    const spelled = ROWS.flatMap(([name, label]) => [make("dt", { textContent: label }), make("dd", {}, make(name === "tree" ? "pre" : "code", { textContent: reading[name] }))]);
    return $(`reading-${k}`).replaceChildren(title, make("div", { className: "math" }, mathematics(reading.mathml, reading.text)), make("dl", {}, ...facts, ...spelled));
  });
}
