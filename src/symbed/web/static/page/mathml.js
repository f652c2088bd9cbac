// Mathematics from the server as elements. Only what the list allows is made.

const SPACE = "http://www.w3.org/1998/Math/MathML";
const ALLOWED = new Set(["mrow", "mi", "mn", "mo", "msup", "msub", "mfrac", "msqrt", "mroot"]);
const SIGNS = new Set(["+", "-", "\u2212"]);
const TALL = "mfrac, msqrt, mroot"; // what parentheses grow around; without a font for mathematics they grow around a y too
const WHOLE = 12; // parts of a row that fit on one line
const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#x27;": "'" };

/** Mathematics that wraps between the terms of a sum; plain text where it is too long to typeset. */
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
  for (const sign of root.querySelectorAll("mo")) if ("()".includes(sign.textContent) && !sign.parentNode.querySelector(TALL)) sign.setAttribute("stretchy", "false");
  const row = root.children.length === 1 && root.firstElementChild.localName === "mrow" ? root.firstElementChild : root;
  return row.children.length > WHOLE ? pieces(row, text) : root;
}

/** One <math> for each term, so that lines break before the signs between them. */
function pieces(row, text) {
  const whole = document.createElement("span");
  whole.setAttribute("role", "math");
  whole.setAttribute("aria-label", text);
  let piece = null;
  for (const part of [...row.childNodes]) {
    const sign = part.localName === "mo" && SIGNS.has(part.textContent);
    if (!piece || (sign && piece.childNodes.length)) {
      piece = whole.appendChild(document.createElementNS(SPACE, "math"));
      piece.setAttribute("aria-hidden", "true");
      whole.append(document.createElement("wbr"));
    }
    if (sign) part.setAttribute("form", "infix"); // at the head of a piece, too
    piece.append(part);
  }
  return whole;
}
