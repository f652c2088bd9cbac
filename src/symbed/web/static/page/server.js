// Questions go to the server with the token of this run; answers come back as objects, and what takes
// over 0.2 s is announced.

import { $ } from "./dom.js";

const PLACE = "symbed-token";
const PATIENCE = 200; // milliseconds
const under_way = new Map();

/** Take the token out of the address, so that it does not linger in the history. */
export function enter() {
  const address = new URL(location.href);
  const token = address.searchParams.get("token");
  if (!token) return;
  localStorage.setItem(PLACE, token);
  history.replaceState(null, "", "/" + address.hash);
}

/** Ask; what takes long is said in `words` meanwhile. */
export async function ask(question, document, signal, words = "working") {
  const end = begin(words);
  try {
    return await answered(question, document, signal);
  } finally {
    end();
  }
}

async function answered(question, document, signal) {
  let response;
  try {
    response = await fetch(`/api/${question}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-symbed-token": localStorage.getItem(PLACE) ?? "" },
      body: JSON.stringify(document),
      credentials: "same-origin",
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The explorer does not answer. Is `symbed explore` still running?");
  }
  if (response.ok) return response.json();
  const words = (await response.text()).trim();
  if (response.status === 403) throw new Error("This page belongs to another run. Open the link that `symbed explore` printed.");
  throw new Error(words || `The explorer answered ${response.status}.`);
}

/** Say that some work begins; gives the call that ends it. */
function begin(words) {
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
