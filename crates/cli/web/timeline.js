// The memory of a program over time: a bar for each step.

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 44;
const UNITS = ["kB", "MB", "GB", "TB", "PB", "EB"];

/** A number of bytes with a decimal unit: `96 bytes`, `1.2 kB`, `16 MB`. */
export function bytes(n) {
  if (n < 1000) return n === 1 ? "1 byte" : `${n} bytes`;
  let [value, unit] = [n, -1];
  // 999.5 is rounded to 1000, which is 1 of the next unit.
  while (value >= 999.5 && unit + 1 < UNITS.length) [value, unit] = [value / 1000, unit + 1];
  return `${value < 9.95 ? value.toFixed(1).replace(".0", "") : Math.round(value)} ${UNITS[unit]}`;
}

/** The number of the first step with the highest peak. */
export function peakOf(steps) {
  return steps.reduce((best, step, i) => (step.peak_bytes > steps[best].peak_bytes ? i : best), 0);
}

/** What the chart shows, as text. */
export function summary(steps, current) {
  const peak = peakOf(steps);
  return {
    now: `${bytes(steps[current].live_bytes)} alive after step ${current + 1}`,
    peak: `peak ${bytes(Math.max(steps[peak].peak_bytes, steps[peak].live_bytes))} at step ${peak + 1}`,
  };
}

/** A chart of at most `room` pixels: bars for the bytes alive after each step, caps for the peak during it. */
export function chart(steps, current, room, select) {
  const highest = Math.max(...steps.map((it) => Math.max(it.live_bytes, it.peak_bytes)), 1);
  // The page may be laid out without a width for a moment, when it is opened or closed.
  const pitch = Math.min(26, Math.max(room, 64) / steps.length);
  const gap = pitch > 8 ? 3 : pitch > 4 ? 1 : 0.5;
  // A number of bytes other than 0 is at least one pixel.
  const scale = (n) => (n > 0 ? Math.max(1.5, (n / highest) * (HEIGHT - 6)) : 0);
  const svg = shape("svg", "chart", { width: pitch * steps.length, height: HEIGHT, role: "img" });
  const { now, peak } = summary(steps, current);
  svg.setAttribute("aria-label", `Memory over ${steps.length} steps: ${now}, ${peak}`);
  steps.forEach((step, i) => {
    const [x, width] = [i * pitch + gap / 2, pitch - gap];
    const [live, most] = [scale(step.live_bytes), scale(Math.max(step.peak_bytes, step.live_bytes))];
    const title = shape("title", "", {});
    const during = step.peak_bytes > step.live_bytes ? `, ${bytes(step.peak_bytes)} during it` : "";
    title.textContent = `step ${i + 1}: ${bytes(step.live_bytes)} alive after it${during}`;
    const made = shape("g", i === current ? "bar current" : "bar", {});
    made.append(title, shape("rect", "hit", { x: i * pitch, y: 0, width: pitch, height: HEIGHT }));
    const top = HEIGHT - 1;
    if (most > live) {
      made.append(shape("rect", "during", { x, y: top - most, width, height: most - live }),
        shape("rect", "cap", { x, y: top - most, width, height: 2 }));
    }
    made.append(shape("rect", "live", { x, y: top - live, width, height: live }));
    made.addEventListener("click", () => select(i));
    svg.append(made);
  });
  svg.append(shape("rect", "base", { x: 0, y: HEIGHT - 1, width: pitch * steps.length, height: 1 }));
  return svg;
}

function shape(tag, name, attributes) {
  const made = document.createElementNS(SVG, tag);
  if (name) made.setAttribute("class", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
