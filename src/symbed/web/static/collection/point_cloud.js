// Point cloud: the drawing core of map and front, with a level of detail that fits what is in view.
//
// Many formulas are counted into small cells, which costs a few milliseconds for 100,000 of them;
// a few are drawn as marks with the shape of their cluster. Where a point falls is one affine map
// for each axis, so that a frame of zooming computes nothing else.

const CELL = 2; // pixels of a cell, in CSS units
const MOST_MARKS = 1500; // points in view that are drawn one by one
const FULL = 24; // points in a cell that make it opaque
const HALO = [190, 190, 190, 190, 85, 85, 85, 85]; // opacity beside a cell, and at its corners
const SHAPES = [
  (c, m, r) => c.arc(m, m, r, 0, 2 * Math.PI),
  (c, m, r) => c.rect(m - r * 0.9, m - r * 0.9, r * 1.8, r * 1.8),
  (c, m, r) => polygon(c, m, r * 1.3, 3, -Math.PI / 2),
  (c, m, r) => polygon(c, m, r * 1.25, 4, 0),
  (c, m, r) => polygon(c, m, r * 1.3, 3, Math.PI / 2),
  (c, m, r) => polygon(c, m, r * 1.15, 6, 0),
  (c, m, r) => polygon(c, m, r * 1.15, 5, -Math.PI / 2),
  (c, m, r) => polygon(c, m, r * 1.15, 8, 0),
];

/** What is drawn on one canvas: buffers that live from frame to frame. */
export class PointCloud {
  #inView = new Int32Array(0);
  #codes = new Int16Array(0);
  #counts = new Uint16Array(0);
  #layer = new OffscreenCanvas(1, 1);
  #image = null;
  #marks = new Map();
  #look = null;

