// Ranges: a row for each name of the formulas, with its role and the two ends of its range.

import { make } from "./dom.js";
import { mathematics } from "./mathml.js";
import { state } from "./state.js";

const MANY = 8; // names that are shown without scrolling

/** Show one row for each name; `changed` is called after an edit. Fields being edited stay. */
export function showNames(place, names, problem, changed) {
  const key = names.map(({ name, role }) => `${name} ${role}`).join();
  if (place.dataset.key !== key) {
    const focused = document.activeElement?.id;
    place.dataset.key = key;
    place.replaceChildren(...together(place.id, names, changed), ...names.flatMap((row) => cells(place.id, row, changed)));
    place.classList.toggle("many", names.length > MANY);
    if (focused) document.getElementById(focused)?.focus();
  }
  for (const { name, range } of names) {
    const invalid = problem?.field === `range:${name}`;
    ["low", "high"].forEach((end, k) => {
      const field = document.getElementById(`${place.id}-${end}-${name}`);
      if (!field) return;
      if (document.activeElement !== field && range) field.value = String(range[k]);
      field.setAttribute("aria-invalid", String(invalid));
    });
  }
}

/** With many parameters, a row that sets the ranges of all of them. */
function together(owner, names, changed) {
  const parameters = names.filter(({ role, law }) => role === "parameter" && !law);
  if (names.length <= MANY || parameters.length < 3) return [];
  const field = (end, k) => make("input", {
    type: "text", inputMode: "decimal", id: `${owner}-${end}-all`, placeholder: end, "aria-label": `${end} end of all ${parameters.length} parameters`,
    oninput: (event) => {
      const value = Number(event.target.value.trim().replace("\u2212", "-") || "x");
      if (!Number.isFinite(value)) return;
      for (const { name, range } of parameters) {
        state.ranges[name] = [...(state.ranges[name] ?? range)];
        state.ranges[name][k] = value;
      }
      changed();
    },
  });
  return [make("span", { className: "meta both", textContent: `all ${parameters.length} parameters` }), field("low", 0), make("span", { className: "meta", textContent: "to" }), field("high", 1)];
}

function cells(owner, { name, role, range, fixed, law }, changed) {
  const title = make("span", { className: name.length > 7 ? "name long" : "name", title: name }, mathematics(nameMarkup(name), name));
  const button = make("button", {
    type: "button", className: "role", textContent: role, disabled: fixed || Boolean(law),
    title: fixed ? "each C is a parameter of its own" : "switch between variable and parameter",
    "aria-pressed": String(role === "variable"), "aria-label": `${role} ${name}`,
    onclick: () => {
      state.roles[name] = role === "variable" ? "parameter" : "variable";
      changed();
    },
  });
  if (law) return [title, button, make("span", { className: "law", textContent: law })];
  const field = (end, k) => make("input", {
    type: "text", inputMode: "decimal", id: `${owner}-${end}-${name}`, value: String(range[k]),
    "aria-label": `${end} end of ${name}`,
    oninput: (event) => {
      const value = Number(event.target.value.trim().replace("\u2212", "-") || "x");
      event.target.setAttribute("aria-invalid", String(!Number.isFinite(value)));
      if (!Number.isFinite(value)) return;
      state.ranges[name] = [...(state.ranges[name] ?? range)];
      state.ranges[name][k] = value;
      changed();
    },
  });
  return [title, button, field("low", 0), make("span", { className: "meta", textContent: "to" }), field("high", 1)];
}

/** A name as mathematics, its index below the line. */
function nameMarkup(name) {
  const split = /^([^_0-9]+)_?([0-9]+)$/.exec(name);
  return split ? `<msub><mi>${split[1]}</mi><mn>${split[2]}</mn></msub>` : `<mi>${name.replace(/[<>&]/g, "")}</mi>`;
}
