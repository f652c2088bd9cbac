// Undo: earlier states of the page, each a set of words as the address has them.

import { essence, onRemember } from "./state.js";

const MOST = 200;
const before = [], after = [];
let now = null; // the state that is shown
let pending = null; // words that have not come to rest yet
let timer = 0;

/** Write down changes once they have come to rest; `restore` takes the words of a state. */
export function startUndo(undo, redo, restore) {
  const show = () => { undo.disabled = !before.length; redo.disabled = !after.length; };
  const step = (from, to) => {
    settleNow();
    if (!from.length) return;
    to.push(now);
    now = from.pop();
    restore(now);
    show();
  };
  onRemember((words) => {
    now ??= words; // where one began can be gone back to, however soon the first change comes
    clearTimeout(timer);
    timer = setTimeout(() => { take(words); show(); }, 500);
    pending = words;
  });
  undo.addEventListener("click", () => step(before, after));
  redo.addEventListener("click", () => step(after, before));
  addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input[type=text], input[type=number], textarea");
    if (typing || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    if (event.shiftKey) step(after, before);
    else step(before, after);
  });
}

/** A change that has not come to rest yet is a step of its own, too. */
function settleNow() {
  clearTimeout(timer);
  if (pending !== null) take(pending);
}

function take(words) {
  pending = null;
  if (now !== null && essence(words) !== essence(now)) {
    before.push(now);
    if (before.length > MOST) before.shift();
    after.length = 0;
  }
  now = words;
}
