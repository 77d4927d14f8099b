// The playground page: sends the program to the server, and shows the steps as cards and pictures.

import { Editor } from "./editor.js";
import { EXAMPLES } from "./examples.js";
import { legend, showCell } from "./info.js";
import { Picture, element, thumbnail } from "./picture.js";
import { chart, summary } from "./timeline.js";

const $ = (id) => document.getElementById(id);
const state = { steps: [], source: "", current: 0, picture: null, operands: [], request: null, timer: 0 };
const editor = new Editor($("source"), $("lines"), (i) => go(i));

const KINDS = {
  view: "view", copy: "copy", new: "new memory", "in place": "in place", import: "imported", export: "exported",
  refused: "refused", error: "error", value: "value",
};

// ---------------------------------------------------------------- requests

async function explain() {
  const source = $("source").value;
  const as = document.querySelector("[name=as]:checked").value;
  remember(source, as);
  state.request?.abort();
  state.request = new AbortController();
  try {
    const answer = await fetch("api/explain", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ source, as: as || null }),
      signal: state.request.signal,
    });
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.error ?? `the server responded with status ${answer.status}`);
    showError(null);
    show(body, source);
  } catch (error) {
    if (error.name === "AbortError") return;
    showError(error instanceof TypeError ? "The server does not respond. Is `belvedere play` still running?" : error.message);
  }
}

function showError(text) {
  $("error").hidden = !text;
  $("error").textContent = text ?? "";
}

// ---------------------------------------------------------------- the URL of the page

function remember(source, as) {
  const parameters = new URLSearchParams({ expr: source });
  if (as) parameters.set("as", as);
  history.replaceState(null, "", `#${parameters}`);
}

function recall() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  $("source").value = parameters.get("expr") ?? EXAMPLES[0].source;
  editor.draw();
  const option = document.querySelector(`[name=as][value="${CSS.escape(parameters.get("as") ?? "")}"]`);
  if (option) option.checked = true;
}

async function share() {
  const url = location.href;
  try {
    await navigator.clipboard.writeText(url);
    $("share").textContent = "Link copied";
  } catch {
    prompt("The URL of this program:", url);
  }
  setTimeout(() => { $("share").textContent = "Copy link"; }, 1600);
}

// ---------------------------------------------------------------- the list of steps

function show(report, source) {
  state.steps = report.steps;
  state.source = source;
  state.current = Math.max(report.steps.length - 1, 0);
  $("steps").replaceChildren(...report.steps.map((step, i) => element("li", "", card(step, i))));
  editor.show(report.steps);
  $("stage").hidden = report.steps.length === 0;
  if (report.steps.length) go(state.current);
}

function card(step, i) {
  const made = element("button", "step");
  made.type = "button";
  const thumb = step.drawing && step.kind !== "error" ? thumbnail(step.drawing) : element("div", "thumb", element("b", "", step.kind === "error" ? "✕" : "="));
  const [before, call] = cut(step);
  const name = step.name ? `${step.name} = ` : "";
  const isNumbered = state.source.trim().includes("\n");
  if (isNumbered) {
    made.classList.add("numbered");
    made.append(element("span", "where", String(step.line)));
  }
  made.append(thumb, element("span", "call", element("em", "", name + (before ? "…" : "")), call || step.expr), badge(step),
    element("span", "small", small(step)));
  made.title = `${isNumbered ? `line ${step.line}: ` : ""}${name}${step.expr}`;
  made.addEventListener("click", () => go(i));
  return made;
}

/** Whether a step failed because it would need a copy. */
const isRefused = ({ kind, drawing, error }) => kind === "error" && (drawing || /copies are forbidden/.test(error.message));

const badge = (step) => element("span", `badge ${step.kind.replace(" ", "-")}`, KINDS[isRefused(step) ? "refused" : step.kind]);

function small(step) {
  if (step.kind === "error") return step.error.message.split("\n")[0];
  if (step.kind === "value") return String(step.value);
  const strides = step.strides ? ` · strides [${step.strides.join(", ")}]` : " · lens";
  return `[${step.shape.join(", ")}]${strides}`;
}

/** Splits the source of a step into the expression before the call, and the call. */
function cut(step) {
  const bytes = new TextEncoder().encode(state.source);
  const call = new TextDecoder().decode(bytes.slice(step.span[0], step.span[1]));
  return step.expr.endsWith(call) && call ? [step.expr.slice(0, step.expr.length - call.length), call] : ["", step.expr];
}

// ---------------------------------------------------------------- one step

