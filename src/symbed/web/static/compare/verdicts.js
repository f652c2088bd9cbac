// Verdicts: whether the formulas are the same, in words under the distance, with a point that shows it.

import { line } from "../pictures/axes.js";
import { $, make } from "../page/dom.js";
import { ask } from "../page/server.js";

let asked = null;

/** Ask for the verdict on what was compared; `goTo` is called with the witness that is clicked. */
export async function judge(question, goTo, done) {
  asked?.abort();
  asked = new AbortController();
  try {
    const answer = await ask("verdict", question, asked.signal, "judging");
    show(answer, goTo);
    done(answer.verdict?.at ?? null);
  } catch (error) {
    if (error.name !== "AbortError") show({ sentence: `No verdict: ${error.message}`, effective: [] }, goTo);
  }
}

/** Say nothing, while the formulas are being typed. */
export function clear() {
  $("judgment").replaceChildren();
  [0, 1].forEach((k) => { $(`redundant-${k}`).textContent = ""; });
}

function show({ missing, sentence, evidence, verdict, effective }, goTo) {
  clear();
  if (missing) return $("judgment").replaceChildren(make("small", { textContent: missing }));
  $("judgment").replaceChildren(sentence);
  if (verdict?.at) {
    $("judgment").append(" ", make("button", { type: "button", className: "quiet", id: "witness", textContent: `Look at ${verdict.place}`, onclick: () => goTo(verdict.at) }));
  }
  if (evidence) $("judgment").append(make("details", { className: "evidence" }, make("summary", { textContent: "Evidence" }), make("pre", { textContent: evidence })));
  effective.forEach((one, k) => { $(`redundant-${k}`).textContent = one?.sentence ?? ""; });
}

/** A diamond on the axis where the formulas are known to differ. */
export function markWitness(context, { inner, toX }, x, theme) {
  const at = toX(x);
  if (!(at >= inner.left && at <= inner.right)) return;
  line(context, theme.warn, [[at, inner.top], [at, inner.bottom]], 1, [3, 3]);
  context.fillStyle = theme.warn;
  context.beginPath();
  [[0, -7], [6, 0], [0, 7], [-6, 0]].forEach(([dx, dy]) => context.lineTo(at + dx, inner.bottom + dy));
  context.fill();
}
