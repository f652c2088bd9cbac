// The tab of collections: asks for map, equals, clusters and distances, and shows them linked.

import { table } from "../compare/data_file.js";
import { $, counted, make, settle } from "../page/dom.js";
import { showNames } from "../page/names.js";
import { ask } from "../page/server.js";
import { FALLBACK, fillChoice, remember, state } from "../page/state.js";
import { tell } from "../page/telling.js";
import { startChosen } from "./chosen.js";
import { COLORINGS, coloringOf, css, drawRamp } from "./coloring.js";
import { fillList, showPage, startList } from "./formula_list.js";
import { drawFrontSoon, frontTitle, startFront } from "./front_view.js";
import { currentLook, drawSoon, recolor, startMap } from "./map_view.js";
import { choose, model, on, takeClusters, takeDistances, takeEquals, takeMap } from "./model.js";
import { offerOpened as offer, startOpening } from "./opening.js";

let asked = null; // the question about a collection that is under way, with all that follows it
let searched = "";

export function startCollection(goTo) {
  startOpening(open, complain);
  startMap();
  startFront();
  startList();
  startChosen(goTo, (text) => { state.query = text; fillCollection(); search(); });
  for (const kind of ["formulas", "equals", "clusters", "distances"]) on(kind, showLegend);
  for (const kind of ["formulas", "equals"]) on(kind, () => {
    $("front-title").textContent = frontTitle();
    $("front-figure").hidden = !model.loss; // without a loss there is no front, and the map has the room
    $("atlas").classList.toggle("alone", !model.loss);
  });
  on("chosen", () => { state.chosen = model.chosen ?? -1; remember(); });
  $("collection-controls").addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["dialect", "constants", "metric"]) $(name).addEventListener("change", (event) => { state[name] = event.target.value; again(); });
  $("clusters").addEventListener("input", (event) => { state.clusters = Number(event.target.value); fillCollection(); clusterSoon(); });
  $("within").addEventListener("input", (event) => { state.within = event.target.value; groupSoon(); });
  $("query").addEventListener("input", (event) => { state.query = event.target.value; searchSoon(); });
  $("color").addEventListener("change", (event) => { state.color = event.target.value; remember(); redrawCollection(); });
  new ResizeObserver(() => drawCollection()).observe($("collection-results"));
}

/** Put the state into the fields. */
export function fillCollection() {
  for (const name of ["dialect", "constants", "metric"]) fillChoice($(name), name);
  $("clusters").value = state.clusters;
  $("clusters-told").textContent = state.clusters;
  $("within").value = state.within;
  $("query").value = state.query;
  fillList();
}

export const offerOpened = () => offer(open);

/** Other data: other ranges, and other losses. */
export function dataChanged() {
  if (!model.key) return;
  if (asked?.question !== JSON.stringify(question())) open({ key: model.key });
  else group();
}

/** Ask again with the state, after it came from a link or was undone. */
export function restoreCollection() {
  fillCollection();
  if (!model.key) return;
  if (asked?.question !== JSON.stringify(question())) return open({ key: model.key });
  choose(state.chosen >= 0 && state.chosen < model.n ? state.chosen : null);
  if (state.query !== searched) search();
  if (model.n) redrawCollection();
}

function question() {
  const { ranges, roles, points, draws, seed, metric, dialect, constants } = state;
  return { ranges, roles, fallback: FALLBACK, points, draws, seed, metric, dialect, constants };
}

/** Open a collection: the map first, then what takes longer. */
async function open(source) {
  asked?.abort.abort();
  const mine = asked = { abort: new AbortController(), question: JSON.stringify(question()) };
  remember();
  try {
    const answer = await ask("collection", { ...source, ...question() }, mine.abort.signal, "reading the formulas");
    show(answer);
    if (answer.problem) return;
    if (state.chosen >= 0 && state.chosen < model.n) choose(state.chosen);
    if (state.query) search();
    await cluster();
    await group();
  } catch (error) {
    if (error.name !== "AbortError") complain(error.message);
  }
}

const again = () => model.key && open({ key: model.key });
const againSoon = settle(again, 150);

async function group() {
  const within = Number(state.within), width = state.within.trim() && Number.isFinite(within) ? { within } : {};
  const data = table && state.target ? { data: table.key, target: state.target } : {};
  await follow("equals", { ...width, ...data }, (answer) => takeEquals(answer, table ? "error" : "loss"), "grouping equals");
}

async function cluster() {
  await follow("clusters", { clusters: state.clusters }, takeClusters, "clustering");
}

const groupSoon = settle(() => { remember(); group(); }, 250);
const clusterSoon = settle(() => { remember(); cluster(); }, 250);

/** One of the questions that follow the map. */
async function follow(name, fields, take, words) {
  if (!model.key) return;
  try {
    const answer = await ask(name, { key: model.key, metric: state.metric, ...fields }, asked?.abort.signal, words);
    if (answer.problem) complain(answer.problem.message);
    else take(answer);
  } catch (error) {
    if (error.name !== "AbortError") complain(error.message);
  }
}

