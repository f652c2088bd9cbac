// Small helpers for the page. Text is always set as text: nothing that was typed becomes markup.

export const $ = (id) => document.getElementById(id);

/** An element with properties and children; a string child is text. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("aria-") || name === "role" || name === "for") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A number for people: four significant digits, no noise. */
export function shown(value, digits = 4) {
  if (value === "inf" || value === Infinity) return "\u221e";
  if (value === "-inf" || value === -Infinity) return "\u2212\u221e";
  if (value === "nan" || value === null || Number.isNaN(value)) return "undefined";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-3 ? value.toExponential(digits - 2) : String(Number(value.toPrecision(digits)));
  const [mantissa, exponent] = text.split("e");
  const tidy = exponent ? `${Number(mantissa)}e${Number(exponent)}` : text;
  return tidy.replace("-", "\u2212").replace("e-", "e\u2212");
}

/** A whole number for people, with commas. */
export const counted = (value) => value.toLocaleString("en");

/** A text, cut where it is longer than so many letters. */
export const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

/** Where on an element an event happened, from its upper left corner. */
export function placeOn(element, event) {
  const { left, top } = element.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
}

/** Be called with a file that is chosen in `input` or dropped on `drop`. */
export function onFile(input, drop, take) {
  input.addEventListener("change", async (event) => {
    if (event.target.files[0]) await take(event.target.files[0]);
    input.value = ""; // the same file can be chosen again
  });
  for (const kind of ["dragover", "dragleave", "drop"]) drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
}

/** The call, made once before the next frame, however often it is asked for. */
export function beforeFrame(call) {
  let waiting = 0;
  return () => { waiting ||= requestAnimationFrame(() => { waiting = 0; call(); }); };
}

/** The call, made once after the last of many requests for it. */
export function settle(call, milliseconds) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), milliseconds);
  };
}

/** Numbers of some kind from the base64 of their bytes. */
export function decode(text, Kind = Float64Array) {
  const bytes = Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  return Kind === Uint8Array ? bytes : new Kind(bytes.buffer);
}
