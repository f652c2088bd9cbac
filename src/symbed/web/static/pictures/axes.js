// Axes: a frame with labeled ticks for a canvas, and the scales between numbers and pixels.

import { shown } from "../page/dom.js";

/** A canvas ready to be drawn on in CSS pixels. */
export function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const { width, height } = canvas.getBoundingClientRect();
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, box: { x: 0, y: 0, width, height } };
}

/** Round numbers inside a range, about `count` of them and at most half as many more. */
export function ticks(low, high, count) {
  const rough = (high - low) / Math.max(1, count);
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough * 0.66);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9 && found.length < 50; k++) found.push(k * step);
  return found.map((value) => (Math.abs(value) < step * 1e-9 ? 0 : value));
}

/** Draw the frame; gives the scales and the inner box. */
export function frame(context, box, theme, { x, y, xLabel, yLabel }) {
  context.font = `12px ${theme.sans}`;
  const yTicks = ticks(y[0], y[1], Math.max(2, box.height / 55));
  const widest = Math.max(24, ...yTicks.map((value) => context.measureText(shown(value, 3)).width));
  const inner = { left: box.x + widest + 28, right: box.x + box.width - 10, top: box.y + 10, bottom: box.y + box.height - 40 };
  const toX = (value) => inner.left + ((value - x[0]) / (x[1] - x[0])) * (inner.right - inner.left);
  const toY = (value) => inner.bottom - ((value - y[0]) / (y[1] - y[0])) * (inner.bottom - inner.top);
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const value of yTicks) {
    line(context, theme.grid, [[inner.left, toY(value)], [inner.right, toY(value)]]);
    context.fillStyle = theme.soft;
    context.fillText(shown(value, 3), inner.left - 7, toY(value));
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const value of ticks(x[0], x[1], Math.max(2, (inner.right - inner.left) / 80))) {
    line(context, theme.line, [[toX(value), inner.bottom], [toX(value), inner.bottom + 4]]);
    context.fillStyle = theme.soft;
    context.fillText(shown(value, 3), toX(value), inner.bottom + 7);
  }
  line(context, theme.line, [[inner.left, inner.bottom], [inner.right, inner.bottom]]);
  context.fillStyle = theme.faint;
  context.fillText(xLabel, (inner.left + inner.right) / 2, inner.bottom + 23);
  context.save();
  context.translate(box.x + 10, (inner.top + inner.bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.textBaseline = "middle";
  context.fillText(yLabel, 0, 0);
  context.restore();
  return { inner, toX, toY, fromX: (place) => x[0] + ((place - inner.left) / (inner.right - inner.left)) * (x[1] - x[0]) };
}

/** A line through points; a gap where a point is not finite. */
export function line(context, color, points, width = 1, dash = []) {
  context.strokeStyle = color;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  let pen = false;
  for (const [x, y] of points) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) pen = false;
    else if (pen) context.lineTo(x, y);
    else { context.moveTo(x, y); pen = true; }
  }
  context.stroke();
  context.setLineDash([]);
}

/** Draw only inside the frame. */
export function inside(context, inner, draw) {
  context.save();
  context.beginPath();
  context.rect(inner.left, inner.top, inner.right - inner.left, inner.bottom - inner.top);
  context.clip();
  draw();
  context.restore();
}

/** The line at the x that is looked at. */
export function cursor(context, { inner, toX }, at, theme) {
  line(context, theme.ink, [[toX(at), inner.top], [toX(at), inner.bottom]], 1.25);
  context.fillStyle = theme.ink;
  context.beginPath();
  context.moveTo(toX(at) - 5, inner.top - 6);
  context.lineTo(toX(at) + 5, inner.top - 6);
  context.lineTo(toX(at), inner.top + 2);
  context.fill();
}

/** Words in the middle of an empty frame. */
export function words(context, inner, theme, text) {
  context.font = `13px ${theme.sans}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  haloed(context, text, theme.soft, (inner.left + inner.right) / 2, (inner.top + inner.bottom) / 2, theme);
}

/** Words on a halo, so that lines behind do not cross them out. */
export function haloed(context, text, color, x, y, theme) {
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeStyle = theme.card;
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}
