// The front: loss against complexity, groups of equals folded to the member that stands for them.

import { frame, inside, line, prepare, words } from "../pictures/axes.js";
import { $, beforeFrame, counted, placeOn, shown } from "../page/dom.js";
import { colors } from "../page/theme.js";
import { currentLook } from "./map_view.js";
import { choose, hover, model, on } from "./model.js";
import { PointCloud, nearestTo, ring } from "./point_cloud.js";
import { showTip } from "./tip.js";

const cloud = new PointCloud();
let points = null; // the plane of the front: complexity, and loss or its logarithm
let to = null;

export function startFront() {
  for (const kind of ["formulas", "equals"]) on(kind, () => { points = null; });
  for (const kind of ["formulas", "equals", "clusters", "distances", "chosen", "hovered"]) on(kind, drawFrontSoon);
  const canvas = $("front");
  canvas.addEventListener("pointermove", (event) => {
    const place = under(event, 14);
    hover(place);
    showTip(canvas, place, ...placeOn(canvas, event));
  });
  canvas.addEventListener("pointerleave", () => { hover(null); showTip(canvas, null); });
  canvas.addEventListener("click", (event) => { const place = under(event, 28); if (place !== null) choose(place); });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, Home: -1e9, End: 1e9 }[event.key];
    if (!step || !model.front.length) return;
    event.preventDefault();
    const here = model.front.indexOf(model.chosen);
    choose(model.front[here < 0 ? 0 : Math.max(0, Math.min(model.front.length - 1, here + step))]);
  });
}

export const drawFrontSoon = beforeFrame(drawFront);

function drawFront() {
  const canvas = $("front");
  if (!model.n || !model.loss || !canvas.clientWidth) return;
  const { context, box } = prepare(canvas), theme = colors();
  to = null;
  if (!model.complexity) return words(context, { left: 0, right: box.width, top: 0, bottom: box.height }, theme, "grouping equals first");
  points ??= plane();
  const { log, x, y } = points;
  const scales = frame(context, box, theme, { x, y, xLabel: model.measured, yLabel: log ? `${model.lossName}, as a power of 10` : model.lossName });
  const { inner, toX, toY } = scales;
  to = { ax: toX(1) - toX(0), bx: toX(0), ay: toY(1) - toY(0), by: toY(0) };
  inside(context, inner, () => {
    const steps = model.front.flatMap((place, k) => [...(k ? [[toX(points.plane.x[place]), toY(points.plane.y[model.front[k - 1]])]] : []), [toX(points.plane.x[place]), toY(points.plane.y[place])]]);
    if (steps.length) line(context, theme.line, [...steps, [inner.right, steps.at(-1)[1]]], 6);
    cloud.draw(context, box, points.plane, to, currentLook(), theme);
    for (const place of model.front) ring(context, place, points.plane, to, theme.ink, 6, 1.25);
    const stand = (place) => (place === null ? null : points.stands(place));
    if (stand(model.hovered) !== null) ring(context, stand(model.hovered), points.plane, to, theme.ink, 9, 1.5);
    if (stand(model.chosen) !== null) ring(context, stand(model.chosen), points.plane, to, theme.ink, 11, 2.5);
  });
  canvas.setAttribute("aria-label", `${model.lossName} against ${model.measured}: ${model.front.length} formulas are on the front${model.chosen === null ? "" : `; chosen is ${model.texts[model.chosen].slice(0, 80)}`}. Arrow keys go along it.`);
}

/** The formulas that stand for their groups, on the axes of the front; a tenth of the loss's tail may lie outside. */
function plane() {
  const some = model.kept.slice();
  for (const place of model.front) some[place] = 1;
  const known = Array.from(model.loss).filter((value, k) => some[k] && Number.isFinite(value)).sort((a, b) => a - b);
  const high = known[Math.ceil(0.95 * (known.length - 1))], low = known[0];
  const log = low > 0 && high / low > 10;
  const y = log ? Float32Array.from(model.loss, Math.log10) : model.loss;
  const sizes = Array.from(model.complexity).filter((value, k) => some[k] && Number.isFinite(value)).sort((a, b) => a - b);
  const [left, right] = [sizes[0], sizes[Math.ceil(0.99 * (sizes.length - 1))]];
  const ends = log ? [Math.log10(low), Math.log10(high)] : [low, high];
  const widened = ([a, b], share) => { const margin = (b - a) * share || 0.5; return [a - margin, b + margin]; };
  const plane_ = { x: model.complexity, y, some };
  return { log, x: widened([left, right], 0.05), y: widened(ends, 0.08), plane: plane_, stands: (place) => (some[place] ? place : model.folded[model.groups[place]][0]) };
}

const under = (event, within) => (to && points ? nearestTo(...placeOn($("front"), event), points.plane, to, within) : null);

/** The title of the front. */
export function frontTitle() {
  if (!model.loss || !model.groups) return "Front";
  const best = model.front.at(-1);
  return `Front: ${model.front.length} of ${counted(model.nGroups)} behaviors${best === undefined ? "" : `, ${model.lossName} down to ${shown(model.loss[best], 3)}`}`;
}
