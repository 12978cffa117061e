// Deep links: what is open stands in the address after `#`, so that it can be sent, and back and forward work.
const ORDERS = ["AB", "BA"];
const link = {domain: "", row: null, judge: null, order: null};

/** Reads the address. Returns the name of a part to go to (`#table`), if it is that kind of address. */
function readLink() {
  const hash = location.hash.slice(1);
  Object.assign(link, {domain: "", row: null, judge: null, order: null});
  if (hash && !hash.includes("=")) return hash;
  for (const part of hash.split("&")) {
    const at = part.indexOf("=");
    const [name, text] = [part.slice(0, at), decoded(part.slice(at + 1))];
    if (at < 0 || !(name in link)) continue;
    link[name] = name === "order" ? (ORDERS.includes(text) ? ORDERS.indexOf(text) : null) : text;
  }
  return null;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function written() {
  const parts = Object.entries(link).filter(([, set]) => set !== null && set !== "").map(([name, set]) => `${name}=${encodeURIComponent(name === "order" ? ORDERS[set] : set)}`);
  return parts.length ? `#${parts.join("&")}` : "";
}

/** Changes what the address says; `push`: as a step that "back" undoes. */
function relink(changes, push) {
  Object.assign(link, changes);
  const url = location.href.split("#")[0] + written();
  if (url === location.href) return;
  history[push ? "pushState" : "replaceState"](null, "", url);
}
