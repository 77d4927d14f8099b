// The editor: a text area over a copy of its lines. The copy is transparent; it has the line numbers, marks of what each
// line does at worst, and the background of the current line. Lines wrap in both in the same way.

import { element } from "./picture.js";
import { bytes } from "./timeline.js";

/** What each line does at worst: `{ kind, text, last }` by line number, with the number of its last step. */
export function marksOf(steps) {
  const marks = new Map();
  steps.forEach((step, i) => {
    const mark = marks.get(step.line) ?? { copied: 0, kinds: new Set() };
    mark.copied += step.bytes_copied;
    mark.kinds.add(step.kind);
    mark.last = i;
    marks.set(step.line, mark);
  });
  for (const mark of marks.values()) {
    if (mark.kinds.has("error")) Object.assign(mark, { kind: "error", text: "fails" });
    else if (mark.copied > 0) Object.assign(mark, { kind: "copy", text: `copies ${bytes(mark.copied)}` });
    else if (mark.kinds.has("in place")) Object.assign(mark, { kind: "in-place", text: "writes in place" });
    else Object.assign(mark, { kind: "", text: "" });
  }
  return marks;
}

/** The line numbers of a text area. Calls `select` with the last step of a line that is clicked. */
export class Editor {
  constructor(area, lines, select) {
    Object.assign(this, { area, lines, select, marks: new Map(), current: 0 });
    area.addEventListener("input", () => this.draw());
    area.addEventListener("scroll", () => this.follow());
    new ResizeObserver(() => this.follow()).observe(area);
  }

  /** Shows the steps of the text. */
  show(steps) {
    this.marks = marksOf(steps);
    this.draw();
  }

  /** Draws the lines of the text; marks are those of the last answer until the next one arrives. */
  draw() {
    const texts = this.area.value.split("\n");
    this.lines.replaceChildren(...texts.map((text, i) => this.line(text, i + 1)));
    this.lines.style.setProperty("--digits", String(texts.length).length);
    this.area.style.setProperty("--digits", String(texts.length).length);
    this.highlight(this.current);
    this.follow();
  }

  line(text, number) {
    const mark = this.marks.get(number);
    const button = element("button", `number ${mark?.kind ?? ""}`, String(number), element("i", ""));
    button.type = "button";
    // Not in the tab order: steps are selected by keyboard in the list of steps.
    button.tabIndex = -1;
    button.disabled = !mark;
    const about = mark?.text ? `Line ${number} ${mark.text}` : `Line ${number}`;
    button.setAttribute("aria-label", about);
    if (mark) {
      button.title = about;
      button.addEventListener("click", () => this.select(mark.last));
    }
    const copy = element("span", "", text || "\u200b");
    copy.setAttribute("aria-hidden", "true");
    return element("div", "line", button, copy);
  }

  /** Marks the line of the current step and scrolls it into view, unless the user is writing. */
  highlight(number) {
    this.current = number;
    [...this.lines.children].forEach((it, i) => it.classList.toggle("current", i + 1 === number));
    const line = this.lines.children[number - 1];
    if (!line || document.activeElement === this.area) return;
    const [top, bottom] = [line.offsetTop - 8, line.offsetTop + line.offsetHeight + 8];
    const { scrollTop, clientHeight } = this.area;
    if (top < scrollTop) this.area.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) this.area.scrollTop = bottom - clientHeight;
  }

  /** Gives the copy the width of the text, without the scroll bar, and its scroll position. */
  follow() {
    const scrollBar = this.area.offsetWidth - this.area.clientWidth;
    this.lines.style.width = `${this.area.getBoundingClientRect().width - scrollBar}px`;
    this.lines.style.top = `${-this.area.scrollTop}px`;
  }
}
