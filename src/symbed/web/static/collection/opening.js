// Opening: a file that is chosen or dropped, pasted formulas, or what the command line named.

import { offerTables } from "../compare/data_file.js";
import { $, make, onFile } from "../page/dom.js";
import { ask } from "../page/server.js";
import { state } from "../page/state.js";

const LARGEST = 1 << 26; // bytes; the server counts characters
let waiting = null;

/** Connect the fields; `open` is called with a text and its name, or with a key, `complain` with words. */
export function startOpening(open, complain) {
  onFile($("file"), $("drop"), async (file) => {
    if (file.size > LARGEST) return complain(`${file.name} is larger than a page can take; survey it to an atlas: symbed survey FILE -o my.atlas`);
    state.source = "";
    return open({ name: file.name, text: await file.text() });
  });
  $("take").addEventListener("click", () => { state.source = ""; open({ name: "pasted formulas", text: $("pasted").value }); });
}

/** Offer what was named on the command line; a link that names one of them opens it. */
export async function offerOpened(open) {
  const { opened, tables } = await ask("opened", {});
  offerTables(tables);
  const openOne = ({ key, name }) => { state.source = name; open({ key }); };
  $("opened").replaceChildren(...opened.map((one) => make("button", { type: "button", className: "plain", textContent: one.name, onclick: () => openOne(one) })));
  const named = opened.find(({ name }) => name === state.source) ?? (opened.length === 1 ? opened[0] : null);
  waiting = named && (() => openOne(named));
  openWaiting();
}

/** A collection of the command line opens when its tab is first looked at. */
export function openWaiting() {
  if (!waiting || $("panel-collection").hidden) return;
  waiting();
  waiting = null;
}
