"use strict";
// A cell opens the runs behind it. All texts go in as text, never as HTML.
const runs = JSON.parse(document.getElementById("data").textContent);
const dialog = document.querySelector("dialog");
const marks = { yes: "right", "contains it": "almost", "special case": "almost" };

function element(tag, text, name) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}

function shownRun(run) {
  const box = element("div", undefined, "run");
  box.append(element("h3", `${run.problem}, seed ${run.seed}, noise ${run.noise}`));
  const truth = element("p", "truth: ", "truth");
  truth.append(element("code", run.truth), run.title ? ` (${run.title})` : "");
  box.append(truth);
  if (!run.formulas.length) {
    box.append(element("p", run.status + (run.message ? `: ${run.message}` : ""), "how"));
    return box;
  }
  const list = element("ol");
  for (const one of run.formulas) {
    const item = element("li");
    item.append(element("code", one.formula));
    const facts = element("span", undefined, "facts");
    facts.append(
      element("span", one.verdict, marks[one.true_form] || ""),
      `; error ${one.error}, form distance ${one.form_distance}, size ${one.size}`,
    );
    item.append(facts);
    list.append(item);
  }
  box.append(list);
  return box;
}

function open(button) {
  const { method, by, group } = button.dataset;
  const chosen = runs.filter((run) => run.method === method && (by === "all" || run[by] === group));
  const where = by === "all" ? "" : `, ${by.replace("n_variables", "variables")} ${group}`;
  document.getElementById("what").textContent = `${method}${where}: ${chosen.length} ${chosen.length === 1 ? "run" : "runs"}`;
  document.getElementById("runs").replaceChildren(...chosen.map(shownRun));
  dialog.showModal();
  dialog.scrollTop = 0;
}

for (const button of document.querySelectorAll("td button")) {
  button.addEventListener("click", () => open(button));
}
document.getElementById("close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});
