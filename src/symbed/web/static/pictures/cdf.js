// CDFs: the sorted outputs of both formulas at one x, and the area between their CDFs.

import { frame, haloed, inside, line, words } from "./axes.js";

export function drawCdf(context, box, view, theme) {
  const sides = [0, 1].map((number) => outputsAt(view, number));
  const [low, high] = extent(sides);
  const { inner, toX, toY } = frame(context, box, theme, { x: [low, high], y: [0, 1], xLabel: "output", yLabel: "share up to it" });
  if (!sides[0].length && !sides[1].length) {
    words(context, inner, theme, `both are undefined at this ${view.axis}`);
    return;
  }
  const curves = sides.map((values) => stairs(values, low, high, toX, toY));
  inside(context, inner, () => {
    if (sides[0].length && sides[1].length) shade(context, sides, theme, toX, toY);
    line(context, theme.e, curves[0], 2.25);
    line(context, theme.f, curves[1], 2.25, [7, 3]);
  });
  legend(context, inner, theme, sides, curves.flat());
}

/** The defined outputs of one formula at the x that is looked at, sorted. */
export function outputsAt(view, number) {
  const { line: { outputs, counts, at } } = view;
  const found = [];
  for (let draw = 0; draw < counts[number][view.index]; draw++) found.push(outputs[number][draw * at.length + view.index]);
  return found.filter(Number.isFinite);
}

function extent(sides) {
  const all = sides.flat();
  if (!all.length) return [-1, 1];
  const low = Math.min(...all), high = Math.max(...all);
  const margin = (high - low) * 0.06 || Math.max(1, Math.abs(low)) * 0.06;
  return [low - margin, high + margin];
}

function stairs(values, low, high, toX, toY) {
  if (!values.length) return [];
  const points = [[toX(low), toY(0)]];
  values.forEach((value, k) => points.push([toX(value), toY(k / values.length)], [toX(value), toY((k + 1) / values.length)]));
  points.push([toX(high), toY(1)]);
  return points;
}

function shade(context, [u, v], theme, toX, toY) {
  const edges = [...u, ...v].sort((a, b) => a - b);
  context.fillStyle = theme.between;
  context.globalAlpha = 0.28;
  context.beginPath(); // one path: rectangles filled one by one would show their seams
  let i = 0, j = 0;
  for (let k = 0; k + 1 < edges.length; k++) {
    while (i < u.length && u[i] <= edges[k]) i++;
    while (j < v.length && v[j] <= edges[k]) j++;
    const [top, bottom] = [Math.max(i / u.length, j / v.length), Math.min(i / u.length, j / v.length)];
    if (top > bottom) context.rect(toX(edges[k]), toY(top), toX(edges[k + 1]) - toX(edges[k]), toY(bottom) - toY(top));
  }
  context.fill();
  context.globalAlpha = 1;
}

/** At the lower right, or at the upper left where the curves leave more room. */
function legend(context, inner, theme, sides, points) {
  const within = (left, top) => points.filter(([x, y]) => x > left && x < left + 124 && y > top && y < top + 44).length;
  const left = within(inner.left, inner.top + 4) < within(inner.right - 124, inner.bottom - 44) ? inner.left + 12 : inner.right - 118;
  const top = left < inner.right - 118 ? inner.top + 16 : inner.bottom - 30;
  context.font = `12px ${theme.sans}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  [["E", theme.e, []], ["F", theme.f, [7, 3]]].forEach(([name, color, dash], row) => {
    const y = top + 18 * row;
    line(context, color, [[left, y], [left + 26, y]], 2.25, dash);
    haloed(context, sides[row].length ? name : `${name} undefined`, theme.soft, left + 32, y, theme);
  });
}
