// The playground page: sends the expression to the server, and shows the steps as cards and pictures.

import { EXAMPLES } from "./examples.js";
import { Picture, colour, element, memoryName, thumbnail } from "./picture.js";

const $ = (id) => document.getElementById(id);
const state = { steps: [], source: "", current: 0, picture: null, request: null, timer: 0 };

const KINDS = { view: "view", copy: "copy", new: "new memory", refused: "refused", error: "error", value: "value" };
const HINT = "Point at a cell, or move with the arrow keys: the same element is highlighted in memory and view, with its offset.";

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
  const option = document.querySelector(`[name=as][value="${CSS.escape(parameters.get("as") ?? "")}"]`);
  if (option) option.checked = true;
}

async function share() {
  const url = location.href;
  try {
    await navigator.clipboard.writeText(url);
    $("share").textContent = "Link copied";
  } catch {
    prompt("The URL of this expression:", url);
  }
  setTimeout(() => { $("share").textContent = "Copy link"; }, 1600);
}

// ---------------------------------------------------------------- the list of steps

function show(report, source) {
  state.steps = report.steps;
  state.source = source;
  state.current = Math.max(report.steps.length - 1, 0);
  $("steps").replaceChildren(...report.steps.map((step, i) => element("li", "", card(step, i))));
  $("stage").hidden = report.steps.length === 0;
  if (report.steps.length) go(state.current);
}

function card(step, i) {
  const made = element("button", "step");
  made.type = "button";
  const thumb = step.drawing && step.kind !== "error" ? thumbnail(step.drawing) : element("div", "thumb", element("b", "", step.kind === "error" ? "✕" : "="));
  const [before, call] = cut(step);
  const name = step.name ? `${step.name} = ` : "";
  made.append(thumb, element("span", "call", element("em", "", name + (before ? "…" : "")), call || step.expr), badge(step),
    element("span", "small", small(step)));
  made.title = `${name}${step.expr}`;
  made.addEventListener("click", () => go(i));
  return made;
}

const badge = (step) => element("span", `badge ${step.kind}`, KINDS[step.kind === "error" && step.drawing ? "refused" : step.kind]);

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
  title(step);
  $("facts").replaceChildren(...facts(step));
  $("messages").replaceChildren(...messages(step));
  picture(step);
  $("more").replaceChildren(...more(step));
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
  if (step.kind === "view") made.push(fact("", "0 bytes copied"));
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
  const after = text(end);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return element("code", "place", line, element("mark", "", text(start, end) || "␣"), after.split("\n")[0]);
}

function picture(step) {
  const before = state.picture?.positions() ?? new Map();
  state.picture = null;
  $("picture").replaceChildren();
  $("info").hidden = !step.drawing;
  showCell(null);
  legend(step.drawing);
  if (!step.drawing) return;
  state.picture = new Picture(step.drawing, $("picture").clientWidth, showCell);
  $("picture").append(state.picture.root);
  state.picture.animateFrom(before);
}

function more(step) {
  const made = [];
  const because = step.drawing?.because;
  if (because) {
    const box = element("details", "", element("summary", "", "Why a copy? The new shape crosses a seam"));
    box.open = true;
    box.append(new Picture(because, $("picture").clientWidth, showCell).root);
    made.push(box);
  }
  if (step.drawing?.operands) {
    const box = element("details", "", element("summary", "", "Operands, broadcast to the shape of the result"));
    box.open = true;
    for (const operand of step.drawing.operands) box.append(new Picture(operand, $("picture").clientWidth, showCell).root);
    made.push(box);
  }
  if (step.plan) made.push(element("details", "", element("summary", "", "Loop nest"), element("pre", "", step.plan)));
  return made;
}

// ---------------------------------------------------------------- the cell under the pointer

function showCell(selection) {
  $("info").classList.toggle("busy", Boolean(selection));
  if (!selection) return $("info").replaceChildren(element("span", "hint", HINT));
  const { drawing, place, cell, sameElement } = selection;
  const bold = (text) => element("b", "", text);
  const index = (it) => element("b", "index", `[${it.index.join(", ")}]`);
  const made = [];
  if (cell && place === null) made.push(index(cell), " is padding: it has no memory");
  else if (cell) {
    made.push(index(cell), " is at offset ", bold(drawing.at[place]), ": ", bold(cell.sum), value(drawing, place));
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
  return text === null || text === undefined ? "" : ` · value ${text}`;
}

function legend(drawing) {
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
  $("legend").append(...entries);
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
  made.addEventListener("click", () => { $("source").value = source; explain(); });
  return made;
}));
let saved = "";
try { saved = localStorage.getItem("theme") ?? ""; } catch { /* not available in private windows */ }
theme(THEMES.includes(saved) ? saved : "");
recall();
explain();
