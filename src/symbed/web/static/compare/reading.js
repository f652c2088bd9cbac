// Reading: how each formula was read, in every way in which it can be written.

import { $, make } from "../page/dom.js";
import { mathematics } from "../page/mathml.js";

const ROWS = [["text", "Text"], ["latex", "LaTeX"], ["tokens", "Tokens"], ["program", "Program"], ["tree", "Tree"]];

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