function go(i) {
  const n = state.steps.length;
  if (!n) return;
  state.current = Math.min(Math.max(i, 0), n - 1);
  const step = state.steps[state.current];
  [...$("steps").querySelectorAll(".step")].forEach((it, k) => {
    if (k === state.current) {
      it.setAttribute("aria-current", "step");
      $("steps").scrollLeft = it.parentElement.offsetLeft - ($("steps").clientWidth - it.offsetWidth) / 2;
    } else it.removeAttribute("aria-current");
  });
  Object.assign($("slider"), { max: n, value: state.current + 1, disabled: n < 2 });
  $("previous").disabled = state.current === 0;
  $("next").disabled = state.current === n - 1;
  $("count").textContent = `step ${state.current + 1} of ${n}`;
  editor.highlight(step.line);
  timeline();
  title(step);
  $("facts").replaceChildren(...facts(step));
  $("messages").replaceChildren(...messages(step));
  picture(step);
  $("more").replaceChildren(...more(step));
}

function timeline() {
  const { steps, current } = state;
  $("timeline").hidden = steps.length < 2 || steps.every((it) => it.peak_bytes === 0 && it.live_bytes === 0);
  if ($("timeline").hidden) return $("timeline").replaceChildren();
  const { now, peak } = summary(steps, current);
  const drawn = chart(steps, current, Math.min($("stage").clientWidth - 48, 460), go);
  $("timeline").replaceChildren(drawn, element("p", "", element("span", "now", now), element("span", "peak", peak)));
  return undefined;
}

function title(step) {
  const [before, call] = cut(step);
  const name = step.name ? [element("span", "name", step.name), " = "] : [];
  $("expr").replaceChildren(...name, element("span", "before", before), call);
}

function facts(step) {
  const fact = (name, ...value) => element("span", "fact", ...(name ? [element("i", "", name)] : []), ...value);
  const list = (values) => element("span", "mono", `[${values.join(", ")}]`);
  const made = [badge(step)];
  if (["view", "in place"].includes(step.kind) && !step.bytes_copied) made.push(fact("", "0 bytes copied"));
  if (step.bytes_copied > 0) made.push(fact("copied", `${Number(step.bytes_copied).toLocaleString("en")} bytes`));
  if (!step.shape) return made;
  made.push(fact("shape", list(step.shape)));
  if (step.strides) {
    made.push(fact("strides", list(step.strides)), fact("offset", element("span", "mono", String(step.offset))));
    made.push(fact("contiguous", step.contiguous ? "yes" : "no"));
  } else made.push(fact("strides", "none: a lens"));
  if (step.shares_with.length) made.push(fact("shares memory with", ...step.shares_with.flatMap((k, i) => (i ? [", ", link(k)] : [link(k)]))));
  return made;
}

/** A button that goes to a step. */
function link(k) {
  const made = element("button", "", state.steps[k].name ?? `step ${k + 1}`);
  made.type = "button";
  made.style.padding = "0 .4rem";
  made.addEventListener("click", () => go(k));
  return made;
}

function messages(step) {
  const made = [];
  if (step.error) {
    const [first, ...rest] = step.error.message.split("\n");
    const message = element("div", "message", element("div", "lead", first), place(step.error.span), ...rest.map((line) => element("div", "", line.trim())));
    if (step.error.help.length) message.append(element("ul", "", ...step.error.help.map((line) => element("li", "", line))));
    made.push(message);
  } else if (step.kind === "copy" && step.drawing?.because) {
    made.push(element("div", "message copy", element("div", "lead", "No view of that shape exists, so the elements were copied."), "The reason is drawn below."));
  }
  for (const remark of step.remarks ?? []) made.push(element("div", "message remark", remark));
  if (step.kind === "value") made.push(element("div", "value", String(step.value)));
  return made;
}

/** The line of the source with the span of an error marked. */
function place([start, end]) {
  const bytes = new TextEncoder().encode(state.source);
  const text = (from, to) => new TextDecoder().decode(bytes.slice(from, to));
  const before = text(0, start);
  const marked = text(start, end);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  // An unexpected end of a line is marked as a blank; the next line is not part of it.
  const after = marked.endsWith("\n") ? "" : text(end).split("\n")[0];
  return element("code", "place", line, element("mark", "", marked.trim() ? marked : "␣"), after);
}

function picture(step) {
  const before = state.picture?.positions() ?? new Map();
  const { drawing } = step;
  Object.assign(state, { picture: null, operands: [] });
  $("picture").replaceChildren();
  $("operands").replaceChildren();
  $("info").hidden = !drawing;
  showCell(null);
  legend(drawing);
  if (!drawing) return;
  // Operands with other shapes than the result come before it.
  if (["reduction", "product"].includes(drawing.computation)) {
    const caption = element("p", "caption", "↓ ", element("b", "", step.op.replace(/^(numpy|torch)_/, "")));
    $("operands").append(operands(drawing), caption);
  }
  state.picture = new Picture(drawing, $("picture").clientWidth, pointAtResult);
  $("picture").append(state.picture.root);
  state.picture.animateFrom(before);
}