  /** Draw the points; gives the places of those in view. `to` has the scale and the offset of each axis. */
  draw(context, box, { x, y, some }, to, look, theme) {
    if (look !== this.#look) this.#marks.clear();
    this.#look = look;
    const count = this.#find(box, x, y, some, to);
    const inView = this.#inView.subarray(0, count);
    if (count > MOST_MARKS) this.#drawCells(context, box, x, y, inView, to, look);
    else this.#drawMarks(context, x, y, inView, to, look, theme);
    return inView;
  }

  #find(box, x, y, some, { ax, bx, ay, by }) {
    if (this.#inView.length < x.length) this.#inView = new Int32Array(x.length);
    const inView = this.#inView, right = box.width + 6, bottom = box.height + 6;
    let count = 0;
    for (let k = 0; k < x.length; k++) {
      const px = ax * x[k] + bx, py = ay * y[k] + by;
      if (px > -6 && px < right && py > -6 && py < bottom && (!some || some[k])) inView[count++] = k;
    }
    return count;
  }

  #drawCells(context, box, x, y, inView, { ax, bx, ay, by }, { codes, table, lowest }) {
    const width = Math.ceil(box.width / CELL) + 2, height = Math.ceil(box.height / CELL) + 2;
    this.#size(width, height);
    const counts = this.#counts, best = this.#codes;
    counts.fill(0);
    for (let j = 0; j < inView.length; j++) {
      const k = inView[j];
      const column = ((ax * x[k] + bx) / CELL + 1) | 0, row = ((ay * y[k] + by) / CELL + 1) | 0;
      if (column < 1 || row < 1 || column >= width - 1 || row >= height - 1) continue;
      const cell = row * width + column, code = codes[k];
      if (!counts[cell] || (lowest && code < best[cell])) best[cell] = code;
      if (counts[cell] < 65535) counts[cell]++;
    }
    const pixels = new Uint32Array(this.#image.data.buffer);
    pixels.fill(0);
    const colors = Uint32Array.from(table, ([red, green, blue]) => red | (green << 8) | (blue << 16));
    const around = [-1, 1, -width, width, -width - 1, -width + 1, width - 1, width + 1];
    const alphas = Uint32Array.from({ length: FULL + 1 }, (_, n) => Math.round(255 * (0.75 + (0.25 * Math.log1p(n)) / Math.log1p(FULL))) << 24);
    for (let cell = width; cell < counts.length - width; cell++) {
      const n = counts[cell];
      if (!n) continue;
      const color = colors[best[cell]];
      pixels[cell] = color | alphas[n < FULL ? n : FULL];
      for (let k = 0; k < 8; k++) { // around it, so that a lone cell of two pixels is a dot
        const beside = cell + around[k];
        if (!counts[beside] && pixels[beside] >>> 24 < HALO[k]) pixels[beside] = color | (HALO[k] << 24);
      }
    }
    this.#layer.getContext("2d").putImageData(this.#image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.#layer, -CELL, -CELL, width * CELL, height * CELL);
  }

  #size(width, height) {
    if (this.#layer.width === width && this.#layer.height === height && this.#image) return;
    [this.#layer.width, this.#layer.height] = [width, height];
    this.#image = new ImageData(width, height);
    this.#counts = new Uint16Array(width * height);
    this.#codes = new Int16Array(width * height);
  }

  #drawMarks(context, x, y, inView, { ax, bx, ay, by }, look, theme) {
    const radius = inView.length > 600 ? 3.2 : inView.length > 150 ? 4.4 : 5.5;
    const order = look.lowest ? [...inView].sort((a, b) => look.codes[b] - look.codes[a]) : inView; // the lowest on top
    const ratio = window.devicePixelRatio || 1, side = sideOf(radius, ratio);
    const snapped = (place) => Math.round(place * ratio - side / 2) / ratio; // whole pixels are copied, not resampled
    for (const k of order) {
      context.drawImage(this.#mark(look.codes[k], radius, ratio, look, theme), snapped(ax * x[k] + bx), snapped(ay * y[k] + by), side / ratio, side / ratio);
    }
  }

  #mark(code, radius, ratio, look, theme) {
    const key = `${code} ${radius} ${ratio}`;
    let mark = this.#marks.get(key);
    if (mark) return mark;
    const side = sideOf(radius, ratio);
    mark = new OffscreenCanvas(side, side);
    const context = mark.getContext("2d");
    context.scale(ratio, ratio);
    context.beginPath();
    SHAPES[look.lowest ? 0 : code % SHAPES.length](context, side / ratio / 2, radius);
    context.fillStyle = `rgb(${look.table[code].join(" ")} / 88%)`;
    context.fill();
    context.strokeStyle = theme.card;
    context.stroke();
    this.#marks.set(key, mark);
    return mark;
  }
}

/** The pixels of a mark's side: its widest shape, and the line around it. */
const sideOf = (radius, ratio) => Math.ceil(2 * (radius * 1.4 + 1) * ratio);

function polygon(context, middle, radius, sides, start) {
  for (let k = 0; k < sides; k++) {
    const angle = start + (2 * Math.PI * k) / sides;
    context[k ? "lineTo" : "moveTo"](middle + radius * Math.cos(angle), middle + radius * Math.sin(angle));
  }
  context.closePath();
}

/** The point that is nearest to a place of the canvas, within some pixels; null if there is none. */
export function nearestTo(px, py, { x, y, some }, { ax, bx, ay, by }, within) {
  let best = null, least = within * within;
  for (let k = 0; k < x.length; k++) {
    const dx = ax * x[k] + bx - px, dy = ay * y[k] + by - py, away = dx * dx + dy * dy;
    if (away < least && (!some || some[k])) { least = away; best = k; }
  }
  return best;
}

/** The nearest point in a direction from another one, which it is if there is none. */
export function towards(from, [dx, dy], { x, y, some }, { ax, ay }) {
  let best = from, least = Infinity;
  for (let k = 0; k < x.length; k++) {
    const px = ax * (x[k] - x[from]), py = ay * (y[k] - y[from]);
    const along = px * dx + py * dy, cost = along + 2 * Math.abs(px * dy - py * dx);
    if (along > 0.5 && cost < least && (!some || some[k])) { best = k; least = cost; }
  }
  return best;
}

/** A ring around a point. */
export function ring(context, k, { x, y }, { ax, bx, ay, by }, color, radius, width) {
  context.beginPath();
  context.arc(ax * x[k] + bx, ay * y[k] + by, radius, 0, 2 * Math.PI);
  context.lineWidth = width;
  context.strokeStyle = color;
  context.stroke();
}
