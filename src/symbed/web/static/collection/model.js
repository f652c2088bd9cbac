// The formulas that are shown, by their place: columns of numbers, groups of equals, the chosen one.

import { decode } from "../page/dom.js";

/** One collection; null fields are not known (yet). */
export const model = emptied();
const listeners = new Map();

function emptied() {
  return {
    key: null, name: "", layout: "", n: 0, total: 0, texts: [], folded: [], x: null, y: null, loss: null, line: null,
    complexity: null, measured: "nodes", lossName: "loss", groups: null, kept: null, apart: null, nowhere: null, nGroups: 0, front: [],
    clusters: null, distances: null, near: [], chosen: null, hovered: null,
  };
}

/** Be called after a change of that kind: "formulas", "equals", "clusters", "distances", "chosen", "hovered". */
export function on(kind, call) {
  listeners.set(kind, [...(listeners.get(kind) ?? []), call]);
}

function tell(kind) {
  for (const call of listeners.get(kind) ?? []) call();
}

/** Take another map; the reader's choice stays if it is the same collection. */
export function takeMap(answer) {
  const chosen = answer.key === model.key && answer.texts.length === model.n ? model.chosen : null;
  Object.assign(model, emptied(), {
    key: answer.key, name: answer.name, layout: answer.layout, n: answer.texts.length, total: answer.n_formulas, texts: answer.texts,
    x: decode(answer.x, Float32Array), y: decode(answer.y, Float32Array), loss: answer.loss && decode(answer.loss), line: answer.line && decode(answer.line, Int32Array), chosen,
  });
  tell("formulas");
}

/** Take the groups of formulas that behave the same, and the losses that they were chosen by. */
export function takeEquals(answer, lossName = "loss") {
  Object.assign(model, {
    groups: decode(answer.groups, Int32Array), kept: decode(answer.kept, Uint8Array), apart: decode(answer.distances), nowhere: answer.undefined,
    nGroups: answer.n_groups, complexity: decode(answer.complexity), measured: answer.measured, front: answer.front,
    loss: answer.loss && decode(answer.loss), lossName,
  });
  model.folded = membersByGroup(model.groups, model.nGroups, model.kept);
  tell("equals");
}

export function takeClusters({ labels, medoids, sizes }) {
  model.clusters = { labels: decode(labels, Uint8Array), medoids, sizes };
  tell("clusters");
}

export function takeDistances({ distances, neighbors }) {
  model.distances = distances && decode(distances);
  model.near = neighbors.map(({ place }) => place).filter((place) => place !== null);
  tell("distances");
}

export function choose(place) {
  if (model.chosen === place) return;
  model.chosen = place;
  tell("chosen");
}

export function hover(place) {
  if (model.hovered === place) return;
  model.hovered = place;
  tell("hovered");
}

/** The members of a formula's group, its representative first; itself alone while groups are not known. */
export const equalsOf = (place) => (model.groups ? model.folded[model.groups[place]] : [place]);

function membersByGroup(groups, nGroups, kept) {
  const members = Array.from({ length: nGroups }, () => []);
  groups.forEach((group, place) => { if (kept[place]) members[group].unshift(place); else members[group].push(place); });
  return members;
}
