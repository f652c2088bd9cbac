// Colors: the scheme of the system or the reader's choice, as colors that the pictures use.

const CHOICES = ["auto", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");

/** Follow the system, and let a button override it; `redraw` is called after every change. */
export function followTheme(button, redraw) {
  const apply = () => {
    const choice = localStorage.getItem("symbed-theme") ?? "auto";
    const dark = choice === "dark" || (choice === "auto" && system.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.textContent = { auto: "Auto", light: "Light", dark: "Dark" }[choice];
    redraw();
  };
  button.addEventListener("click", () => {
    const choice = localStorage.getItem("symbed-theme") ?? "auto";
    localStorage.setItem("symbed-theme", CHOICES[(CHOICES.indexOf(choice) + 1) % 3]);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}

/** Red, green and blue of a color such as #0868ac, from 0 to 255. */
export const rgb = (color) => [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));

/** The colors of the current scheme. */
export function colors() {
  const style = getComputedStyle(document.documentElement);
  const names = ["paper", "card", "ink", "soft", "faint", "line", "grid", "e", "f", "between", "warn", "floor", "sans"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

// Okabe and Ito's palette, on light and on dark ground; shapes tell clusters apart without color.
const PALETTE = {
  light: ["#0868ac", "#c4510c", "#00795a", "#a3528a", "#8a6d00", "#3f8fc4", "#5c6672", "#8c2d04"],
  dark: ["#62b2ec", "#f2a15c", "#3fcf9f", "#e39ac7", "#eedc5a", "#9fd2f7", "#a7b0bb", "#ff9d92"],
};
export const palette = () => PALETTE[document.documentElement.dataset.theme ?? "light"];
