// The tab that compares two formulas: their fields, the question, and the pictures of the answer.

import { prepare, words } from "../pictures/axes.js";
import { drawCdf, outputsAt } from "../pictures/cdf.js";
import { drawDensity } from "../pictures/density.js";
import { $, cut, decode, make, placeOn, settle, shown } from "../page/dom.js";
import { showNames } from "../page/names.js";
import { drawGauge, drawProfile } from "../pictures/profile.js";
import { dataPoints, fillData, startData } from "./data_file.js";
import { ask } from "../page/server.js";
import { FALLBACK, fillChoice, remember, state } from "../page/state.js";
import { showReadings, tell } from "../page/telling.js";
import { colors } from "../page/theme.js";
import { clear, judge, markWitness } from "./verdicts.js";

const FIELDS = ["e", "f"];
const KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -8, PageUp: 8, Home: -1e9, End: 1e9 };

/** What is on the screen: the last answer, decoded, and the x that is looked at. */
export const current = { view: null, answer: null };
const PICTURES = ["density-0", "density-1", "cdf", "profile"];
let scales = {};
let asked = null;

/** The question that the page's state asks. */
export function question() {
  const { ranges, roles, points, draws, p, seed, axis, held } = state;
  return { formulas: [state.e, state.f], dialects: [state.written_e, state.written_f], ranges, roles, fallback: FALLBACK, points, draws, p, seed, axis, held };
}

/** Ask again, now. */
export async function compareNow() {
  asked?.abort();
  asked = new AbortController();
  remember();
  try {
    const answer = await ask("compare", question(), asked.signal, "comparing");
    $("banner").hidden = true;
    show(answer);
  } catch (error) {
    if (error.name === "AbortError") return;
    $("banner").textContent = error.message;
    $("banner").hidden = false;
    $("results").classList.add("stale");
  }
}

export const compareSoon = settle(compareNow, 90);

/** Connect the fields, the sliders and the pictures. */
export function startCompare(dataChanged = () => {}) {
  startData(() => { fill(); compareNow(); dataChanged(); });
  FIELDS.forEach((name, k) => $(`formula-${k}`).addEventListener("input", (event) => {
    state[name] = event.target.value.replace(/\s*\n\s*/g, " ");
    if (event.target.value !== state[name]) event.target.value = state[name];
    fit(event.target);
    compareSoon();
  }));
  FIELDS.forEach((_, k) => $(`formula-${k}`).addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); }));
  FIELDS.forEach((name, k) => $(`dialect-${k}`).addEventListener("change", (event) => {
    state[`written_${name}`] = event.target.value;
    compareNow();
  }));
  const sliders = { points: (v) => 2 ** v, draws: (v) => 2 ** v, p: (v) => v, seed: (v) => Math.max(0, Math.min(2147483647, Math.trunc(v) || 0)) };
  for (const [name, value] of Object.entries(sliders)) $(name).addEventListener("input", (event) => {
    state[name] = value(Number(event.target.value));
    showSliders();
    compareSoon();
  });
  $("another").addEventListener("click", () => {
    state.seed += 1;
    fill();
    compareNow();
  });
  $("controls").addEventListener("submit", (event) => event.preventDefault());
  for (const id of ["density-0", "density-1", "profile"]) makeDraggable($(id), id);
  if (isPhone()) for (const part of ["data-card", "sampling"]) $(part).open = false;
  const resized = new ResizeObserver(() => { draw(); FIELDS.forEach((_, k) => fit($(`formula-${k}`))); });
  for (const one of [$("results"), document.querySelector(".plots")]) resized.observe(one);
}

const isPhone = () => matchMedia("(max-width: 620px)").matches;

/** Put the state into the fields. */
export function fill() {
  FIELDS.forEach((name, k) => {
    if ($(`formula-${k}`).value !== state[name]) $(`formula-${k}`).value = state[name];
    fit($(`formula-${k}`));
    fillChoice($(`dialect-${k}`), `written_${name}`);
  });
  $("points").value = Math.round(Math.log2(state.points));
  $("draws").value = Math.round(Math.log2(state.draws));
  $("p").value = state.p;
  $("seed").value = state.seed;
  fillData();
  showSliders();
}

