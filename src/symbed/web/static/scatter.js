// Scatter: formulas as points of a plane, clusters as colors and shapes.

import { words } from "./axes.js";

const SHAPES = [
  (c, x, y, r) => c.arc(x, y, r, 0, 2 * Math.PI),
  (c, x, y, r) => c.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8),
  (c, x, y, r) => polygon(c, x, y, r * 1.3, 3, -Math.PI / 2),
  (c, x, y, r) => polygon(c, x, y, r * 1.25, 4, 0),
  (c, x, y, r) => polygon(c, x, y, r * 1.3, 3, Math.PI / 2),
  (c, x, y, r) => polygon(c, x, y, r * 1.15, 6, 0),
  (c, x, y, r) => polygon(c, x, y, r * 1.15, 5, -Math.PI / 2),
  (c, x, y, r) => polygon(c, x, y, r * 1.15, 8, 0),
];

/** Draw the map; gives the place of each formula on the canvas. */
export function drawMap(context, box, formulas, { chosen, near, medoids }, theme, palette) {
  const inner = { left: 24, right: box.width - 24, top: 24, bottom: box.height - 24 };
  if (!formulas.length) {
    words(context, inner, theme, "no formulas");
    return [];
  }
  const [midX, midY, width, height] = extent(formulas);
  const scale = Math.min((inner.right - inner.left) / (width || 1), (inner.bottom - inner.top) / (height || 1));
  const spots = formulas.map(({ x, y }) => [(inner.left + inner.right) / 2 + (x - midX) * scale, (inner.top + inner.bottom) / 2 - (y - midY) * scale]);
  formulas.forEach(({ index, cluster }, k) => {
    context.beginPath();
    SHAPES[cluster % SHAPES.length](context, ...spots[k], medoids.has(index) ? 8 : 5.5);
    context.fillStyle = palette[cluster % palette.length];
    context.globalAlpha = 0.78;
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth = 1;
    context.strokeStyle = theme.card;
    context.stroke();
  });
  ring(context, formulas, spots, near, theme.soft, 10, 1.5);
  ring(context, formulas, spots, new Set([chosen]), theme.ink, 12, 2.5);
  names(context, formulas, spots, medoids, theme, inner);
  return spots;
}

function extent(formulas) {
  const xs = formulas.map(({ x }) => x), ys = formulas.map(({ y }) => y);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  return [(left + right) / 2, (low + high) / 2, right - left, high - low];
}

function polygon(context, x, y, radius, sides, start) {
  for (let k = 0; k < sides; k++) {
    const angle = start + (2 * Math.PI * k) / sides;
    context[k ? "lineTo" : "moveTo"](x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  context.closePath();
}

function ring(context, formulas, spots, indices, color, radius, width) {
  formulas.forEach(({ index }, k) => {
    if (!indices.has(index)) return;
    context.beginPath();
    context.arc(...spots[k], radius, 0, 2 * Math.PI);
    context.lineWidth = width;
    context.strokeStyle = color;
    context.stroke();
  });
}

/** The formula in the middle of each cluster is named. */
function names(context, formulas, spots, medoids, theme, inner) {
  context.font = `12px ${theme.sans}`;
  context.textBaseline = "middle";
  const taken = [];
  formulas.forEach(({ index, text }, k) => {
    if (!medoids.has(index)) return;
    const short = text.length > 34 ? `${text.slice(0, 33)}\u2026` : text;
    const width = context.measureText(short).width;
    const [x, y] = spots[k];
    const left = x + 18 + width > inner.right + 20 ? x - 18 - width : x + 18;
    if (taken.some(([l, t, w]) => Math.abs(t - y) < 15 && l < left + width && left < l + w)) return;
    taken.push([left, y, width]);
    context.textAlign = "left";
    context.lineWidth = 4;
    context.strokeStyle = theme.card;
    context.strokeText(short, left, y);
    context.fillStyle = theme.ink;
    context.fillText(short, left, y);
  });
}