function complain(words) {
  $("collection-problem").textContent = words;
  $("collection-problem").hidden = !words;
  if (words) $("opening").open = true;
}

function show(answer) {
  complain(answer.problem?.message ?? "");
  if (answer.key) model.key = answer.key;
  showLanguage(answer);
  $("collection-names").hidden = !answer.names.length;
  showNames($("collection-ranges"), answer.names, answer.problem, againSoon);
  $("collection-settings").hidden = !model.key;
  if (answer.problem) return;
  $("collection-empty").hidden = true;
  $("collection-results").hidden = false;
  if (matchMedia("(max-width: 900px)").matches) for (const part of document.querySelectorAll("#collection-controls details.part")) part.open = false;
  $("map-title").textContent = mapTitle(answer);
  takeMap(answer);
  $("skipped-card").hidden = !answer.n_skipped;
  $("skipped-title").textContent = `Not read: ${counted(answer.n_skipped)}${answer.n_skipped > answer.skipped.length ? `, of which the first ${answer.skipped.length}` : ""}`;
  $("skipped").replaceChildren(...answer.skipped.map(unread));
}

/** Whose formulas they were taken for, and why. */
function showLanguage({ language }) {
  if (!language) return;
  const guess = language.reason ? `Read as ${language.title}, ${language.reason}.` : `Read as ${language.title} means them.`;
  const lifted = state.constants === "lift" ? ["Each fitted constant is a parameter C of its own; integers stay."] : [];
  $("language").textContent = [guess, ...lifted, ...language.notes.map((note) => `${note}.`)].join(" ");
}

/** A line that could not be read: its number in the file, and where the caret stands. */
function unread({ line, text, error, position }) {
  const start = Math.max(0, (position ?? 0) - 30);
  const told = make("pre", { className: "caret", textContent: text.slice(start, start + 90) });
  if (position !== null) told.append(`\n${" ".repeat(position - start)}`, make("b", { textContent: "^" }));
  return make("li", {}, make("span", { className: "amount", textContent: `line ${line}` }), make("span", { className: "grow" }, told, make("div", { className: "error", textContent: error.split("\n")[0] })));
}

function mapTitle({ name, texts, n_formulas, n_distinct, stress, layout }) {
  const some = texts.length < n_formulas ? `${counted(texts.length)} of ${counted(n_formulas)}` : counted(n_formulas);
  const how = layout === "components" ? " Near means alike, roughly: two principal components." : ` Near means alike${stress > 0.2 ? `, roughly: the plane bends the distances by ${Math.round(100 * stress)} %` : ""}.`;
  return n_formulas === 1 ? `${name}: one formula.` : `${name}: ${some} formulas, ${counted(n_distinct)} distinct.${how}`;
}

/** The choices of a coloring, and what its colors mean. */
function showLegend() {
  const now = coloringOf(state.color), look = currentLook();
  $("color").replaceChildren(...COLORINGS.map(([value, textContent, values]) => make("option", { value, textContent: value === "loss" ? model.lossName : textContent, disabled: !values() })));
  $("color").value = now;
  if (look.scale) {
    const ramp = make("canvas", { className: "ramp" });
    drawRamp(ramp);
    $("legend").replaceChildren(look.scale.low, ramp, `${look.scale.high}${look.scale.log ? ", log scale" : ""}`);
  } else if (now === "cluster") {
    $("legend").replaceChildren(...model.clusters.medoids.map((medoid, k) => {
      const dot = make("span", { className: "mark" });
      dot.style.background = css(look.table[k]);
      return make("button", { type: "button", className: "quiet", title: model.texts[medoid], onclick: () => { $("scope").value = `cluster ${k + 1}`; $("scope").dispatchEvent(new Event("change")); } }, dot, ` ${counted(model.clusters.sizes[k])}`);
    }));
  } else $("legend").replaceChildren();
}

function redrawCollection() {
  recolor();
  showLegend();
  drawFrontSoon();
  showPage();
}

/** Draw everything again: another size, another scheme. */
export function drawCollection(recolored = false) {
  if (!model.n || $("panel-collection").hidden) return;
  if (recolored) return redrawCollection();
  drawSoon();
  drawFrontSoon();
}

const searchSoon = settle(search, 150);

async function search() {
  remember();
  if (!model.key) return;
  searched = state.query;
  try {
    const answer = await ask("nearest", { key: model.key, formula: state.query, k: 8, metric: state.metric }, undefined, "measuring distances");
    tell($("query-told"), $("query"), state.query.trim() ? answer.reading : null);
    if (answer.problem) $("query-told").replaceChildren(make("p", { className: "error", textContent: answer.problem.message }));
    if (answer.distances && !model.distances) Object.assign(state, { color: "distance", sort: "distance", page: 1 });
    if (!answer.distances && state.color === "distance") Object.assign(state, { color: "", sort: "file" });
    $("sort").value = state.sort;
    takeDistances(answer);
    redrawCollection();
    remember();
  } catch (error) {
    complain(error.message);
  }
}
