// Profile: the distance at each point of the axis, with the mean and the noise floor.

import { cursor, frame, haloed, inside, line } from "./axes.js";
import { shown } from "../page/dom.js";

export function drawProfile(context, box, view, theme) {
  const { bounds, axis, line: { at, profile }, cloud, several, at: here } = view;
  const finite = [...profile, ...(several ? cloud.profile : [])].filter(Number.isFinite);
  const known = Number.isFinite(view.distance) ? [view.distance] : [];
  const top = (Math.max(view.noise_floor, ...known, ...finite, 0) || 1) * 1.12;
  const scales = frame(context, box, theme, { x: bounds, y: [0, top], xLabel: axis, yLabel: `distance, p = ${view.p}` });
  const { inner, toX, toY } = scales;
  inside(context, inner, () => {
    if (several) dots(context, cloud, theme, toX, toY);
    area(context, at, profile, theme, inner, toX, toY);
    line(context, theme.between, Array.from(profile, (value, k) => [toX(at[k]), toY(value)]), 2);
    line(context, theme.floor, [[inner.left, toY(view.noise_floor)], [inner.right, toY(view.noise_floor)]], 1.25, [2, 3]);
    if (known.length) line(context, theme.ink, [[inner.left, toY(view.distance)], [inner.right, toY(view.distance)]], 1.25, [6, 4]);
    mismatches(context, at, profile, bounds, theme, inner, toX);
  });
  labels(context, view, known, theme, inner, toY);
  cursor(context, scales, here, theme);
  return scales;
}

function area(context, at, profile, theme, inner, toX, toY) {
  context.fillStyle = theme.between;
  context.globalAlpha = 0.14;
  let run = [];
  const close = () => {
    if (run.length) {
      context.beginPath();
      context.moveTo(toX(at[run[0]]), inner.bottom);
      for (const k of run) context.lineTo(toX(at[k]), toY(profile[k]));
      context.lineTo(toX(at[run.at(-1)]), inner.bottom);
      context.fill();
    }
    run = [];
  };
  profile.forEach((value, k) => { if (Number.isFinite(value)) run.push(k); else close(); });
  close();
  context.globalAlpha = 1;
}

function dots(context, cloud, theme, toX, toY) {
  context.fillStyle = theme.faint;
  context.globalAlpha = 0.7;
  cloud.profile.forEach((value, k) => {
    context.beginPath();
    context.arc(toX(cloud.at[k]), toY(value), 2.2, 0, 2 * Math.PI);
    context.fill();
  });
  context.globalAlpha = 1;
}

/** Where only one side is defined the distance is infinite: a strip at the top says so. */
function mismatches(context, at, profile, [low, high], theme, inner, toX) {
  const edge = (k) => (k === 0 ? low : k === at.length ? high : (at[k - 1] + at[k]) / 2); // points are not evenly apart
  context.fillStyle = theme.warn;
  context.globalAlpha = 0.8;
  profile.forEach((value, k) => {
    if (value !== Infinity) return;
    const left = Math.round(toX(edge(k)));
    context.fillRect(left, inner.top, Math.round(toX(edge(k + 1))) - left, 6);
  });
  context.globalAlpha = 1;
}

function labels(context, view, known, theme, inner, toY) {
  context.font = `12px ${theme.sans}`;
  const { profile } = view.line;
  const gap = (value) => Math.abs(value - view.distance) || 0;
  const right = gap(profile.at(-1)) >= gap(profile[0]);  // where the curve is further from its mean
  const floor = toY(view.noise_floor);
  const mean = known.length ? toY(view.distance) : NaN;
  context.textBaseline = "bottom";
  if (known.length) {
    label(context, `BED ${shown(view.distance)}`, theme.ink, right, inner, Math.max(mean - 3, inner.top + 14), theme);
  }
  if (view.noise_floor > 0 && !(Math.abs(mean - floor) < 16)) {
    label(context, "noise floor", theme.floor, true, inner, Math.max(floor - 3, inner.top + 14), theme);
  }
}

function label(context, text, color, right, inner, y, theme) {
  context.textAlign = right ? "right" : "left";
  haloed(context, text, color, right ? inner.right - 4 : inner.left + 6, y, theme);
}

/** The gauge: the distance with its interval and the noise floor, on one line from zero. */
export function drawGauge(context, box, view, theme) {
  const high = view.interval[1];
  const known = Number.isFinite(view.distance);
  const top = (Math.max(known ? high : view.finite_part, view.noise_floor) || 1) * 1.15;
  const [left, right] = [box.x + 6, box.x + box.width - 6];
  const to = (value) => left + (Math.min(value, top) / top) * (right - left);
  const y = box.y + 16;
  context.lineCap = "round";
  line(context, theme.grid, [[left, y], [right, y]], 8);
  if (known) {
    context.globalAlpha = 0.45;
    line(context, theme.between, [[to(view.interval[0]), y], [to(high), y]], 8);
    context.globalAlpha = 1;
  }
  context.lineCap = "butt";
  line(context, theme.floor, [[to(view.noise_floor), y - 9], [to(view.noise_floor), y + 9]], 1.5, [2, 2]);
  if (known) {
    context.fillStyle = theme.ink;
    context.beginPath();
    context.arc(to(view.distance), y, 5, 0, 2 * Math.PI);
    context.fill();
  }
  context.font = `12px ${theme.sans}`;
  context.fillStyle = theme.floor;
  context.textBaseline = "top";
  const label = `noise floor ${shown(view.noise_floor, 3)}`;
  const half = context.measureText(label).width / 2;
  context.textAlign = "center";
  context.fillText(label, Math.min(Math.max(to(view.noise_floor), left + half), right - half), y + 13);
}
