// Working: a sign that something is being computed, for everything that takes over 0.2 s.

import { $ } from "./dom.js";

const PATIENCE = 200; // milliseconds
const under_way = new Map();

/** Say that some work begins; gives the call that ends it. */
export function begin(words) {
  const key = Symbol(words);
  const timer = setTimeout(() => { under_way.set(key, words); show(); }, PATIENCE);
  return () => {
    clearTimeout(timer);
    if (under_way.delete(key)) show();
  };
}

function show() {
  const last = [...under_way.values()].at(-1);
  $("working").hidden = !last;
  $("working").textContent = last ? `${last}\u2026` : "";
  document.documentElement.classList.toggle("at-work", Boolean(last));
  document.querySelector("main").setAttribute("aria-busy", String(Boolean(last)));
}
