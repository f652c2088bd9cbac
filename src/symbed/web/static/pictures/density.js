// Density: the outputs of one formula along the axis, darker where they are denser, with data on top.

import { cursor, frame, inside, line, words } from "./axes.js";
import { rgb } from "../page/theme.js";

const NEAR = 0.2; // of a range: how far a row may be from where the other variables are held

export function drawDensity(context, box, view, number, theme) {
  const { picture, bounds, axis, at } = view;
  const side = picture.sides[number];
  const color = number === 0 ? theme.e : theme.f;
  const scales = frame(context, box, theme, { x: bounds, y: outputRange(view), xLabel: axis, yLabel: "output" });
  const { inner, toX, toY } = scales;
  const step = (bounds[1] - bounds[0]) / picture.columns;
  const place = (column) => bounds[0] + (column + 0.5) * step;
  inside(context, inner, () => {
    if (!side.curve) {
      context.imageSmoothingEnabled = true;
      context.imageSmoothingQuality = "high";
      context.drawImage(tinted(picture, side, color), inner.left, toY(picture.high), inner.right - inner.left, toY(picture.low) - toY(picture.high));
    }
    if (view.data) drawData(context, view, scales, theme);
    const curve = (level) => broken(Array.from(side.quantiles[level], (value, column) => [toX(place(column)), toY(value)]), side.breaks[level] ?? []);
    if (!side.curve) for (const level of [0, 4]) line(context, color, curve(level), 1, [2, 3]);
    line(context, side.curve ? color : theme.ink, curve(2), side.curve ? 2.5 : 1.5);
    drawUndefined(context, inner, side.undefined, theme, toX, place, step);
  });
  if (side.undefined.every((share) => share >= 1)) words(context, inner, theme, "undefined everywhere in this range");
  cursor(context, scales, at, theme);
  return scales;
}

/** The points of a line, lifted off the paper in the gaps where the curve has a pole or jumps. */
function broken(points, gaps) {
  const open = new Set(gaps);
  return points.flatMap((point, column) => (open.has(column) ? [point, [NaN, NaN]] : [point]));
}

/** The density as an image in one color, its strength the opacity. */
function tinted(picture, side, color) {
  const image = new OffscreenCanvas(picture.columns, picture.rows);
  const context = image.getContext("2d");
  const data = context.createImageData(picture.columns, picture.rows);
  const [red, green, blue] = rgb(color);
  side.density.forEach((value, k) => data.data.set([red, green, blue, 255 * (value / 255) ** 0.65 * 0.9], 4 * k));
  context.putImageData(data, 0, 0);
  return image;
}

/** A strip at the bottom, as strong as the share of outputs that are undefined. */
function drawUndefined(context, inner, undefined_, theme, toX, place, step) {
  undefined_.forEach((share, column) => {
    if (!(share > 0)) return;
    context.globalAlpha = 0.25 + 0.65 * share;
    context.fillStyle = theme.warn;
    const left = Math.round(toX(place(column) - step / 2));
    context.fillRect(left, inner.bottom - 6, Math.round(toX(place(column) + step / 2)) - left, 6);
  });
  context.globalAlpha = 1;
}

/** The outputs to show: those of the formulas, and of the data if they are of about that size. */
function outputRange({ picture: { low, high }, data }) {
  if (!data) return [low, high];
  const margin = 0.04 * (data.range[1] - data.range[0]);
  const [least, most] = [Math.min(low, data.range[0] - margin), Math.max(high, data.range[1] + margin)];
  return most - least > 50 * (high - low) && high > low ? [low, high] : [least, most];
}

/** A dot for each row, paler the farther it is from the values that other variables are held at. */
function drawData(context, { data, axis, held, ranges }, { toX, toY }, theme) {
  const across = data.columns[axis];
  if (!across) return;
  const others = Object.entries(held).filter(([name]) => data.columns[name] && ranges[name][1] > ranges[name][0]);
  const radius = across.length > 1000 ? 1.6 : 2.4;
  context.fillStyle = theme.soft;
  for (let row = 0; row < across.length; row++) {
    let away = 0;
    for (const [name, value] of others) away += ((data.columns[name][row] - value) / (NEAR * (ranges[name][1] - ranges[name][0]))) ** 2;
    context.globalAlpha = 0.12 + 0.58 * Math.exp(-away / 2);
    context.beginPath();
    context.arc(toX(across[row]), toY(data.outputs[row]), radius, 0, 2 * Math.PI);
    context.fill();
  }
  context.globalAlpha = 1;
}