/** The pictures of the operands, side by side if there is room. */
function operands(drawing) {
  const width = $("picture").clientWidth;
  const isWide = width > 640 && drawing.computation === "product";
  const box = element("div", isWide ? "operands wide" : "operands");
  state.operands = drawing.operands.map((operand) => {
    const made = new Picture(operand, isWide ? (width - 40) / 2 : width, (selection) => pointAtOperand(operand, selection));
    box.append(made.root);
    return made;
  });
  const n = drawing.more_operands;
  if (n) box.append(element("p", "hint", n === 1 ? "and one more operand" : `and ${n} more operands`));
  return box;
}

function more(step) {
  const made = [];
  const { because, computation } = step.drawing ?? {};
  if (because) {
    const box = element("details", "", element("summary", "", "Why a copy? The new shape crosses a seam"));
    box.open = true;
    box.append(new Picture(because, $("picture").clientWidth, showCell).root);
    made.push(box);
  }
  if (["elementwise", "other"].includes(computation)) {
    const isBroadcast = step.drawing.operands.some((it) => it.views[0].cells.some((cell) => cell.style === "repeated"));
    const isOne = step.drawing.operands.length === 1;
    const name = computation === "elementwise" && isBroadcast ? "Operands, broadcast to the shape of the result" : isOne ? "Operand" : "Operands";
    const box = element("details", "", element("summary", "", name), operands(step.drawing));
    box.open = true;
    made.push(box);
  }
  if (step.plan) made.push(element("details", "", element("summary", "", "Loop nest"), element("pre", "", step.plan)));
  return made;
}

/** Whether an element of the result was computed from an element of an operand. */
const isRead = ({ reads }, result, operand) => reads.kept.every(([from, to]) => operand[from] === result[to]);

/** The cells that a selection is about. */
const cellsOf = (selection) => (selection?.cell ? [selection.cell] : (selection?.sameElement ?? []).map((it) => it.cell));

function pointAtResult(selection) {
  showCell(selection);
  const cells = cellsOf(selection);
  for (const it of state.operands) {
    it.mark(cells.length && it.drawing.reads ? (index) => cells.some((cell) => isRead(it.drawing, cell.index, index)) : null);
  }
}

function pointAtOperand(operand, selection) {
  showCell(selection);
  const cells = cellsOf(selection);
  state.picture?.mark(cells.length && operand.reads ? (index) => cells.some((cell) => isRead(operand, index, cell.index)) : null);
}

// ---------------------------------------------------------------- light and dark

const THEMES = ["", "light", "dark"];

function theme(next) {
  const names = { "": "system", light: "light", dark: "dark" };
  if (next) document.documentElement.dataset.theme = next;
  else delete document.documentElement.dataset.theme;
  $("theme").textContent = { "": "◐", light: "☀", dark: "☾" }[next];
  $("theme").setAttribute("aria-label", `Colours: ${names[next]}`);
  $("theme").title = `Colours: ${names[next]}`;
  try { localStorage.setItem("theme", next); } catch { /* not available in private windows */ }
}

// ---------------------------------------------------------------- events

function soon() {
  clearTimeout(state.timer);
  state.timer = setTimeout(explain, 180);
}

$("source").addEventListener("input", soon);
$("as").addEventListener("change", explain);
$("share").addEventListener("click", share);
$("previous").addEventListener("click", () => go(state.current - 1));
$("next").addEventListener("click", () => go(state.current + 1));
$("slider").addEventListener("input", (event) => go(event.target.valueAsNumber - 1));
$("theme").addEventListener("click", () => theme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme ?? "") + 1) % 3]));
addEventListener("hashchange", () => { recall(); explain(); });
addEventListener("keydown", (event) => {
  if (!event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
  event.preventDefault();
  go(state.current + (event.key === "ArrowDown" ? 1 : -1));
});
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  if (state.steps.length) go(state.current);
});

$("examples").append(...EXAMPLES.map(({ name, source }) => {
  const made = element("button", "", name);
  made.type = "button";
  made.addEventListener("click", () => {
    $("source").value = source;
    editor.draw();
    explain();
  });
  return made;
}));
let saved = "";
try { saved = localStorage.getItem("theme") ?? ""; } catch { /* not available in private windows */ }
theme(THEMES.includes(saved) ? saved : "");
recall();
explain();
