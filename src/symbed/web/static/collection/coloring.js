// Coloring: a color for each formula by its loss, size, cluster, or distance to a typed one.

import { shown } from "../page/dom.js";
import { palette, rgb } from "../page/theme.js";
import { model } from "./model.js";

export const UNKNOWN = 255;
const STEPS = 254; // the codes 0 to 254 are the ramp
const TAIL = 0.02; // share at each end that gets the color of the end
const DECADES = 1.5; // values that span more are colored by their logarithm
// Viridis, by eight of its colors: its lightness tells the order without hue.
const VIRIDIS = ["#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"].map(rgb);

export const COLORINGS = [
  ["loss", "loss", () => model.loss],
  ["cluster", "cluster", () => model.clusters],
  ["size", "complexity", () => model.complexity],
  ["distance", "distance to a formula", () => model.distances],
];

/** The coloring that is asked for, if its numbers are there; else the first that is. */
export function coloringOf(asked) {
  const there = COLORINGS.filter(([, , values]) => values()).map(([name]) => name);
  return there.includes(asked) ? asked : there[0] ?? "";
}

/** A code for each formula, and the color of each code. */
export function paint(name) {
  if (name === "cluster") {
    const colors = palette().map(rgb);
    return { name, codes: model.clusters.labels, table: Array.from({ length: 256 }, (_, code) => colors[code % colors.length]), lowest: false };
  }
  const values = { loss: model.loss, size: model.complexity, distance: model.distances }[name];
  if (!values) return { name: "", codes: new Uint8Array(model.n), table: Array(256).fill(rgb(palette()[0])), lowest: false };
  const scale = scaleOf(values);
  const codes = Uint8Array.from(values, (value) => (Number.isFinite(value) ? Math.round(STEPS * scale.share(value)) : UNKNOWN));
  return { name, codes, table: ramp(), lowest: true, scale };
}

/** Low is the color that stands out: the dark end on light ground, the light end on dark. */
function ramp() {
  const dark = document.documentElement.dataset.theme === "dark";
  const table = Array.from({ length: STEPS + 1 }, (_, code) => mixed(dark ? 1 - 0.82 * (code / STEPS) : 0.94 * (code / STEPS)));
  return [...table, dark ? [110, 120, 130] : [170, 176, 182]];
}

function mixed(share) {
  const place = share * (VIRIDIS.length - 1), first = Math.min(VIRIDIS.length - 2, Math.floor(place));
  return VIRIDIS[first].map((value, k) => Math.round(value + (place - first) * (VIRIDIS[first + 1][k] - value)));
}

function scaleOf(values) {
  const known = Float64Array.from(values).filter(Number.isFinite).sort();
  if (!known.length) return { share: () => 0, low: "", high: "" };
  const [low, high] = [known[Math.floor(TAIL * (known.length - 1))], known[Math.ceil((1 - TAIL) * (known.length - 1))]];
  const log = low > 0 && Math.log10(high / low) > DECADES;
  const to = log ? Math.log10 : (value) => value;
  const width = to(high) - to(low);
  return { share: (value) => (width > 0 ? Math.min(1, Math.max(0, (to(value) - to(low)) / width)) : 0), low: shown(low, 3), high: shown(high, 3), log };
}

/** The gradient of the ramp on a small canvas. */
export function drawRamp(canvas) {
  const table = ramp();
  canvas.width = STEPS + 1;
  canvas.height = 1;
  const context = canvas.getContext("2d"), data = context.createImageData(STEPS + 1, 1);
  for (let code = 0; code <= STEPS; code++) data.data.set([...table[code], 255], 4 * code);
  context.putImageData(data, 0, 0);
}

export const css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;
