// Coordinates of grids: nested axes, omitted indices, and the zigzag lines of seams.

/** The position of each cell: the last axis goes right, the one before it down, the next right again. */
export function layOut(view, measure) {
  const rank = view.shape.length;
  const heading = rank > 2 ? measure.heading : 0;
  const extent = [...measure.cell];
  const rulers = new Array(rank);
  for (let level = 0; level < rank; level += 1) {
    const k = rank - 1 - level;
    const direction = level % 2;
    const gap = level < 2 ? measure.near[direction] : measure.far[direction] * Math.floor(level / 2);
    rulers[k] = ruler(view.shown[k], view.shape[k], extent[direction], gap, measure.dots[direction]);
    extent[direction] = rulers[k].end;
    if (level === 1) extent[1] += heading;
  }
  const place = (slots) => {
    const at = { x: 0, y: heading };
    slots.forEach((slot, k) => { at[(rank - k) % 2 ? "x" : "y"] += rulers[k].starts[slot]; });
    return at;
  };
  const all = view.shown.map((positions) => positions.length);
  const cells = combinations(all).map(place);
  const dots = [];
  rulers.forEach((it, k) => {
    if (it.dots === null) return;
    const level = rank - 1 - k;
    const counts = all.map((n, i) => (i === k || (level >= 2 && i > k) ? Math.min(n, 1) : n));
    for (const slots of combinations(counts)) {
      const at = place(slots);
      const isDown = level % 2 === 1;
      at[isDown ? "y" : "x"] += it.dots;
      dots.push({ ...at, isDown });
    }
  });
  const tables = rank < 3 ? [] : combinations(all.slice(0, -2)).map((slots) => ({
    ...place([...slots, 0, 0]),
    text: `[${slots.map((slot, k) => view.shown[k][slot]).join(", ")}]`,
  }));
  return { width: extent[0], height: extent[1], cells: view.cells.length ? cells : [], dots, tables, heading };
}

/** Start coordinates along an axis, with dots where indices are omitted. */
function ruler(shown, len, extent, gap, room) {
  const made = { starts: [], dots: null, end: 0 };
  shown.forEach((position, i) => {
    if (i > 0 && position !== shown[i - 1] + 1) {
      made.dots = made.end + gap;
      made.end += gap + room;
    }
    made.starts.push(i === 0 ? 0 : made.end + gap);
    made.end = made.starts.at(-1) + extent;
  });
  if (shown.length && shown.at(-1) + 1 < len) {
    made.dots = made.end + gap;
    made.end += gap + room;
  }
  return made;
}

/** All combinations of slots, the last one varying fastest. */
function combinations(counts) {
  return counts.reduce((lists, n) => lists.flatMap((list) => Array.from({ length: n }, (_, i) => [...list, i])), [[]]);
}

/** The path of a zigzag line. */
export function zigzag(x, y, length, isDown) {
  const n = Math.max(2, Math.floor(length / 7));
  let path = `M${x} ${y}`;
  for (let i = 1; i <= n; i += 1) {
    const along = (length * i) / n;
    const aside = i === n ? 0 : i % 2 ? 3.5 : -3.5;
    path += isDown ? `L${x + aside} ${y + along}` : `L${x + along} ${y + aside}`;
  }
  return path;
}
