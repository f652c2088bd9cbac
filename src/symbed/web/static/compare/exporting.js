// Exporting: what is on the screen as a picture or a data file.

import { drawCdf } from "../pictures/cdf.js";
import { current, question } from "./compare.js";
import { drawDensity } from "../pictures/density.js";
import { shown } from "../page/dom.js";
import { drawProfile } from "../pictures/profile.js";
import { state } from "../page/state.js";
import { colors } from "../page/theme.js";

const WIDTH = 1200, PLOT = 330, HEAD = 120, CAPTION = 30, EDGE = 24;

/** All four plots and the figures in one PNG. */
export function downloadPicture() {
  const { view } = current;
  if (!view) return;
  const theme = colors();
  const canvas = document.createElement("canvas");
  const height = HEAD + 2 * (PLOT + CAPTION) + EDGE;
  [canvas.width, canvas.height] = [2 * WIDTH, 2 * height];
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  context.fillStyle = theme.card;
  context.fillRect(0, 0, WIDTH, height);
  heading(context, view, theme);
  const half = (WIDTH - 2 * EDGE) / 2;
  const held = Object.entries(view.held).map(([name, value]) => `, ${name} = ${shown(value, 3)}`).join("");
  const plots = [
    [`E: ${state.e}${held}`, (box) => drawDensity(context, box, view, 0, theme)],
    [`F: ${state.f}${held}`, (box) => drawDensity(context, box, view, 1, theme)],
    [`CDFs at ${view.axis} = ${shown(view.at)}`, (box) => drawCdf(context, box, view, theme)],
    ["Distance at each point", (box) => drawProfile(context, box, view, theme)],
  ];
  plots.forEach(([title, paint], k) => {
    const box = { x: EDGE + (k % 2) * half, y: HEAD + Math.floor(k / 2) * (PLOT + CAPTION) + CAPTION, width: half - 8, height: PLOT };
    caption(context, title, box, theme);
    paint(box);
  });
  canvas.toBlob((blob) => save(blob, "symbed.png"), "image/png");
}

function heading(context, view, theme) {
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.fillStyle = theme.ink;
  context.font = `600 34px ${theme.sans}`;
  context.fillText(`BED ${shown(view.distance, 5)}`, EDGE, 56);
  context.fillStyle = theme.soft;
  context.font = `15px ${theme.sans}`;
  const interval = Number.isFinite(view.distance) ? `interval ${shown(view.interval[0])} to ${shown(view.interval[1])} \u00b7 ` : "";
  context.fillText(`${interval}noise floor ${shown(view.noise_floor, 3)} \u00b7 p = ${view.p} \u00b7 ${view.n_points} points \u00d7 ${view.n_draws} draws \u00b7 seed ${view.seed}`, EDGE, 84);
  const ranges = current.answer.names.map(({ name, range }) => `${name} in ${shown(range[0], 3)}..${shown(range[1], 3)}`).join(", ");
  context.fillText(ranges, EDGE, 106);
}

function caption(context, title, box, theme) {
  context.font = `14px ${theme.sans}`;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.fillStyle = theme.ink;
  let text = title;
  while (context.measureText(text).width > box.width - 12) text = `${text.slice(0, -2)}\u2026`;
  context.fillText(text, box.x + 8, box.y - 8);
}

/** The question and the figures, with the distances along the axis. */
export function downloadJson() {
  const { view, answer } = current;
  if (!view) return;
  const told = (value) => (Number.isFinite(value) ? value : value > 0 ? "inf" : null);
  const { picture, line, cloud, milliseconds, ...figures } = answer.result;
  const document_ = {
    question: question(), readings: answer.readings, names: answer.names, ...figures,
    profile: Array.from(view.line.at, (at, k) => ({ [view.axis]: at, distance: told(view.line.profile[k]) })),
  };
  save(new Blob([JSON.stringify(document_, null, 1)], { type: "application/json" }), "symbed.json");
}

/** One row for each step of the axis: the distance there, and quantiles of both sides. */
export function downloadCsv() {
  const { view } = current;
  if (!view) return;
  const { at, profile, outputs, counts } = view.line;
  const levels = [0.05, 0.5, 0.95];
  const head = [view.axis, "distance", ...["E", "F"].flatMap((side) => [`${side} defined`, ...levels.map((level) => `${side} q${level}`)])];
  const rows = Array.from(at, (value, k) => [value, profile[k], ...[0, 1].flatMap((side) => {
    const count = counts[side][k];
    return [count, ...levels.map((level) => (count ? outputs[side][(Math.max(1, Math.ceil(level * count)) - 1) * at.length + k] : ""))];
  })]);
  const text = [head, ...rows].map((row) => row.map((item) => (item === Infinity ? "inf" : item)).join(",")).join("\n");
  save(new Blob([`${text}\n`], { type: "text/csv" }), "symbed.csv");
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
