// The list: formulas searched, sorted, folded by behavior, and shown page by page.

import { $, counted, make, settle, shown } from "../page/dom.js";
import { remember, state } from "../page/state.js";
import { css } from "./coloring.js";
import { currentLook } from "./map_view.js";
import { choose, equalsOf, hover, model, on } from "./model.js";

const ROWS = 10; // of one page
const UNFOLDED = 12; // members of a group that are shown at once
let order = [];
let unfolded = null;

const SORTS = {
  file: () => null,
  loss: () => model.loss,
  size: () => model.complexity,
  distance: () => model.distances,
  equals: () => (model.groups ? Float64Array.from({ length: model.n }, (_, place) => -equalsOf(place).length) : null),
};

export function startList() {
  for (const kind of ["formulas", "equals", "clusters", "distances"]) on(kind, arrange);
  on("chosen", () => { turnTo(model.chosen); showPage(); });
  on("hovered", mark);
  const settings = { find: "input", sort: "change", scope: "change", fold: "change" };
  for (const [name, kind] of Object.entries(settings)) $(name).addEventListener(kind, settle(() => {
    state[name] = name === "fold" ? Number($(name).checked) : $(name).value;
    state.page = 1;
    arrange();
    remember();
  }, kind === "input" ? 120 : 0));
  $("page-before").addEventListener("click", () => turn(-1));
  $("page-after").addEventListener("click", () => turn(1));
  $("page-number").addEventListener("change", (event) => turn(Math.trunc(Number(event.target.value) || 1) - state.page));
  $("formulas").addEventListener("pointerleave", () => hover(null));
}

/** Put the state into the fields. */
export function fillList() {
  for (const name of ["find", "sort", "scope"]) $(name).value = state[name];
  if (!$("sort").value) $("sort").value = state.sort = "file";
  $("fold").checked = Boolean(state.fold);
  if (model.n) arrange();
}

/** Choose which formulas are listed, and their order. */
function arrange() {
  const scopes = [["all", "all formulas"], ["front", "the front"], ["equals", "groups of equals"], ...(model.clusters?.medoids ?? []).map((medoid, k) => [`cluster ${k + 1}`, `cluster ${k + 1}: ${model.texts[medoid].slice(0, 40)}`])];
  $("scope").replaceChildren(...scopes.map(([value, textContent]) => make("option", { value, textContent })));
  $("scope").value = state.scope;
  if (!$("scope").value) $("scope").value = model.clusters ? (state.scope = "all") : "all";
  for (const option of $("sort").options) option.disabled = option.value !== "file" && !SORTS[option.value]();
  const inScope = scopeTest(), folds = state.fold && model.groups;
  const find = state.find.trim().toLowerCase();
  order = [];
  for (let place = 0; place < model.n; place++) {
    if (folds && !model.kept[place] && !find) continue;
    if (inScope(place) && (!find || model.texts[place].toLowerCase().includes(find))) order.push(place);
  }
  if (folds && find) order = onePerGroup(order);
  const keys = (SORTS[state.sort] ?? SORTS.file)();
  if (keys) order.sort((a, b) => rank(keys[a]) - rank(keys[b]) || a - b);
  turnTo(state.page === 1 ? null : model.chosen, true);
  showPage();
}

const rank = (value) => (Number.isNaN(value) ? Infinity : Math.min(value, Number.MAX_VALUE));

function scopeTest() {
  const cluster = /^cluster (\d+)$/.exec(state.scope);
  if (state.scope === "front") { const front = new Set(model.front); return (place) => front.has(place); }
  if (state.scope === "equals") return (place) => equalsOf(place).length > 1;
  if (cluster && model.clusters) return (place) => model.clusters.labels[place] === cluster[1] - 1;
  return () => true;
}

/** Of each group the first that was found. */
function onePerGroup(places) {
  const seen = new Set();
  return places.filter((place) => !seen.has(model.groups[place]) && seen.add(model.groups[place]));
}

const nPages = () => Math.max(1, Math.ceil(order.length / ROWS));

function turn(step) {
  state.page = Math.max(1, Math.min(nPages(), state.page + step));
  showPage();
  remember();
}

