// The state of the page, kept in the fragment of the address, so that every view has a link.

export const FALLBACK = [1, 5];
const EXAMPLE = {
  tab: "compare", e: "a*exp(-b*x)", f: "a/(1 + b*x)",
  ranges: { x: [0, 5], a: [0.5, 2], b: [0.2, 2] }, roles: {}, held: {},
  points: 64, draws: 32, p: 1, seed: 0, axis: "", at: null,
  query: "", metric: "relative", clusters: 4, within: "",
  dialect: "auto", constants: "keep", written_e: "infix", written_f: "infix",
  target: "", data: "", source: "", color: "", map: "", find: "", sort: "file", scope: "all", fold: 1, page: 1, chosen: -1,
};
/** Whole numbers, and what they may be: a link that was edited by hand is brought back to that. */
const NUMBERS = {
  points: [1, 512], draws: [1, 512], p: [1, 2], seed: [0, 2147483647], clusters: [1, 8], fold: [0, 1], page: [1, 1e9], chosen: [-1, 1e9],
};
const TEXTS = [
  "tab", "e", "f", "axis", "query", "metric", "within", "dialect", "constants", "written_e", "written_f",
  "target", "data", "source", "color", "map", "find", "sort", "scope",
];
/** Where one looks, and not what one looks at: moving there is no step that is undone. */
const LOOKING = ["at", "map", "page", "chosen", "tab"];

export const state = structuredClone(EXAMPLE);
let heard = () => {};

/** Be called with the words of the state whenever they are put into the address. */
export function onRemember(call) {
  heard = call;
}

/** The part of the words that says what is looked at. */
export function essence(words) {
  const kept = new URLSearchParams(words);
  for (const name of LOOKING) kept.delete(name);
  return String(kept);
}

/** Whether nobody has typed a formula yet. */
export const isFresh = () => state.e === EXAMPLE.e && state.f === EXAMPLE.f;

/** Let the formulas that stand there at first speak of one of these variables. */
export function speakOf(names) {
  const name = names.find((one) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(one));
  if (!isFresh() || !name || names.includes("x")) return;
  state.e = EXAMPLE.e.replace(/\bx\b/, name);
  state.f = EXAMPLE.f.replace(/\bx\b/, name);
  delete state.ranges.x;
}

/** Put the state into the address without adding to the history. */
export function remember() {
  const words = new URLSearchParams();
  for (const name of [...TEXTS, ...Object.keys(NUMBERS)]) {
    if (name === "e" || name === "f" || state[name] !== EXAMPLE[name]) words.set(name, state[name]);
  }
  for (const [name, [low, high]] of Object.entries(state.ranges)) words.set(`range.${name}`, `${low}:${high}`);
  for (const [name, role] of Object.entries(state.roles)) words.set(`role.${name}`, role);
  for (const [name, value] of Object.entries(state.held)) words.set(`held.${name}`, value);
  if (state.at !== null) words.set("at", Number(state.at.toPrecision(6)));
  history.replaceState(null, "", `#${words}`);
  heard(String(words));
}

/** Take the state from the address; what cannot be read stays as it is. */
export function recall() {
  const words = new URLSearchParams(location.hash.slice(1));
  Object.assign(state, structuredClone(EXAMPLE));
  if (words.has("e") || words.has("f")) Object.assign(state, { e: "", f: "", ranges: {} });
  for (const [name, value] of words) {
    const [kind, key] = [name.split(".")[0], name.slice(name.indexOf(".") + 1)];
    const number = Number(value);
    if (TEXTS.includes(name)) state[name] = value;
    else if (name in NUMBERS && Number.isInteger(number)) state[name] = Math.max(NUMBERS[name][0], Math.min(NUMBERS[name][1], number));
    else if (name === "at" && Number.isFinite(number)) state.at = number;
    else if (kind === "range") takeRange(key, value);
    else if (kind === "role" && ["variable", "parameter"].includes(value)) state.roles[key] = value;
    else if (kind === "held" && Number.isFinite(number)) state.held[key] = number;
  }
}

/** Show a choice of the state in its field; a choice that the page does not have is dropped. */
export function fillChoice(field, name) {
  field.value = state[name];
  if (field.value !== state[name]) field.value = state[name] = EXAMPLE[name];
}

function takeRange(name, value) {
  const ends = value.split(":").map(Number);
  if (ends.length === 2 && ends.every(Number.isFinite)) state.ranges[name] = ends;
}
