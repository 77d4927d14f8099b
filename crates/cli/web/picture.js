// Pictures of steps: the memory, grids of its views, and the highlighting of equal offsets.

import { layOut, zigzag } from "./grid.js";

/** The colour of an offset, by the same formula as `crates/draw/src/palette.rs`. */
export function colour(at, len) {
  const t = Math.min(Math.max(at / Math.max(len - 1, 1), 0), 1);
  const [l, c, h] = [0.34 + 0.56 * t, 0.095 + 0.065 * t, 275 - 170 * t];
  return { fill: `oklch(${l.toFixed(4)} ${c.toFixed(4)} ${h.toFixed(1)})`, ink: l < 0.555 ? "#fff" : "#000" };
}

/** Creates an HTML element with a class, and text or children. */
export function element(tag, name, ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** The maximum length of a label; longer ones are truncated. */
const MAX_LABEL_LENGTH = 11;

/** The maximum length of an old value in the corner of a cell. */
const MAX_OLD_LENGTH = 7;

const SVG = "http://www.w3.org/2000/svg";

/** The name of a memory: A, B, … */
export const memoryName = (number) => (number < 26 ? String.fromCharCode(65 + number) : `no. ${number + 1}`);

/** A small picture of a grid, for the list of steps. */
export function thumbnail(drawing) {
  const view = drawing.views.at(-1);
  const { cells } = layOut(view, { cell: [6, 6], near: [0, 0], far: [3, 3], dots: [3, 3], heading: 0 });
  const thumb = element("div", "thumb");
  const xs = [...new Set(cells.map((it) => it.x))].sort((a, b) => a - b).slice(0, 8);
  const ys = [...new Set(cells.map((it) => it.y))].sort((a, b) => a - b).slice(0, 8);
  thumb.style.gridTemplateColumns = `repeat(${xs.length}, 5px)`;
  thumb.style.gridAutoRows = "5px";
  view.cells.forEach((cell, i) => {
    const [column, row] = [xs.indexOf(cells[i].x), ys.indexOf(cells[i].y)];
    if (column < 0 || row < 0) return;
    const dot = element("i", cell.style);
    dot.style.gridArea = `${row + 1} / ${column + 1}`;
    if (cell.place !== null) dot.style.background = colour(Number(drawing.at[cell.place]), drawing.memory_len).fill;
    thumb.append(dot);
  });
  return thumb;
}

/** Whether a memory cell was overwritten with another value. */
export function hasChanged({ values, before, written }, place) {
  return Boolean(written?.includes(place)) && (before[place] ?? null) !== null && (values[place] ?? null) !== null
    && values[place] !== before[place];
}

const shortened = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/** A picture in the page. Calls `showCell` with the cell under the pointer. */
export class Picture {
  constructor(drawing, width, showCell) {
    this.drawing = drawing;
    this.showCell = showCell;
    // If all values are equal, offsets are shown instead, except next to old values.
    const isVaried = new Set(drawing.values).size > 1 || drawing.at.length === 1;
    this.labels = isVaried || drawing.at.some((_, i) => hasChanged(drawing, i)) ? drawing.values : [];
    this.letters = Math.max(1, ...drawing.at.map((_, i) => this.label(i).length));
    this.places = [];
    this.cells = [];
    this.root = element("div", "drawing");
    // On a wide page memory and grids are side by side, and the memory takes the width that the grids leave. One row
    // of cells is drawn below one row of memory.
    const isRow = drawing.views.every((view) => view.shape.length < 2) && drawing.at.length > 6;
    const isWide = width > 640 && !isRow;
    const views = this.views(isWide ? width * 0.56 : width - 16);
    const most = Math.max(drawing.at.length * 41 + 48, 240);
    const left = Math.min(Math.max(width - this.widthOfViews - 56, width * 0.36), width * 0.6, most);
    const memory = this.memory((isWide ? left : width) - 16);
    this.root.append(memory, views);
    this.root.style.gridTemplateColumns = isWide ? `${Math.floor(left)}px minmax(0, 1fr)` : "minmax(0, 1fr)";
    this.wires = document.createElementNS(SVG, "svg");
    this.wires.setAttribute("class", "wires");
    this.root.append(this.wires);
    this.root.addEventListener("pointerover", (event) => this.highlight(event.target.closest(".cell")));
    this.root.addEventListener("pointerleave", () => this.highlight(null));
    this.root.addEventListener("focusin", (event) => this.highlight(event.target.closest(".cell")));
    this.root.addEventListener("focusout", () => this.highlight(null));
    this.root.addEventListener("keydown", (event) => this.walk(event));
  }

  label(place) {
    return this.labels[place] ?? this.drawing.at[place];
  }

  widthOfCell(room, columns) {
    const { letters } = this;
    const fits = Math.floor(room / Math.max(columns, 1)) - 4;
    const needed = letters > 5 ? Math.min(letters, MAX_LABEL_LENGTH) * 6.1 + 9 : letters * 8 + 10;
    return Math.max(Math.ceil(needed), Math.min(Math.max(fits, 30), 38));
  }

  cell(place, name) {
    const made = element("div", `cell ${name}`);
    made.tabIndex = -1;
    made.setAttribute("role", "img");
    if (place !== null) {
      const { fill, ink } = colour(Number(this.drawing.at[place]), this.drawing.memory_len);
      made.style.setProperty("--c", fill);
      made.style.setProperty("--on", ink);
      made.append(shortened(this.label(place), MAX_LABEL_LENGTH));
      if (this.letters > 5) made.classList.add("long");
    }
    return made;
  }

  memory(room) {
    const { at, visits, memory, memory_len: len, is_new: isNew, written, before } = this.drawing;
    const size = len === "1" ? "1 element" : `${Number(len).toLocaleString("en")} elements`;
    const panel = element("div", `panel memory${isNew ? " new" : ""}`,
      element("h3", "", isNew ? "new memory " : "memory ", element("b", "", memoryName(memory)), ` · ${size}`));
    const width = this.widthOfCell(room - 24, 12);
    const strip = element("div", written ? "strip overwritten" : "strip");
    const addressWidth = Math.max(...at.map((it) => it.length), 1) * 7 + 8;
    const fits = Math.max(1, Math.floor((room - addressWidth) / (width + (written ? 6 : 3))));
    const columns = at.length <= fits ? at.length : fits >= 8 ? fits - (fits % 4) : fits;
    strip.style.gridTemplateColumns = `${addressWidth}px repeat(${Math.max(columns, 1)}, ${width}px)`;
    let column = columns;
    const put = (made) => { strip.append(made); column += 1; };
    at.forEach((address, i) => {
      const isGap = i > 0 && BigInt(address) !== BigInt(at[i - 1]) + 1n;
      if (isGap && column < columns) put(element("div", "dots", "…"));
      if (column >= columns) {
        strip.append(element("div", "address", address));
        column = 0;
      }
      const made = this.cell(i, visits[i] === 0 ? "unused" : "place");
      if (visits[i] > 1) made.append(element("span", "times", `×${visits[i]}`));
      const isChanged = hasChanged(this.drawing, i);
      if (written?.includes(i)) made.classList.add("written");
      if (isChanged) made.append(element("s", "was", shortened(before[i], MAX_OLD_LENGTH)));
      made.setAttribute("aria-label", `offset ${address}${isChanged ? `, was ${before[i]}` : ""}`);
      this.places.push(made);
      put(made);
    });
    if (this.places.length) this.places[0].tabIndex = 0;
    panel.append(element("div", "scroll", strip));
    return panel;
  }

  views(room) {
    this.widthOfViews = 0;
    const panels = this.drawing.views.map((view) => this.view(view, room));
    this.widthOfViews += 40 * (panels.length - 1);
    const made = element("div", "views", ...panels);
    const seam = this.drawing.views.find((view) => view.seam)?.seam;
    if (!seam) return made;
    const bold = (text) => element("b", "", text);
    const [outer, inner] = seam.axes;
    made.append(element("p", "jump", "Seam between offsets ", bold(seam.from), " and ", bold(seam.to), `: axis ${outer} has stride `,
      bold(seam.stride), `; to merge with axis ${inner} it would need `, bold(seam.needed), `, and new axis ${seam.new_axis} crosses the seam.`));
    return made;
  }

  view(view, room) {
    const columns = view.shown.filter((_, k) => (view.shown.length - k) % 2).reduce((n, it) => n * it.length, 1);
    const width = this.widthOfCell(room - 24 * (view.shape.length > 2), columns);
    const measure = { cell: [width, 34], near: [4, 4], far: [20, 16], dots: [22, 22], heading: 25 };
    const paper = layOut(view, measure);
    const grid = element("div", "grid");
    grid.style.width = `${paper.width}px`;
    grid.style.height = `${paper.height}px`;
    for (const table of paper.tables) grid.append(at(element("div", "table", table.text), table.x, table.y - paper.heading + 3));
    for (const { x, y, isDown } of paper.dots) {
      const mark = at(element("div", "dots", isDown ? "⋮" : "…"), x, y);
      mark.style.width = `${isDown ? width : 22}px`;
      mark.style.height = `${isDown ? 22 : 34}px`;
      grid.append(mark);
    }
    const made = view.cells.map((cell, i) => {
      const drawn = at(this.cell(cell.place, cell.style), paper.cells[i].x, paper.cells[i].y);
      drawn.style.width = `${width}px`;
      drawn.setAttribute("aria-label", `[${cell.index.join(", ")}] ${cell.sum}`);
      Object.assign(drawn, { cell, view, paper: paper.cells[i] });
      this.cells.push(drawn);
      return drawn;
    });
    if (made.length) made[0].tabIndex = 0;
    grid.append(...made);
    const reduced = this.reducedAxes(view);
    const panel = element("div", "panel view", element("h3", "", element("b", "", view.title), ` ${view.note}`, reduced && element("em", "", reduced)),
      view.cells.length ? element("div", "scroll", grid) : element("p", "", "no elements"));
    if (view.seam) grid.append(this.seams(view, paper, width));
    this.widthOfViews += Math.max(paper.width, (view.title.length + view.note.length + 1 + (reduced ?? "").length) * 8);
    return panel;
  }

  /** The axes of an operand that the result does not have, with the direction in which they are drawn. */
  reducedAxes(view) {
    const axes = this.drawing.reads?.reduced ?? [];
    if (!axes.length) return null;
    const names = axes.map((k) => `${k} ${(view.shape.length - k) % 2 ? "→" : "↓"}`);
    return ` · along ${axes.length > 1 ? "axes" : "axis"} ${names.join(", ")}`;
  }

  /** Zigzag lines at the seams. */
  seams(view, paper, width) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "seams");
    svg.setAttribute("width", paper.width);
    svg.setAttribute("height", paper.height);
    const rowLength = view.shown.at(-1)?.length ?? 1;
    view.cells.forEach((cell, i) => {
      if (!cell.seam) return;
      const { x, y } = paper.cells[i];
      const isFirst = (cell.index.at(-1) ?? 0) === 0;
      const last = paper.cells[i + rowLength - 1] ?? paper.cells[i];
      const path = isFirst ? zigzag(x - 3, y - 2, last.x + width - x + 6, false) : zigzag(x - 2, y - 3, 40, true);
      for (const name of ["halo", "edge"]) {
        const line = document.createElementNS(SVG, "path");
        line.setAttribute("class", name);
        line.setAttribute("d", path);
        svg.append(line);
      }
    });
    return svg;
  }

  /** Highlights a cell and all cells with the same offset. */
  highlight(target) {
    if (target === this.highlighted) return;
    this.highlighted = target;
    for (const lit of this.root.querySelectorAll(".lit")) lit.classList.remove("lit", "source");
    this.wires.replaceChildren();
    this.root.classList.toggle("looking", Boolean(target));
    if (!target) return this.showCell(null);
    const isPlace = this.places.includes(target);
    const place = isPlace ? this.places.indexOf(target) : target.cell?.place;
    const sameElement = place === null || place === undefined ? [] : this.cells.filter((it) => it.cell.place === place);
    target.classList.add("lit", "source");
    sameElement.forEach((it) => it.classList.add("lit"));
    if (!isPlace && sameElement.length) {
      this.places[place].classList.add("lit");
      bringIntoView(this.places[place]);
    }
    const lines = isPlace ? sameElement.map((it) => [target, it]) : sameElement.length ? [[this.places[place], target]] : [];
    lines.forEach(([from, to]) => this.wire(from, to));
    this.showCell(isPlace ? { place, sameElement, drawing: this.drawing } : { cell: target.cell, view: target.view, place, sameElement, drawing: this.drawing });
  }

  /** Highlights the cells whose index passes a test, for a cell of another picture; `null` ends it. */
  mark(test) {
    for (const lit of this.root.querySelectorAll(".lit")) lit.classList.remove("lit", "source");
    this.root.classList.toggle("looking", Boolean(test));
    const found = test ? this.cells.filter((it) => test(it.cell.index)) : [];
    for (const it of found) {
      it.classList.add("lit");
      this.places[it.cell.place]?.classList.add("lit");
    }
  }

  wire(from, to) {
    const frame = this.root.getBoundingClientRect();
    const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
    const isRight = b.left > a.right;
    const start = isRight ? [a.right, a.top + a.height / 2] : [a.left + a.width / 2, a.bottom];
    const end = isRight ? [b.left, b.top + b.height / 2] : [b.left + b.width / 2, b.top];
    const [x1, y1, x2, y2] = [start[0] - frame.left, start[1] - frame.top, end[0] - frame.left, end[1] - frame.top];
    const bend = isRight ? [(x1 + x2) / 2, y1, (x1 + x2) / 2, y2] : [x1, (y1 + y2) / 2, x2, (y1 + y2) / 2];
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", `M${x1} ${y1}C${bend.join(" ")} ${x2} ${y2}`);
    this.wires.append(path);
  }

  /** Moves the focus to the next cell in the direction of an arrow key. */
  walk(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    const here = event.target.closest?.(".cell");
    if (!way || !here || event.altKey || event.ctrlKey || event.metaKey) return;
    const group = here.cell ? this.cells.filter((it) => it.view === here.view) : this.places;
    const from = here.getBoundingClientRect();
    const ahead = group.map((it) => [it, it.getBoundingClientRect()]).filter(([, to]) => (way[0]
      ? Math.abs(to.top - from.top) < 2 && (to.left - from.left) * way[0] > 1
      : Math.abs(to.left - from.left) < 2 && (to.top - from.top) * way[1] > 1));
    event.preventDefault();
    const distance = ([, to]) => Math.abs(to.left - from.left) + Math.abs(to.top - from.top);
    const nearest = ahead.sort((a, b) => distance(a) - distance(b))[0]?.[0];
    if (!nearest) return;
    here.tabIndex = -1;
    nearest.tabIndex = 0;
    nearest.focus();
  }

  /** The screen position of each offset in the last grid: the start of the animation of the next picture. */
  positions() {
    const found = new Map();
    for (const it of this.cells) {
      if (it.cell.place !== null && it.cell.style === "plain") {
        found.set(`${this.drawing.memory}:${this.drawing.at[it.cell.place]}`, it.getBoundingClientRect());
      }
    }
    return found;
  }

  /** Animates cells from the previous position of their offset. */
  animateFrom(before) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const it of this.cells) {
      const key = it.cell.place !== null && `${this.drawing.memory}:${this.drawing.at[it.cell.place]}`;
      const [from, to] = [before.get(key), it.getBoundingClientRect()];
      const frames = from
        ? [{ transform: `translate(${from.left - to.left}px, ${from.top - to.top}px)` }, { transform: "none" }]
        : [{ opacity: 0, transform: "scale(.8)" }, { opacity: 1, transform: "none" }];
      it.animate(frames, { duration: 380, easing: "cubic-bezier(.2, .7, .2, 1)" });
    }
  }
}

/** Scrolls the memory panel until a cell is visible. */
function bringIntoView(place) {
  const frame = place.closest(".scroll");
  const [inner, outer] = [place.getBoundingClientRect(), frame.getBoundingClientRect()];
  if (inner.top < outer.top + 4) frame.scrollTop += inner.top - outer.top - 40;
  if (inner.bottom > outer.bottom - 4) frame.scrollTop += inner.bottom - outer.bottom + 40;
}

function at(made, x, y) {
  made.style.left = `${x}px`;
  made.style.top = `${y}px`;
  return made;
}
