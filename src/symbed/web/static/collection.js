// The tab of collections: a file of formulas or an atlas as map, clusters, duplicates and neighbors.

import { prepare } from "./axes.js";
import { compareNow, fill as fillCompare } from "./compare.js";
import { $, make, settle, shown } from "./dom.js";
import { showNames } from "./names.js";
import { drawMap } from "./scatter.js";
import { ask } from "./server.js";
import { FALLBACK, fillChoice, remember, state } from "./state.js";
import { tell } from "./telling.js";
import { colors, palette } from "./theme.js";

const MOST = 1 << 20;
const shownNow = { key: null, answer: null, chosen: null, near: new Set(), spots: [] };
let openTab = () => {};
let waiting = null;

export function startCollection(goTo) {
  openTab = goTo;
  $("file").addEventListener("change", (event) => openFile(event.target.files[0]));
  for (const kind of ["dragover", "dragleave", "drop"]) $("drop").addEventListener(kind, (event) => {
    event.preventDefault();
    $("drop").classList.toggle("over", kind === "dragover");
    if (kind === "drop") openFile(event.dataTransfer.files[0]);
  });
  $("take").addEventListener("click", () => open({ name: "pasted formulas", text: $("pasted").value }));
  $("collection-controls").addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["dialect", "constants"]) $(name).addEventListener("change", (event) => { state[name] = event.target.value; remember(); again(); });
  $("metric").addEventListener("change", (event) => { state.metric = event.target.value; again(); });
  $("clusters").addEventListener("input", (event) => { state.clusters = Number(event.target.value); fillCollection(); againSoon(); });
  $("within").addEventListener("input", (event) => { state.within = event.target.value; againSoon(); });
  $("query").addEventListener("input", (event) => { state.query = event.target.value; searchSoon(); });
  connectMap($("map"));
  new ResizeObserver(() => drawCollection()).observe($("collection-results"));
}

/** Put the state into the fields. */
export function fillCollection() {
  for (const name of ["dialect", "constants", "metric"]) fillChoice($(name), name);
  $("clusters").value = state.clusters;
  $("clusters-told").textContent = state.clusters;
  $("within").value = state.within;
  $("query").value = state.query;
}

/** Offer what was named on the command line. */
export async function offerOpened() {
  const { opened } = await ask("opened", {});
  $("opened").replaceChildren(...opened.map(({ key, name }) => make("button", { type: "button", className: "plain", textContent: name, onclick: () => open({ key }) })));
  waiting = opened.length === 1 ? opened[0].key : null;
  openWaiting();
}

/** A single collection of the command line opens when its tab is first looked at. */
export function openWaiting() {
  if (!waiting || shownNow.key || $("panel-collection").hidden) return;
  open({ key: waiting });
  waiting = null;
}

async function openFile(file) {
  if (!file) return;
  if (file.size > 4 * MOST) return complain(`${file.name} is larger than a page can take; survey it to an atlas: symbed survey FILE -o my.atlas`);
  await open({ name: file.name, text: await file.text() });
  $("file").value = "";
}

async function open(source) {
  const within = Number(state.within);
  const { ranges, roles, points, draws, seed, metric, clusters, dialect, constants } = state;
  const question = { ...source, ranges, roles, fallback: FALLBACK, points, draws, seed, metric, clusters, dialect, constants };
  if (state.within.trim() && Number.isFinite(within)) question.within = within;
  remember();
  try {
    const answer = await ask("collection", question);
    show(answer);
    if (state.query) search();
  } catch (error) {
    complain(error.message);
  }
}

const again = () => shownNow.key && open({ key: shownNow.key });
const againSoon = settle(again, 150);

function complain(words) {
  $("collection-problem").textContent = words;
  $("collection-problem").hidden = !words;
}

