// The map: formulas as points of a plane that is zoomed, moved and pointed at.

import { haloed, prepare, words } from "../pictures/axes.js";
import { $, beforeFrame, cut, placeOn, settle } from "../page/dom.js";
import { remember, state } from "../page/state.js";
import { colors } from "../page/theme.js";
import { Camera } from "./camera.js";
import { coloringOf, paint } from "./coloring.js";
import { choose, hover, model, on } from "./model.js";
import { PointCloud, nearestTo, ring, towards } from "./point_cloud.js";
import { showTip } from "./tip.js";

const REACH = 14; // pixels from the pointer to a formula
const MOST_NAMED = 40; // formulas in view that are all named
const STEP = 1.25;
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export const camera = new Camera();
const cloud = new PointCloud();
const fingers = new Map();
let look = null;

export function startMap() {
  on("formulas", () => {
    camera.over(model.x, model.y, model.layout === "scaling");
    camera.words = state.map;
  });
  for (const kind of ["formulas", "equals", "clusters", "distances"]) on(kind, recolor);
  for (const kind of ["chosen", "hovered"]) on(kind, drawSoon);
  on("chosen", () => { if (model.chosen !== null) camera.show(model.x[model.chosen], model.y[model.chosen], boxOf($("map"))); });
  const canvas = $("map");
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const [px, py] = placeOn(canvas, event);
    zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY * (event.deltaMode ? 30 : 1))) / 160), px, py);
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => zoom(2.2, ...placeOn(canvas, event)));
  canvas.addEventListener("keydown", onKey);
  for (const kind of ["pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave"]) canvas.addEventListener(kind, onPointer);
  $("zoom-in").addEventListener("click", () => zoom(1.6));
  $("zoom-out").addEventListener("click", () => zoom(1 / 1.6));
  $("zoom-fit").addEventListener("click", fit);
}

/** Color again, after a choice or a change of the scheme. */
export function recolor() {
  look = null;
  drawSoon();
}

/** What the points look like now. */
export function currentLook() {
  look ??= paint(coloringOf(state.color));
  return look;
}

export const drawSoon = beforeFrame(drawNow);

/** Draw; gives the milliseconds that it took. */
export function drawNow() {
  const canvas = $("map");
  if (!model.n || !canvas.clientWidth) return 0;
  const began = performance.now();
  const { context, box } = prepare(canvas);
  const theme = colors(), to = camera.to(box);
  const inView = cloud.draw(context, box, model, to, currentLook(), theme);
  for (const place of model.near) ring(context, place, model, to, theme.soft, 9, 1.5);
  if (model.hovered !== null) ring(context, model.hovered, model, to, theme.ink, 8, 1.5);
  if (model.chosen !== null) ring(context, model.chosen, model, to, theme.ink, 11, 2.5);
  name(context, box, inView, to, theme);
  if (!inView.length) words(context, { left: 0, right: box.width, top: 0, bottom: box.height }, theme, "nothing here; press 0 to see everything");
  return performance.now() - began;
}

/** Names beside the points: of all if few are in view, else of the chosen one and the clusters' middles. */
function name(context, box, inView, { ax, bx, ay, by }, theme) {
  const middles = currentLook().name === "cluster" ? model.clusters.medoids : model.front;
  const some = inView.length <= MOST_NAMED ? inView : middles.slice(0, MOST_NAMED);
  const taken = [];
  context.font = `12px ${theme.sans}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const place of model.chosen === null ? some : [model.chosen, ...some]) {
    const short = cut(model.texts[place], 34);
    const [x, y] = [ax * model.x[place] + bx, ay * model.y[place] + by];
    if (x < 0 || y < 0 || x > box.width || y > box.height) continue;
    const width = context.measureText(short).width;
    const away = place === model.chosen ? 17 : 12; // beside the ring, or the mark
    const left = x + away + width > box.width ? x - away - width : x + away;
    if (taken.some(([l, t, w]) => Math.abs(t - y) < 15 && l < left + width && left < l + w)) continue;
    taken.push([left, y, width]);
    haloed(context, short, theme.ink, left, y, theme);
  }
}

export function fit() {
  camera.fit();
  moved();
}

/** Zoom about a place; about the chosen formula, or else the middle, if none is given. */
function zoom(factor, px, py) {
  const box = boxOf($("map")), { ax, bx, ay, by } = camera.to(box), k = model.chosen;
  const [x, y] = k === null ? [box.width / 2, box.height / 2] : [ax * model.x[k] + bx, ay * model.y[k] + by];
  camera.zoomBy(factor, px ?? x, py ?? y, box);
  moved();
}

const rememberSoon = settle(remember, 300);

function moved() {
  state.map = camera.words;
  drawSoon();
  rememberSoon();
}

function boxOf(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  return { width, height };
}

/** One pointer points, moves and chooses; two zoom. */
function onPointer(event) {
  if (!model.n) return;
  const [px, py] = placeOn($("map"), event), box = boxOf($("map"));
  if (event.type === "pointerdown") {
    $("map").setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { px, py, far: 0 });
  } else if (event.type === "pointermove" && fingers.has(event.pointerId)) {
    drag(event.pointerId, px, py, box);
  } else if (event.type === "pointermove") {
    const place = nearestTo(px, py, model, camera.to(box), REACH);
    hover(place);
    showTip($("map"), place, px, py);
  } else if (event.type !== "pointerleave") {
    const finger = fingers.get(event.pointerId);
    fingers.delete(event.pointerId);
    const place = event.type === "pointerup" && finger?.far < 5 ? nearestTo(px, py, model, camera.to(box), 2 * REACH) : null;
    if (place !== null) choose(place);
  } else {
    hover(null);
    showTip($("map"), null);
  }
}

function drag(id, px, py, box) {
  const finger = fingers.get(id), others = [...fingers].filter(([other]) => other !== id);
  if (others.length) {
    const [, other] = others[0];
    const before = Math.hypot(finger.px - other.px, finger.py - other.py), after = Math.hypot(px - other.px, py - other.py);
    if (before > 0 && after > 0) camera.zoomBy(after / before, (px + other.px) / 2, (py + other.py) / 2, box);
  }
  camera.moveBy((px - finger.px) / fingers.size, (py - finger.py) / fingers.size, box);
  fingers.set(id, { px, py, far: finger.far + Math.hypot(px - finger.px, py - finger.py) });
  showTip($("map"), null);
  moved();
}

function onKey(event) {
  if (!model.n || event.ctrlKey || event.metaKey) return;
  const way = WAYS[event.key], box = boxOf($("map"));
  if (way && event.shiftKey) { camera.moveBy(-60 * way[0], -60 * way[1], box); moved(); }
  else if (way) choose(model.chosen === null ? nearestTo(box.width / 2, box.height / 2, model, camera.to(box), Infinity) : towards(model.chosen, way, model, camera.to(box)));
  else if (event.key === "+" || event.key === "=") zoom(STEP);
  else if (event.key === "-") zoom(1 / STEP);
  else if (event.key === "0") fit();
  else return;
  event.preventDefault();
}