/** Go to the page of a formula, or of the one that stands for it. */
function turnTo(place, quiet = false) {
  const group = place === null || !model.groups ? null : model.groups[place];
  const at = place === null ? -1 : order.findIndex((one) => one === place || (state.fold && group !== null && model.groups[one] === group));
  if (at >= 0) state.page = 1 + Math.floor(at / ROWS);
  state.page = Math.max(1, Math.min(nPages(), state.page));
  if (at >= 0 && order[at] !== place) unfolded = order[at];
  if (!quiet) remember();
}

/** Draw the page again. */
export function showPage() {
  if (!model.n) return;
  const rows = order.slice((state.page - 1) * ROWS, state.page * ROWS);
  const focused = document.activeElement?.dataset?.place;
  $("formulas").replaceChildren(...rows.flatMap(row), ...(rows.length ? [] : [make("li", { className: "meta", textContent: "No formula here has these letters." })]));
  if (focused !== undefined) document.querySelector(`#formulas [data-place="${focused}"]`)?.focus();
  $("page-number").value = state.page;
  $("page-number").max = nPages();
  $("pages").textContent = `of ${counted(nPages())}`;
  $("page-before").disabled = state.page <= 1;
  $("page-after").disabled = state.page >= nPages();
  const several = (n, word) => `${counted(n)} ${word}${n === 1 ? "" : "s"}`;
  const duplicates = model.groups ? `; ${several(model.nGroups, "behavior")} among ${counted(model.total)}` : "";
  $("listed").textContent = `${several(order.length, state.fold && model.groups ? "row" : "formula")}${duplicates}`;
  mark();
}

function row(place) {
  const equals = state.fold ? equalsOf(place) : [place], others = equals.filter((one) => one !== place);
  const fold = others.length ? [make("button", {
    type: "button", className: "quiet fold", "aria-expanded": String(unfolded === place), textContent: `+${counted(others.length)} equal`,
    title: model.nowhere !== null && model.groups[place] === model.nowhere ? "defined nowhere" : "formulas that behave the same",
    onclick: () => { unfolded = unfolded === place ? null : place; showPage(); },
  })] : [];
  const shownOnes = unfolded === place ? others.slice(0, UNFOLDED) : [];
  const left = unfolded === place && others.length > UNFOLDED ? [make("li", { className: "inner meta", textContent: `and ${counted(others.length - UNFOLDED)} more; untick \u201cFold equals\u201d to list them` })] : [];
  return [item(place, fold), ...shownOnes.map((one) => item(one, [], true)), ...left];
}

function item(place, extra, inner = false) {
  const look = currentLook();
  const dot = make("span", { className: "mark" });
  dot.style.background = css(look.table[look.codes[place]]);
  const told = [
    model.loss && [model.lossName, model.loss[place]], model.complexity && [model.measured, model.complexity[place]],
    state.sort === "distance" || look.name === "distance" ? ["distance", model.distances?.[place]] : null,
    inner && model.apart ? ["apart", model.apart[place]] : null,
  ].filter((one) => one && one[1] !== undefined && (one[0] === model.lossName || !Number.isNaN(one[1]))) // that a loss is missing is told
    .map(([name, value]) => `${name} ${Number.isNaN(value) ? "\u2013" : shown(value, 3)}`).join(" \u00b7 ");
  const button = make("button", { type: "button", className: "link grow", onclick: () => choose(place), onfocus: () => hover(place) }, make("code", { textContent: model.texts[place] }));
  button.dataset.place = place;
  const made = make("li", { className: inner ? "inner" : "", onpointerenter: () => hover(place) }, dot, button, make("span", { className: "amount", textContent: told }), ...extra);
  made.dataset.row = place;
  return made;
}

/** Show which rows are chosen and pointed at. */
function mark() {
  for (const one of document.querySelectorAll("#formulas [data-row]")) {
    const place = Number(one.dataset.row);
    one.classList.toggle("chosen-row", place === model.chosen);
    one.classList.toggle("hovered-row", place === model.hovered);
    one.querySelector("button").setAttribute("aria-current", String(place === model.chosen));
  }
}
