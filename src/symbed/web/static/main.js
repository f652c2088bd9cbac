// The page: tabs, scheme and links; the rest is in the modules of each tab.

import { dataChanged, drawCollection, offerOpened, restoreCollection, startCollection } from "./collection/collection.js";
import { openWaiting } from "./collection/opening.js";
import { compareNow, draw, fill, startCompare } from "./compare/compare.js";
import { $ } from "./page/dom.js";
import { downloadCsv, downloadJson, downloadPicture } from "./compare/exporting.js";
import { enter } from "./page/server.js";
import { recall, remember, state } from "./page/state.js";
import { followTheme } from "./page/theme.js";
import { startUndo } from "./page/undo.js";

const TABS = ["compare", "reading", "collection"];

enter();
recall();
startCompare(dataChanged);
startCollection(openTab);
followTheme($("theme"), () => redraw(true));
connectTabs();
$("copy-link").addEventListener("click", copyLink);
$("download-png").addEventListener("click", downloadPicture);
$("download-json").addEventListener("click", downloadJson);
$("download-csv").addEventListener("click", downloadCsv);
addEventListener("hashchange", begin);
startUndo($("undo"), $("redo"), (words) => {
  history.replaceState(null, "", `#${words}`);
  begin();
});
begin();
offerOpened().catch(() => {});

function begin() {
  recall();
  fill();
  restoreCollection();
  openTab(TABS.includes(state.tab) ? state.tab : "compare");
  compareNow();
}

function redraw(recolored = false) {
  draw();
  drawCollection(recolored);
}

function openTab(name) {
  state.tab = name;
  for (const tab of TABS) {
    $(`panel-${tab}`).hidden = tab !== name;
    $(`tab-${tab}`).setAttribute("aria-selected", String(tab === name));
    $(`tab-${tab}`).tabIndex = tab === name ? 0 : -1;
  }
  remember();
  redraw();
  openWaiting();
}

function connectTabs() {
  TABS.forEach((name, k) => {
    $(`tab-${name}`).addEventListener("click", () => openTab(name));
    $(`tab-${name}`).addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: TABS.length - 1 }[event.key];
      if (!step) return;
      const next = TABS[(k + step) % TABS.length];
      openTab(next);
      $(`tab-${next}`).focus();
    });
  });
}

async function copyLink() {
  remember();
  let told = "Copied";
  try {
    await navigator.clipboard.writeText(location.href);
  } catch {
    told = "Copy it from the address bar";
  }
  $("copy-link").textContent = told;
  setTimeout(() => { $("copy-link").textContent = "Copy link"; }, 2000);
}