function show(answer) {
  complain(answer.problem?.message ?? "");
  if (answer.key) shownNow.key = answer.key;
  showLanguage(answer);
  $("collection-names").hidden = !answer.names.length;
  showNames($("collection-ranges"), answer.names, answer.problem, againSoon);
  $("collection-settings").hidden = !shownNow.key;
  if (answer.problem) return;
  Object.assign(shownNow, { answer, chosen: null, near: new Set() });
  $("collection-empty").hidden = true;
  $("collection-results").hidden = false;
  showMapTitle(answer);
  showChosen();
  showClusters(answer);
  showDuplicates(answer);
  $("skipped-card").hidden = !answer.n_skipped;
  $("skipped").replaceChildren(...answer.skipped.map(unread));
  drawCollection();
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

function showMapTitle(answer) {
  const some = answer.formulas.length < answer.n_formulas ? `${answer.formulas.length} of ${answer.n_formulas.toLocaleString("en")}` : `${answer.n_formulas}`;
  $("map-title").textContent = `${answer.name}: ${some} formulas, ${answer.n_distinct.toLocaleString("en")} distinct. Near means alike${answer.stress > 0.2 ? `, roughly: the plane bends the distances by ${Math.round(100 * answer.stress)} %` : ""}.`;
}

export function drawCollection() {
  const { answer, chosen, near } = shownNow;
  if (!answer || $("panel-collection").hidden || $("collection-results").hidden) return;
  const { context, box } = prepare($("map"));
  shownNow.spots = drawMap(context, box, answer.formulas, { chosen, near, medoids: new Set(answer.medoids) }, colors(), palette());
  document.querySelectorAll("[data-cluster]").forEach((mark) => { mark.style.background = palette()[mark.dataset.cluster % palette().length]; });
}

function choose(index) {
  shownNow.chosen = index;
  showChosen();
  drawCollection();
}

function showChosen() {
  const row = shownNow.answer.formulas.find(({ index }) => index === shownNow.chosen);
  if (!row) return $("chosen").replaceChildren("Click a formula, or walk the map with the arrow keys.");
  const facts = [row.complexity != null && `complexity ${row.complexity}`, row.loss != null && `loss ${shown(row.loss)}`, row.line && `line ${row.line}`].filter(Boolean).join(", ");
  const use = (name) => make("button", { type: "button", className: "quiet", textContent: `Use as ${name.toUpperCase()}`, onclick: () => { state[name] = row.text; state[`written_${name}`] = "infix"; fillCompare(); compareNow(); openTab("compare"); } });
  const written = row.written ? [make("span", { textContent: "written" }), make("code", { textContent: row.written })] : [];
  return $("chosen").replaceChildren(make("code", { textContent: row.text }), ...written, make("span", { textContent: facts }), use("e"), use("f"), make("button", { type: "button", className: "quiet", textContent: "Nearest", onclick: () => { state.query = row.text; fillCollection(); search(); } }));
}

const pick = (index, text) => make("button", { type: "button", className: "link grow", onclick: () => choose(index) }, make("code", { textContent: text }));

function showClusters({ formulas, medoids }) {
  $("cluster-list").replaceChildren(...medoids.map((medoid, number) => {
    const members = formulas.filter(({ cluster }) => cluster === number);
    const middle = formulas.find(({ index }) => index === medoid);
    const mark = make("span", { className: "mark" });
    mark.dataset.cluster = number;
    const rest = members.filter(({ index }) => index !== medoid);
    return make("details", { className: "group" }, make("summary", {}, mark, " ", make("code", { textContent: middle.text.slice(0, 90) }), make("span", { className: "meta", textContent: rest.length ? ` and ${rest.length} more` : " alone" })), make("ul", { className: "rows" }, ...members.map(({ index, text }) => make("li", {}, pick(index, text)))));
  }));
}

function showDuplicates({ duplicates, formulas }) {
  if (duplicates === null) return $("duplicates").replaceChildren(make("p", { className: "meta", textContent: "Too many formulas for a page; use `symbed duplicates`." }));
  if (!duplicates.length) return $("duplicates").replaceChildren(make("p", { className: "meta", textContent: "None: every formula behaves in a way of its own." }));
  return $("duplicates").replaceChildren(...duplicates.map(({ members, labels, distances, undefined: nowhere }) => make("div", { className: "group" },
    make("div", { className: "meta", textContent: nowhere ? `${members.length} formulas that are defined nowhere` : `${members.length} formulas behave the same` }),
    make("ul", { className: "rows" }, ...members.map((index, k) => make("li", {}, pick(index, labels[k]), make("span", { className: "amount", textContent: k ? shown(distances[k], 2) : "kept" })))))));
}

const searchSoon = settle(search, 120);

async function search() {
  remember();
  if (!shownNow.key) return;
  try {
    const { reading, neighbors, problem } = await ask("nearest", { key: shownNow.key, formula: state.query, k: 8, metric: state.metric });
    tell($("query-told"), $("query"), state.query.trim() ? reading : null);
    if (problem) $("query-told").replaceChildren(make("p", { className: "error", textContent: problem.message }));
    $("neighbors").replaceChildren(...neighbors.map(({ index, text, distance }) => make("li", {}, pick(index, text), make("span", { className: "amount", textContent: shown(distance) }))));
    shownNow.near = new Set(neighbors.map(({ index }) => index));
    drawCollection();
  } catch (error) {
    complain(error.message);
  }
}

function connectMap(canvas) {
  canvas.addEventListener("pointerdown", (event) => {
    const { left, top } = canvas.getBoundingClientRect();
    const away = ([x, y]) => Math.hypot(x - event.clientX + left, y - event.clientY + top);
    const best = shownNow.spots.map((spot, k) => [away(spot), k]).sort((a, b) => a[0] - b[0])[0];
    if (best && best[0] < 30) choose(shownNow.answer.formulas[best[1]].index);
  });
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way || !shownNow.answer) return;
    event.preventDefault();
    const { formulas } = shownNow.answer;
    const from = Math.max(0, formulas.findIndex(({ index }) => index === shownNow.chosen));
    const next = shownNow.chosen === null ? 0 : towards(shownNow.spots, from, way);
    choose(formulas[next].index);
  });
}

/** The nearest spot in a direction; the one itself if there is none. */
function towards(spots, from, [dx, dy]) {
  let best = from, least = Infinity;
  spots.forEach(([x, y], k) => {
    const [ax, ay] = [x - spots[from][0], y - spots[from][1]];
    const along = ax * dx + ay * dy, aside = Math.abs(ax * dy - ay * dx);
    const cost = along + 2 * aside;
    if (along > 0.5 && cost < least) { best = k; least = cost; }
  });
  return best;
}