/** As many lines as a long formula needs. */
function fit(field) {
  field.style.height = "auto";
  if (field.scrollHeight) field.style.height = `${field.scrollHeight + 2}px`;
}

function showSliders() {
  for (const name of ["points", "draws", "p"]) {
    $(`${name}-told`).textContent = state[name];
    $(name).setAttribute("aria-valuetext", `${state[name]}`);
  }
}

function show(answer) {
  current.answer = answer;
  answer.readings.forEach((reading, k) => tell($(`told-${k}`), $(`formula-${k}`), reading));
  showReadings(answer.readings);
  showNames($("ranges"), answer.names, answer.problem, compareSoon);
  $("ranges-count").textContent = answer.names.length > 8 ? `of ${answer.names.length} names` : "";
  if (isPhone() && !$("ranges-card").dataset.folded && answer.names.length > 8) {
    $("ranges-card").dataset.folded = "once"; // who opens it again has it open
    $("ranges-card").open = false;
  }
  $("range-problem").textContent = answer.problem?.message ?? "";
  $("range-problem").hidden = !answer.problem;
  if (answer.problem) $("ranges-card").open = true; // it is told there
  $("results").classList.toggle("stale", !answer.result);
  $("results").classList.toggle("blank", !answer.result && !current.view);
  for (const kind of ["png", "json", "csv"]) $(`download-${kind}`).disabled = !answer.result;
  if (answer.result) return take(answer);
  $("verdict").textContent = waiting(answer);
  clear();
  return draw();
}

function waiting(answer) {
  if (answer.problem) return "The pictures wait for ranges that can be.";
  const wrong = answer.readings.map((reading, k) => (reading?.error ? "EF"[k] : "")).filter(Boolean);
  return wrong.length ? `The pictures wait for ${wrong.join(" and ")} to be corrected.` : "Type both formulas to compare them.";
}

const number = (value) => (value === "inf" ? Infinity : value);

function take({ result, names, milliseconds }) {
  const { picture, line, cloud } = result;
  const view = {
    ...result, distance: number(result.distance), interval: result.interval.map(number),
    several: Object.keys(result.held).length > 0, n_draws: Math.max(...result.n_draws),
    line: { at: decode(line.at), profile: decode(line.profile), outputs: line.outputs.map((text) => decode(text)), counts: line.counts },
    cloud: { at: decode(cloud.at), profile: decode(cloud.profile) },
    picture: { ...picture, sides: picture.sides.map((side) => ({ ...side, density: decode(side.density, Uint8Array), quantiles: side.quantiles.map((text) => decode(text)), undefined: decode(side.undefined) })) },
  };
  view.data = dataPoints();
  view.ranges = Object.fromEntries(names.filter(({ range }) => range).map(({ name, range }) => [name, range]));
  view.witness = current.witness && current.judged === judgedBy(result) ? current.witness : null;
  current.view = view;
  judgeSoon(judgedBy(result));
  look(state.at ?? (view.bounds[0] + view.bounds[1]) / 2, false);
  showAxes(view, names);
  showFigures(view);
  $("timing").textContent = `${view.n_points} points \u00d7 ${view.n_draws} draws, computed in ${milliseconds.toFixed(1)} ms. Drag a picture, or use the arrow keys on it, to look at another ${view.axis}.`;
  draw();
}

/** What a verdict depends on: the formulas and where they live, not how they were sampled. */
function judgedBy(result) {
  const { formulas, dialects, ranges, roles } = question();
  return JSON.stringify([formulas, dialects, ranges, roles, result.bounds]);
}

/** Ask for the verdict when the typing has come to rest; it does not depend on the sampling. */
const judgeSoon = settle((key) => {
  if (current.judged === key) return;
  current.judged = key;
  current.witness = null;
  judge(question(), goTo, (at) => {
    if (current.judged !== key) return;
    current.witness = at;
    if (current.view) current.view.witness = at;
    draw();
  });
}, 250);

