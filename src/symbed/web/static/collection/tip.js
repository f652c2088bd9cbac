// Tip: what the pointer points at, in words beside it.

import { $, cut, shown } from "../page/dom.js";
import { equalsOf, model } from "./model.js";

/** Show what is at a place of a canvas; nothing, if nothing is there. */
export function showTip(canvas, place, px, py) {
  const tip = $("tip");
  tip.hidden = place === null;
  if (place === null) return;
  tip.replaceChildren(cut(model.texts[place], 120), document.createElement("br"), factsOf(place));
  const frame = tip.offsetParent.getBoundingClientRect(), { left, top } = canvas.getBoundingClientRect();
  const x = left - frame.left + px, y = top - frame.top + py;
  tip.style.left = `${Math.max(4, Math.min(x + 14, frame.width - tip.offsetWidth - 8))}px`;
  tip.style.top = `${y + 18 + tip.offsetHeight > frame.height ? y - tip.offsetHeight - 12 : y + 18}px`;
}

/** What is known of a formula, in one line. */
export function factsOf(place) {
  const told = (name, values) => values && !Number.isNaN(values[place]) && `${name} ${shown(values[place])}`;
  const equals = equalsOf(place).length - 1;
  return [
    told(model.lossName, model.loss), told(model.measured, model.complexity), told("distance", model.distances),
    model.line && `line ${model.line[place]}`, equals > 0 && `${equals} more behave${equals === 1 ? "s" : ""} the same`,
  ].filter(Boolean).join(", ");
}
