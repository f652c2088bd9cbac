// Mathematics from the server as elements. Only what the list allows is made.

const SPACE = "http://www.w3.org/1998/Math/MathML";
const ALLOWED = new Set(["mrow", "mi", "mn", "mo", "msup", "msub", "mfrac", "msqrt", "mroot"]);
const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#x27;": "'" };

/** A <math> element; plain text where the formula is too long to typeset. */
export function mathematics(written, text) {
  if (!written) {
    const code = document.createElement("code");
    code.textContent = text;
    return code;
  }
  const root = document.createElementNS(SPACE, "math");
  let here = root;
  for (const part of written.match(/<[^>]+>|[^<]+/g)) {
    const tag = /^<(\/?)([a-z]+)>$/.exec(part);
    if (!tag) here.append(part.replace(/&[#a-z0-9]+;/g, (entity) => ENTITIES[entity] ?? ""));
    else if (tag[1]) here = here.parentNode;
    else if (ALLOWED.has(tag[2])) here = here.appendChild(document.createElementNS(SPACE, tag[2]));
    else throw new Error(`unexpected ${tag[2]}`);
  }
  root.setAttribute("aria-label", text);
  return root;
}