/** Look at a point of the domain: the axis goes to its x, the other variables are held there. */
function goTo(point) {
  const { view } = current;
  if (!view) return;
  state.at = point[view.axis];
  for (const [name, value] of Object.entries(point)) if (name !== view.axis) state.held[name] = value;
  if (view.several) compareNow();
  else look(state.at);
}

function showFigures(view) {
  $("distance").textContent = shown(view.distance, 5);
  $("gauge").style.visibility = Number.isFinite(view.distance) ? "visible" : "hidden"; // no place on a line
  const [low, high] = view.interval;
  $("interval").textContent = Number.isFinite(view.distance) ? `${shown(low)} to ${shown(high)}` : "";
  $("interval").title = "holds the true value in about 95 of 100 cases";
  $("verdict").textContent = verdict(view);
  const along = view.several ? `, ${Object.entries(view.held).map(([name, value]) => `${name} = ${shown(value, 3)}`).join(", ")}` : "";
  [state.e, state.f].forEach((text, k) => { $(`title-${k}`).textContent = cut(text, 90) + along; $(`title-${k}`).title = text; });
}

/** What must be told beside the number. */
function verdict(view) {
  const parts = [];
  if (view.reason) parts.push(`Not resolved (${view.reason}): the interval is wide on purpose, and ${view.remedy}.`);
  if (view.undefined_points === view.n_points) return "Neither formula is defined anywhere here: 0 by definition, and it says nothing.";
  if (view.mismatched_points) parts.push(`At ${view.mismatched_points} of ${view.n_points} points only one side is defined, so the distance is infinite; over the others it is ${shown(view.finite_part)}.`);
  if (view.undefined_points) parts.push(`At ${view.undefined_points} points neither side is defined; they count 0.`);
  if (!view.mismatched_points) {
    const scale = Math.max(Math.abs(view.picture.low), Math.abs(view.picture.high));
    if (view.distance <= 1e-9 * scale) parts.push("They behave the same: what is left is rounding.");
    else if (view.distance > view.noise_floor) parts.push(view.noise_floor > 0 ? `${shown(view.distance / view.noise_floor, 2)} times the noise floor, which is what two equal formulas with draws of their own would show.` : "No draws, no sampling noise: without parameters the distance is the mean absolute error.".replace("mean absolute", view.p === 2 ? "root mean squared" : "mean absolute"));
    else parts.push("Below the noise floor: independent draws of two equal formulas would show as much. More draws tell more.");
  }
  const clipped = Math.max(...view.picture.sides.map((side) => side.clipped));
  if (clipped > 0) parts.push(`${shown(100 * clipped, 2)} % of the outputs lie outside the pictures.`);
  return parts.join(" ");
}

function showAxes(view, names) {
  const variables = names.filter(({ role }) => role === "variable");
  $("look").hidden = variables.length < 2;
  $("axis").replaceChildren(...variables.map(({ name }) => make("button", {
    type: "button", role: "radio", textContent: name, "aria-checked": String(name === view.axis),
    onclick: () => { state.axis = name; state.at = null; compareNow(); },
  })));
  const held = variables.filter(({ name }) => name !== view.axis);
  if ($("held").contains(document.activeElement) && $("held").dataset.key === view.axis) return;
  $("held").dataset.key = view.axis;
  $("held").replaceChildren(...held.map(({ name, range: [low, high] }) => {
    const told = make("output", { textContent: shown(view.held[name], 3) });
    const slider = make("input", {
      type: "range", id: `held-${name}`, min: low, max: high, step: "any", value: view.held[name],
      oninput: (event) => {
        state.held[name] = Number(Number(event.target.value).toPrecision(4));
        told.textContent = shown(state.held[name], 3);
        compareSoon();
      },
    });
    slider.value = view.held[name];
    return make("div", { className: "slider" }, make("label", { for: `held-${name}`, textContent: `${name} held at` }), slider, told);
  }));
}

