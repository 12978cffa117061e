// Texts and numbers as they are shown. Judged text is data: what would steer a screen is shown as a sign and never obeyed.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;
const LONG = 60000;

/** The visible stand-in of one control, format or direction character: U+2400 pictures, else its number. */
function standIn(c) {
  const code = c.codePointAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `⟦U+${code.toString(16).toUpperCase().padStart(4, "0")}⟧`;
}

/** A text as a string in which nothing is hidden. */
function shown(text) {
  return String(text).replace(/\r\n/g, "\n").replace(UNSEEN, standIn);
}

/** The same on one line, for names and titles. */
function line(text) {
  return shown(text).replace(/\s+/g, " ");
}

/** A text as nodes, its stand-ins set apart so that they can't be taken for the text's own signs. */
function nodes(text) {
  const made = document.createDocumentFragment();
  const whole = String(text).replace(/\r\n/g, "\n");
  let from = 0;
  for (const found of whole.matchAll(UNSEEN)) {
    if (found.index > from) made.append(whole.slice(from, found.index));
    made.append(h("span", {class: "ctl"}, standIn(found[0])));
    from = found.index + found[0].length;
  }
  made.append(whole.slice(from));
  return made;
}

const known = (v) => v !== null && v !== undefined && Number.isFinite(v);
const value = (v) => (Array.isArray(v) && known(v[0]) ? v[0] : null);
const num = (v, digits = 2) => (known(v) ? v.toFixed(digits).replace(/^-(?=0(\.0*)?$)/, "").replace("-", "\u2212") : "\u2013");
const signed = (v) => (known(v) && v > 0 ? "+" : "") + num(v);
const count = (n) => Number(n).toLocaleString("en-US");
const many = (n, one, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`;
const range = (v, digits = 2) => (v && known(v[1]) && known(v[2]) ? `[${num(v[1], digits)}, ${num(v[2], digits)}]` : "");
const withRange = (v) => `${num(value(v))} ${range(v)}`.trim();
const pvalue = (p) => (!known(p) ? "\u2013" : p < 0.001 ? "< 0.001" : p >= 0.1 ? p.toFixed(2) : p.toPrecision(2));
const VERDICTS = {"-2": "A>>B", "-1": "A>B", 0: "A=B", 1: "B>A", 2: "B>>A"};
const verdictWord = (v) => (known(v) ? VERDICTS[Math.max(-2, Math.min(2, v))] : "none");
