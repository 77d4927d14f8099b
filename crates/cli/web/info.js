// The line below a picture about the cell under the pointer, and the legend.

import { colour, element, hasChanged, memoryName } from "./picture.js";

const $ = (id) => document.getElementById(id);
const HINT = "Point at a cell, or move with the arrow keys: the same element is highlighted in memory and view, with its offset.";

/** Describes the cell under the pointer. */
export function showCell(selection) {
  $("info").classList.toggle("busy", Boolean(selection));
  if (!selection) return $("info").replaceChildren(element("span", "hint", HINT));
  const { drawing, place, cell, sameElement } = selection;
  const bold = (text) => element("b", "", text);
  const index = (it) => element("b", "index", `[${it.index.join(", ")}]`);
  const made = [];
  if (cell && place === null) made.push(index(cell), " is padding: it has no memory");
  else if (cell) {
    made.push(index(cell), " is at offset ", bold(drawing.at[place]), ": ", bold(cell.sum), value(drawing, place));
    made.push(...sources(drawing, cell));
    if (sameElement.length > 1) made.push(` · at ${sameElement.length} of the indices shown`);
  } else {
    made.push("offset ", bold(drawing.at[place]), " of memory ", bold(memoryName(drawing.memory)), value(drawing, place));
    const shown = sameElement.slice(0, 6).flatMap((it, i) => [i ? ", " : " · at index ", index(it.cell)]);
    made.push(...(sameElement.length ? shown : [drawing.visits[place] === 0 ? " · not part of this view" : " · at indices that are not shown"]));
    if (sameElement.length > 6) made.push(" …");
  }
  $("info").replaceChildren(...made);
  return undefined;
}

function value(drawing, place) {
  const text = drawing.values[place];
  const old = hasChanged(drawing, place) ? ` · was ${drawing.before[place]}` : "";
  return text === null || text === undefined ? "" : ` · value ${text}${old}`;
}

/** Explains the styles of the cells of a picture. */
export function legend(drawing) {
  $("legend").replaceChildren();
  if (!drawing) return;
  const stops = Array.from({ length: 9 }, (_, i) => colour(i, 9).fill).join(", ");
  const ramp = element("span", "ramp");
  ramp.style.background = `linear-gradient(90deg, ${stops})`;
  const entries = [element("span", "", "lowest offset", ramp, "highest")];
  const cells = drawing.views.flatMap((view) => view.cells);
  const sample = (style) => {
    const made = element("span", `cell ${style}`);
    made.style.setProperty("--c", colour(3, 9).fill);
    return made;
  };
  const styles = { repeated: "same element again", window: "also in an earlier window", padding: "padding" };
  for (const [style, text] of Object.entries(styles)) {
    if (cells.some((it) => it.style === style)) entries.push(element("span", "", sample(style), text));
  }
  if (drawing.visits.includes(0)) entries.push(element("span", "", sample("unused"), "not in this view"));
  if (drawing.written) {
    entries.push(element("span", "", sample("written"), "written in place"));
    if (drawing.written.some((i) => hasChanged(drawing, i))) entries.push(element("span", "", element("s", "was", "3"), "value before"));
  }
  $("legend").append(...entries);
}

/** The parts of the operands that an element was computed from: `x[:, 1]`. Only for results with fewer axes. */
function sources(drawing, { index }) {
  const from = (drawing.operands ?? []).filter((it) => it.reads?.reduced.length).map(({ reads, views: [view] }, k) => {
    const at = view.shape.map((n, axis) => {
      const pair = reads.kept.find(([own]) => own === axis);
      return pair ? index[pair[1]] : n === 1 ? 0 : ":";
    });
    return `${view.title.length > 16 ? `operand ${k + 1} ` : view.title}[${at.join(", ")}]`;
  });
  return from.length ? [" · from ", element("b", "", from.join(" and "))] : [];
}
