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