/** Look at the step of the axis that is nearest to x. */
export function look(x, byHand = true) {
  const { view } = current;
  if (!view) return;
  const { at } = view.line;
  let best = 0;
  at.forEach((value, k) => { if (Math.abs(value - x) < Math.abs(at[best] - x)) best = k; });
  view.index = best;
  view.at = at[best];
  if (!byHand) return;
  state.at = view.at;
  draw();
  rememberSoon();
}

const rememberSoon = settle(remember, 200);

/** Draw all the pictures. */
export function draw() {
  const { view } = current;
  if ($("panel-compare").hidden) return;
  const theme = colors();
  if (!view) return PICTURES.forEach((id) => drawNothing($(id), theme));
  const on = (id, painter) => {
    const { context, box } = prepare($(id));
    scales[id] = painter(context, box);
  };
  const marked = (painter) => (context, box) => {
    const made = painter(context, box);
    if (view.witness && view.axis in view.witness) markWitness(context, made, view.witness[view.axis], theme);
    return made;
  };
  on("gauge", (context, box) => drawGauge(context, box, view, theme));
  [0, 1].forEach((side) => on(`density-${side}`, marked((context, box) => drawDensity(context, box, view, side, theme))));
  on("cdf", (context, box) => drawCdf(context, box, view, theme));
  on("profile", marked((context, box) => drawProfile(context, box, view, theme)));
  showReadout(view);
}

/** An empty frame, so that the page keeps its shape until there is something to show. */
function drawNothing(canvas, theme) {
  const { context, box } = prepare(canvas);
  words(context, { left: 0, right: box.width, top: 0, bottom: box.height }, theme, "nothing to draw yet");
}

function showReadout(view) {
  const { line: { profile }, axis, at, index } = view;
  const middle = (number) => { const found = outputsAt(view, number); return found.length ? shown(found[Math.ceil(found.length / 2) - 1]) : "undefined"; };
  const bold = (text) => make("b", { textContent: text });
  $("readout").replaceChildren("At ", bold(`${axis} = ${shown(at)}`), ": distance ", bold(shown(profile[index])), `, median of E ${middle(0)}, of F ${middle(1)}`);
  $("cdf-title").textContent = `CDFs at ${axis} = ${shown(at)}` + (view.p === 1 ? "; the area is the distance" : "");
  $("cdf").setAttribute("aria-label", `CDFs of both formulas at ${axis} = ${shown(at)}, distance ${shown(profile[index])}`);
  for (const id of ["density-0", "density-1", "profile"]) {
    const values = { "aria-label": `${axis} to look at`, "aria-valuemin": view.bounds[0], "aria-valuemax": view.bounds[1], "aria-valuenow": at, "aria-valuetext": `${axis} = ${shown(at)}, distance ${shown(profile[index])}` };
    for (const [name, value] of Object.entries(values)) $(id).setAttribute(name, value);
  }
}

/** How far from the left edge of a picture a place of the axis is drawn. */
export const placeOnPicture = (id, x) => scales[id]?.toX(x);

function makeDraggable(canvas, id) {
  const follow = (event) => {
    if (scales[id]) look(scales[id].fromX(placeOn(canvas, event)[0]));
  };
  canvas.addEventListener("pointerdown", (event) => {
    const { view } = current, x = view?.witness?.[view.axis];
    const near = x !== undefined && scales[id] && Math.abs(placeOnPicture(id, x) - placeOn(canvas, event)[0]) < 8;
    canvas.focus({ preventScroll: true });
    if (near) return goTo(view.witness);
    canvas.setPointerCapture(event.pointerId);
    follow(event);
  });
  canvas.addEventListener("pointermove", (event) => { if (canvas.hasPointerCapture(event.pointerId)) follow(event); });
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS) || !current.view) return;
    event.preventDefault();
    const { line: { at }, index } = current.view;
    look(at[Math.max(0, Math.min(at.length - 1, index + KEYS[event.key]))]);
  });
}
