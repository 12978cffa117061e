// Labels that overlap nothing: a greedy search over places around each mark, the most crowded mark first, then a second look.
const touches = (a, b, gap = 0) => a.x - gap < b.x + b.w && b.x - gap < a.x + a.w && a.y - gap < b.y + b.h && b.y - gap < a.y + a.h;
const inside = (a, b) => a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h;

/** Does the segment from (x1, y1) to (x2, y2) cross a box? (Liang-Barsky) */
function crosses(s, box) {
  const dx = s.x2 - s.x1, dy = s.y2 - s.y1;
  let from = 0, to = 1;
  for (const [p, q] of [[-dx, s.x1 - box.x], [dx, box.x + box.w - s.x1], [-dy, s.y1 - box.y], [dy, box.y + box.h - s.y1]]) {
    if (p === 0) { if (q < 0) return false; continue; }
    const r = q / p;
    if (p < 0) from = Math.max(from, r); else to = Math.min(to, r);
    if (from > to) return false;
  }
  return true;
}

/** Do two segments cross? */
function meet(a, b) {
  const turn = (p, q, r, s, t, u) => Math.sign((r - p) * (u - q) - (s - q) * (t - p));
  return turn(a.x1, a.y1, a.x2, a.y2, b.x1, b.y1) !== turn(a.x1, a.y1, a.x2, a.y2, b.x2, b.y2)
    && turn(b.x1, b.y1, b.x2, b.y2, a.x1, a.y1) !== turn(b.x1, b.y1, b.x2, b.y2, a.x2, a.y2);
}

const NEAR = 18; // a label nearer than this needs no line to its mark
const BADGE = 15; // and one farther repeats the mark before the name
const around = [];
for (let far = 5; far < 420; far += far < 40 ? 5 : 14) {
  const turns = far < 20 ? 16 : 28;
  for (let k = 0; k < turns; k++) around.push([far, (k / turns) * 2 * Math.PI]);
}

/** Where the label of a mark stands at one place: its box, and the line from the mark to it. */
function placedAt(item, far, angle) {
  const cos = Math.cos(angle), sin = Math.sin(angle), reach = item.r + far;
  const w = item.w + (far < NEAR ? 0 : BADGE);
  const x = item.x + cos * (reach + w / 2) - w / 2, y = item.y + sin * (reach + item.h / 2) - item.h / 2;
  const box = {x, y, w, h: item.h};
  const leader = far < NEAR ? null : {x1: item.x + cos * (item.r - 2), y1: item.y + sin * (item.r - 2),
    x2: Math.max(x, Math.min(item.x, x + w)), y2: Math.max(y, Math.min(item.y, y + item.h))};
  return {box, leader, far};
}

/**
 * Places for labels of marks.
 * items: [{x, y, r, w, h}] marks with their labels' sizes; walls: boxes to keep off; lines: segments better not covered;
 * bounds: the box all must be in. Returns [{box, leader}] in the items' order.
 */
function placed(items, walls, lines, bounds) {
  const marks = items.map((item) => ({x: item.x - item.r, y: item.y - item.r, w: 2 * item.r, h: 2 * item.r}));
  const result = items.map(() => null);
  const crowd = items.map((item) => items.reduce((sum, other) => sum + 1 / (30 + Math.hypot(item.x - other.x, item.y - other.y)), 0));
  const order = items.map((_, k) => k).sort((a, b) => crowd[b] - crowd[a]);
  const cost = (place, k) => {
    if (!inside(place.box, bounds)) return Infinity;
    if (marks.some((mark) => touches(mark, place.box, 2)) || walls.some((wall) => touches(wall, place.box, 2))) return Infinity;
    if (result.some((other, j) => j !== k && other && touches(other.box, place.box, 3))) return Infinity;
    let sum = place.far + 5 * Math.abs(place.box.y + place.box.h / 2 - items[k].y) / (place.far + 20);
    for (const one of lines) if (crosses(one, place.box)) sum += 14;
    for (let j = 0; j < items.length; j++) {
      if (j === k) continue;
      const near = Math.hypot(items[j].x - place.box.x - place.box.w / 2, items[j].y - place.box.y - place.box.h / 2);
      if (near < Math.hypot(items[k].x - place.box.x - place.box.w / 2, items[k].y - place.box.y - place.box.h / 2) && !place.leader) sum += 25;
      if (place.leader && crosses(place.leader, marks[j])) sum += 60;
      const other = result[j];
      if (!other) continue;
      if (place.leader && crosses(place.leader, other.box)) sum += 120;
      if (other.leader && crosses(other.leader, place.box)) sum += 120;
      if (place.leader && other.leader && meet(place.leader, other.leader)) sum += 80;
    }
    return sum;
  };
  for (let look = 0; look < 3; look++) {
    for (const k of order) {
      let best = result[k], least = best ? cost(best, k) : Infinity;
      for (const [far, angle] of around) {
        if (far > least) break;
        const place = placedAt(items[k], far, angle), sum = cost(place, k);
        if (sum < least) [best, least] = [place, sum];
      }
      result[k] = best;
    }
  }
  return result;
}
