// Camera: which part of the plane a canvas shows; it zooms about a place and moves.

const LARGEST = 1e5, SMALLEST = 0.7; // zoom; 1 shows everything
const EDGE = 26;

export class Camera {
  middle = [0, 0];
  zoom = 1;
  #bounds = [0, 0, 1, 1];
  #equal = true;

  /** The plane that there is to see; `equal` if both its axes have one unit. */
  over(x, y, equal) {
    this.#equal = equal;
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let k = 0; k < x.length; k++) {
      if (x[k] < left) left = x[k];
      if (x[k] > right) right = x[k];
      if (y[k] < low) low = y[k];
      if (y[k] > high) high = y[k];
    }
    this.#bounds = [left, low, right, high];
  }

  /** Show everything. */
  fit() {
    const [left, low, right, high] = this.#bounds;
    this.middle = [(left + right) / 2, (low + high) / 2];
    this.zoom = 1;
  }

  /** Scale and offset of each axis; y points up. */
  to(box) {
    const [left, low, right, high] = this.#bounds;
    const width = right - left || 1e-9, height = high - low || 1e-9;
    const wide = (this.zoom * (box.width - 2 * EDGE)) / width, tall = (this.zoom * (box.height - 2 * EDGE)) / height;
    const [ax, ay] = this.#equal ? [Math.min(wide, tall), -Math.min(wide, tall)] : [wide, -tall];
    return { ax, bx: box.width / 2 - ax * this.middle[0], ay, by: box.height / 2 - ay * this.middle[1] };
  }

  /** Zoom so that the place under the pointer stays there. */
  zoomBy(factor, px, py, box) {
    const before = this.to(box);
    const [x, y] = [(px - before.bx) / before.ax, (py - before.by) / before.ay];
    this.zoom = Math.min(LARGEST, Math.max(SMALLEST, this.zoom * factor));
    const after = this.to(box);
    this.middle = [this.middle[0] + (after.ax * x + after.bx - px) / after.ax, this.middle[1] + (after.ay * y + after.by - py) / after.ay];
  }

  moveBy(dx, dy, box) {
    const { ax, ay } = this.to(box);
    this.middle = [this.middle[0] - dx / ax, this.middle[1] - dy / ay];
  }

  /** Move, if a point lies outside of what is shown. */
  show(x, y, box) {
    const { ax, bx, ay, by } = this.to(box);
    const [px, py] = [ax * x + bx, ay * y + by];
    const edge = EDGE / 2; // the outermost points lie at EDGE when everything is shown
    if (!(px > edge && px < box.width - edge && py > edge && py < box.height - edge)) this.middle = [x, y];
  }

  /** As words of the address, and back. */
  get words() {
    return this.zoom === 1 ? "" : [this.zoom, ...this.middle].map((value) => Number(value.toPrecision(6))).join(":");
  }

  set words(text) {
    const [zoom, x, y] = text.split(":").map(Number);
    if (!(zoom >= SMALLEST && zoom <= LARGEST && Number.isFinite(x) && Number.isFinite(y))) return this.fit();
    [this.zoom, this.middle] = [zoom, [x, y]];
  }
}
