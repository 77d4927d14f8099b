// Tests of the playground page in a browser. Started by tests/browser.rs with the URL of a server and a folder for
// screenshots. Prints a line for each test, and stops at the first that fails.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const { chromium } = createRequire(join(process.env.BELVEDERE_PLAYWRIGHT, "package.json"))("playwright-core");
const [, , address, folder] = process.argv;
mkdirSync(folder, { recursive: true });

const REFUSED = "arange(12).reshape(3, 4).T.view(6, 2)";
const PROGRAM = "x = arange(12).reshape(3, 4)\ny = x.T.reshape(12)\n\nx += 1\ny.view(5)";
const DESKTOP = { width: 1360, height: 860 };
const PHONE = { width: 375, height: 812 };

const browser = await chromium.launch({
  executablePath: process.env.BELVEDERE_CHROME,
  // The sandbox needs privileges that containers do not have; the page is trusted.
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});

/** Opens a page in its own context; console errors and requests to other hosts fail the test. */
async function open(source, options = {}) {
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: "reduce", ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(address).origin });
  const page = await context.newPage();
  page.on("pageerror", (error) => { throw error; });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !page.allowsErrors) throw new Error(message.text());
  });
  page.on("request", (request) => assert.ok(request.url().startsWith(address), `requested ${request.url()}`));
  await page.goto(source === undefined ? address : `${address}#${new URLSearchParams({ expr: source })}`);
  await page.waitForSelector("#stage:not([hidden])");
  return page;
}

const text = (page, selector) => page.locator(selector).first().innerText();
const count = (page, selector) => page.locator(selector).count();
const shot = (page, name) => page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });

/** Types into the editor, and waits until the steps are those of the new text. */
async function type(page, source) {
  const answered = page.waitForResponse((answer) => answer.url().endsWith("/api/explain")
    && JSON.parse(answer.request().postData()).source === source);
  await page.locator("#source").fill(source);
  await answered;
  await page.waitForTimeout(50);
}

/** Checks that nothing overflows the window and that no font is smaller than 9 px. */
async function fits(page, name) {
  const found = await page.evaluate(() => {
    const small = [...document.querySelectorAll("body *")].filter((it) => it.childNodes.length && it.checkVisibility()
      && [...it.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
      && parseFloat(getComputedStyle(it).fontSize) < 9);
    return { beyond: document.documentElement.scrollWidth - innerWidth, small: small.map((it) => it.outerHTML) };
  });
  assert.ok(found.beyond <= 0, `${name}: ${found.beyond} pixels beyond the window`);
  assert.deepEqual(found.small, [], name);
}

const checks = {
  async "typing makes a card for each step"() {
    const page = await open();
    await type(page, "x = arange(6).reshape(2, 3); x.T[::-1]");
    assert.deepEqual(await page.locator(".step .call").allInnerTexts(), ["arange(6)", "x = ….reshape(2, 3)", "….T", "…[::-1]"]);
    assert.deepEqual(await page.locator(".step .badge").allInnerTexts(), ["new memory", "view", "view", "view"]);
    assert.equal(await text(page, "#count"), "step 4 of 4");
    assert.equal(await text(page, "#expr"), "x.T[::-1]");
    await fits(page, "typing");
    return page;
  },

  async "a cell has the colour of its offset"() {
    const page = await open("arange(12).reshape(3, 4).T");
    const cells = await page.evaluate(() => {
      const colours = [...document.querySelectorAll(".strip .cell")].map((it) => getComputedStyle(it).backgroundColor);
      return [...document.querySelectorAll(".grid .cell")].map((it) => ({
        same: getComputedStyle(it).backgroundColor === colours[it.cell.place], label: it.innerText,
      }));
    });
    assert.deepEqual(cells.map((it) => it.label), ["0", "4", "8", "1", "5", "9", "2", "6", "10", "3", "7", "11"]);
    assert.ok(cells.every((it) => it.same));
    const places = await page.evaluate(() => new Set([...document.querySelectorAll(".strip .cell")]
      .map((it) => getComputedStyle(it).backgroundColor)).size);
    assert.equal(places, 12);
    return page;
  },

  async "buttons, slider, cards and keys step through the chain"() {
    const page = await open("arange(12).reshape(3, 4).T.flatten()");
    assert.equal(await text(page, "#count"), "step 4 of 4");
    assert.ok(await page.locator("#next").isDisabled());
    await page.locator("#previous").click();
    assert.equal(await text(page, "#count"), "step 3 of 4");
    await page.locator("#slider").focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await text(page, "#expr"), "arange(12).reshape(3, 4)");
    await page.locator(".step").first().click();
    assert.equal(await text(page, "#expr"), "arange(12)");
    assert.ok(await page.locator("#previous").isDisabled());
    await page.locator("#source").focus();
    await page.keyboard.press("Alt+ArrowDown");
    assert.equal(await text(page, "#count"), "step 2 of 4");
    assert.equal(await page.locator(".step[aria-current=step]").count(), 1);
    return page;
  },

  async "pointing at a cell highlights the element in memory and shows its offset"() {
    const page = await open("arange(12).reshape(3, 4).T");
    await page.locator(".grid .cell").nth(5).hover();
    assert.equal(await text(page, "#info"), "[1, 2] is at offset 9: 0 + 1·1 + 2·4 = 9 · value 9");
    assert.deepEqual(await page.locator(".strip .lit").allInnerTexts(), ["9"]);
    assert.deepEqual(await page.locator(".grid .lit").allInnerTexts(), ["9"]);
    assert.equal(await count(page, ".wires path"), 1);
    await page.locator(".strip .cell").nth(4).hover();
    assert.match(await text(page, "#info"), /^offset 4 of memory A · value 4 · at index \[0, 1\]/);
    assert.deepEqual(await page.locator(".grid .lit").allInnerTexts(), ["4"]);
    return page;
  },

  async "arrow keys move between cells"() {
    const page = await open("arange(12).reshape(3, 4)");
    await page.locator(".grid .cell").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    assert.match(await text(page, "#info"), /^\[1, 1\] is at offset 5: 0 \+ 1·4 \+ 1·1 = 5/);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    assert.match(await text(page, "#info"), /^\[0, 1\]/);
    return page;
  },

  async "a refused view shows the seam and its numbers"() {
    const page = await open(REFUSED);
    assert.equal(await text(page, ".step[aria-current] .badge"), "refused");
    assert.equal(await text(page, ".message .place mark"), ".view(6, 2)");
    const jump = "Seam between offsets 8 and 1: axis 0 has stride 1; to merge with axis 1 it would need 12, and new axis 0 crosses the seam.";
    assert.equal(await text(page, ".jump"), jump);
    assert.equal(await count(page, ".seams .edge"), 6);
    assert.match(await text(page, ".message"), /reshape\(6, 2\)/);
    // The first seam of the new shape is drawn between the two cells of the message.
    const [left, seam, right] = await page.evaluate(() => {
      const grid = [...document.querySelectorAll(".grid")].at(-1);
      const box = (it) => it.getBoundingClientRect();
      const cell = (label) => box([...grid.querySelectorAll(".cell")].find((it) => it.innerText === label));
      const path = box(grid.querySelector(".edge"));
      return [cell("8").right, path.left + path.width / 2, cell("1").left];
    });
    assert.ok(left <= seam && seam <= right, `${left} ${seam} ${right}`);
    assert.ok(await page.locator(".seams .edge").first().evaluate((it) => getComputedStyle(it).display !== "contents"));
    await fits(page, "refused");
    return page;
  },

  async "broadcasts, windows, padding and copies are styled differently"() {
    const page = await open("arange(3).expand(2, 3)");
    assert.equal(await count(page, ".grid .repeated"), 3);
    assert.deepEqual(await page.locator(".strip .times").allInnerTexts(), ["×2", "×2", "×2"]);
    await page.locator(".strip .cell").nth(1).hover();
    assert.equal(await count(page, ".grid .lit"), 2);
    assert.equal(await count(page, ".wires path"), 2);
    await type(page, "arange(5).unfold(0, 3, 1)");
    assert.equal(await count(page, ".grid .window"), 4);
    await shot(page, "windows");
    await type(page, "arange(4).reshape(2, 2).lens().pad(((1, 1), (1, 1)))");
    assert.equal(await count(page, ".grid .padding"), 12);
    await page.locator(".grid .padding").first().hover();
    assert.match(await text(page, "#info"), /is padding/);
    await shot(page, "padding");
    await type(page, "arange(6).reshape(2, 3).T.reshape(6)");
    assert.equal(await text(page, ".memory.new h3"), "new memory B · 6 elements");
    assert.deepEqual(await page.locator(".memory.new .cell").allInnerTexts(), ["0", "3", "1", "4", "2", "5"]);
    assert.equal(await text(page, "#more summary"), "Why a copy? The new shape crosses a seam");
    await type(page, "arange(12)[2:9:3]");
    assert.equal(await count(page, ".strip .unused"), 9);
    return page;
  },

  async "each line has a number and a mark of what it does"() {
    const page = await open(PROGRAM);
    assert.deepEqual(await page.locator(".number").allInnerTexts(), ["1", "2", "3", "4", "5"]);
    const marks = await page.locator(".number").evaluateAll((all) => all.map((it) => [it.className.trim(), it.title]));
    assert.deepEqual(marks, [["number", "Line 1"], ["number copy", "Line 2 copies 96 bytes"], ["number", ""],
      ["number in-place", "Line 4 writes in place"], ["number error", "Line 5 fails"]]);
    assert.deepEqual(await page.locator(".step .where").allInnerTexts(), ["1", "1", "2", "2", "4", "5"]);
    const current = () => page.locator("#lines .current .number").allInnerTexts();
    assert.deepEqual(await current(), ["5"]);
    await page.locator(".number").nth(1).click();
    assert.equal(await text(page, "#count"), "step 4 of 6");
    assert.deepEqual(await current(), ["2"]);
    await page.locator("#previous").click();
    assert.deepEqual(await current(), ["2"]);
    assert.ok(await page.locator(".number").nth(2).isDisabled(), "an empty line has no steps");
    await shot(page, "lines");
    await type(page, "arange(4)");
    assert.equal(await count(page, ".step .where"), 0);
    return page;
  },

  async "the editor grows with the text and its numbers stay beside their lines"() {
    const page = await open("arange(4)");
    const height = () => page.locator(".editor").evaluate((it) => it.offsetHeight);
    const low = await height();
    await type(page, Array.from({ length: 8 }, (_, i) => `x${i} = arange(${i + 1})`).join("\n"));
    const high = await height();
    assert.ok(high > low + 90, `${low} ${high}`);
    // A line that wraps is as high in the copy below the text area.
    await type(page, `x = arange(4)\n${"x.reshape(2, 2)".padEnd(300, ".T")}\nx.T`);
    const heights = await page.evaluate(() => [document.querySelector("#lines").offsetHeight, document.querySelector("#source").scrollHeight]);
    assert.ok(Math.abs(heights[0] - heights[1]) <= 1, heights.join(" "));
    await shot(page, "wrapped");
    // Beyond 14 lines the text scrolls, and the numbers with it.
    await type(page, Array.from({ length: 40 }, (_, i) => `x${i} = arange(${i + 1})`).join("\n"));
    assert.ok(await height() < 420, `${await height()}`);
    await page.locator("#source").evaluate((it) => it.blur());
    await page.locator(".step").last().click();
    const [number, frame] = [await page.locator("#lines .current").boundingBox(), await page.locator(".editor").boundingBox()];
    assert.ok(number.y >= frame.y && number.y + number.height <= frame.y + frame.height, JSON.stringify([number, frame]));
    await fits(page, "40 lines");
    return page;
  },

  async "a write in place shows the cells and their old values"() {
    const page = await open("x = arange(6).reshape(2, 3)\nx[:, 1] += 10");
    assert.equal(await text(page, ".step[aria-current] .badge"), "in place");
    assert.equal(await count(page, "#picture .strip .written"), 2);
    assert.deepEqual(await page.locator("#picture .strip .was").allInnerTexts(), ["1", "4"]);
    await page.locator("#picture .strip .written").last().hover();
    assert.match(await text(page, "#info"), /^offset 4 of memory A · value 14 · was 4 · at index \[1\]/);
    await page.locator("#picture .strip .cell").first().hover();
    assert.doesNotMatch(await text(page, "#info"), /was/);
    assert.match(await text(page, "#legend"), /written in place/);
    // A view that is older than the write has the new values as an operand.
    await type(page, "x = arange(3)\nx += 5\nx * 2");
    assert.deepEqual(await page.locator("#more .grid .cell").allInnerTexts(), ["5", "6", "7"]);
    await type(page, "x = zeros(4)\nx += 1");
    assert.deepEqual(await page.locator("#picture .strip .was").allInnerTexts(), ["0.", "0.", "0.", "0."]);
    // Only the elements that the mask selects are written.
    await type(page, "x = arange(6)\nx[x > 3] = 0");
    assert.deepEqual(await page.locator("#picture .strip .was").allInnerTexts(), ["4", "5"]);
    assert.equal(await count(page, "#picture .strip .written"), 2);
    await type(page, "x = zeros(100000)\nx[::2] += 1");
    assert.equal(await count(page, ".was"), 0);
    assert.ok(await count(page, "#picture .strip .written") > 0);
    await type(page, "x = arange(48).reshape(4, 12)\nx[1:] -= x[:-1]");
    assert.equal(await text(page, "#more summary"), "Operand");
    await shot(page, "in-place");
    return page;
  },

  async "a reduction shows its operand and the elements of each sum"() {
    const page = await open("x = arange(12).reshape(3, 4)\nx.sum(axis=0)");
    assert.match(await text(page, "#operands .view h3"), /^x \[3, 4\] · along axis 0 ↓$/);
    const lit = () => page.locator("#operands .grid .lit").allInnerTexts();
    await page.locator("#picture .grid .cell").nth(1).hover();
    assert.deepEqual(await lit(), ["1", "5", "9"]);
    assert.deepEqual(await page.locator("#operands .strip .lit").allInnerTexts(), ["1", "5", "9"]);
    assert.match(await text(page, "#info"), /value 15 · from x\[:, 1\]$/);
    await shot(page, "reduction");
    await page.locator("#operands .grid .cell").nth(6).hover();
    assert.deepEqual(await page.locator("#picture .grid .lit").allInnerTexts(), ["18"]);
    await page.locator("#count").hover();
    assert.equal(await count(page, ".lit"), 0);
    await type(page, "arange(12).reshape(3, 4).max(axis=1, keepdims=True)");
    await page.locator("#picture .grid .cell").nth(1).hover();
    assert.deepEqual(await lit(), ["4", "5", "6", "7"]);
    await type(page, "arange(9).reshape(3, 3).sum(axis=1)");
    await page.locator("#picture .grid .cell").first().hover();
    assert.deepEqual(await lit(), ["0", "1", "2"]);
    await type(page, "arange(6).reshape(2, 3).mean()");
    await page.locator("#picture .grid .cell").first().hover();
    assert.equal((await lit()).length, 6);
    return page;
  },

  async "a matrix product shows a row and a column"() {
    const page = await open("a = arange(6).reshape(2, 3)\nb = arange(12).reshape(3, 4)\na @ b");
    await page.locator("#picture .grid .cell").nth(6).hover();
    const lit = (k) => page.locator("#operands .drawing").nth(k).locator(".grid .lit").allInnerTexts();
    assert.deepEqual([await lit(0), await lit(1)], [["3", "4", "5"], ["2", "6", "10"]]);
    assert.match(await text(page, "#info"), /from a\[1, :\] and b\[:, 2\]$/);
    await shot(page, "product");
    await type(page, "a = arange(6).reshape(2, 3)\na @ arange(3)");
    await page.locator("#picture .grid .cell").last().hover();
    assert.deepEqual([await lit(0), await lit(1)], [["3", "4", "5"], ["0", "1", "2"]]);
    return page;
  },

  async "operands of other computations are shown without claims, at most three"() {
    const page = await open("a = arange(3)\nconcatenate([a, a, a, a, a])");
    assert.equal(await count(page, "#more .drawing"), 3);
    assert.equal(await text(page, "#more .hint"), "and 2 more operands");
    await page.locator("#picture .grid .cell").first().hover();
    assert.equal(await count(page, "#more .lit"), 0);
    await type(page, "x = arange(4)\nx.flip(0).sort()");
    assert.equal(await text(page, "#more summary"), "Operand");
    // Elements of elementwise operands have the index of the result.
    await type(page, "row = arange(4)\ncolumn = arange(3).reshape(3, 1)\nrow + column");
    assert.equal(await text(page, "#more summary"), "Operands, broadcast to the shape of the result");
    await page.locator("#picture .grid .cell").nth(5).hover();
    assert.deepEqual(await page.locator("#more .grid .lit").allInnerTexts(), ["1", "1"]);
    return page;
  },

  async "a chart shows the memory of each step"() {
    const page = await open("x = arange(1000)\ny = x + 1\nz = y.sum()\nw = x * 2");
    assert.equal(await count(page, "#timeline .bar"), 4);
    assert.match(await page.locator("#timeline svg").getAttribute("aria-label"), /^Memory over 4 steps: 24 kB alive after step 4, peak 24 kB at step 4$/);
    assert.equal(await page.locator("#timeline svg").getAttribute("role"), "img");
    assert.equal(await text(page, "#timeline .peak"), "peak 24 kB at step 4");
    const heights = await page.locator("#timeline .live").evaluateAll((all) => all.map((it) => it.getBoundingClientRect().height));
    assert.ok(heights[0] > 5 && heights[0] < heights[1] && heights[2] < heights[3], heights.join(" "));
    await page.locator("#timeline .hit").nth(1).click();
    assert.equal(await text(page, "#count"), "step 2 of 4");
    assert.equal(await text(page, "#timeline .now"), "16 kB alive after step 2");
    assert.equal(await count(page, "#timeline .current"), 1);
    const sizes = await page.evaluate(async () => {
      const { bytes } = await import("./timeline.js");
      return [0, 1, 999, 1000, 1234, 99_950, 999_999, 16e6, 1.8e19].map(bytes);
    });
    assert.deepEqual(sizes, ["0 bytes", "1 byte", "999 bytes", "1 kB", "1.2 kB", "100 kB", "1 MB", "16 MB", "18 EB"]);
    await type(page, "arange(4)");
    assert.ok(await page.locator("#timeline").isHidden());
    await type(page, Array.from({ length: 120 }, (_, i) => `x${i} = arange(${i + 1})`).join("\n"));
    assert.equal(await count(page, "#timeline .bar"), 120);
    await fits(page, "120 steps");
    return page;
  },

  async "higher ranks are nested grids"() {
    const page = await open("arange(48).reshape(2, 2, 3, 4)");
    assert.deepEqual(await page.locator(".grid .table").allInnerTexts(), ["[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]"]);
    assert.equal(await count(page, ".grid .cell"), 48);
    await fits(page, "rank 4");
    return page;
  },

  async "a link restores the expression and the library"() {
    const page = await open("arange(4)");
    await type(page, REFUSED);
    await page.locator("text=+ PyTorch").click();
    await page.locator("#share").click();
    await page.waitForSelector("text=Link copied");
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await page.context().close();
    const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: "reduce" });
    const other = await context.newPage();
    await other.goto(link);
    await other.waitForSelector(".seam, .jump");
    assert.equal(await other.locator("#source").inputValue(), REFUSED);
    assert.ok(await other.locator("[name=as][value=torch]").isChecked());
    return other;
  },

  async "errors are marked in the source"() {
    const page = await open("x = arange(12)\nx.reshap(3, 4)");
    assert.equal(await text(page, ".message .place mark"), "reshap");
    assert.match(await text(page, ".message"), /reshape/);
    await type(page, "arange(12");
    assert.equal(await text(page, ".step[aria-current] .badge"), "error");
    for (const source of ["", "\u{1F600}", "<img src=x onerror=alert(1)>", "x = = 3", "(".repeat(500), "arange(10**30)"]) {
      await type(page, source);
      assert.equal(await text(page, ".step[aria-current] .badge"), "error", source);
    }
    await type(page, "x = arange(4)\nx.\nx.T");
    assert.equal(await text(page, ".message .place"), "x.␣");
    assert.equal(await page.locator("#lines .current .number").innerText(), "2");
    await type(page, "x = \"é\"; y");
    assert.equal(await count(page, ".message .place mark"), 1);
    return page;
  },

  async "large tensors are summarised"() {
    const page = await open("zeros(1000, 2000, 3000).permute(2, 0, 1)[::-1]");
    const cells = await count(page, ".cell");
    assert.ok(cells > 20 && cells < 240, `${cells} cells`);
    assert.ok(await count(page, ".grid .dots") > 0);
    await page.locator(".grid .cell").last().hover();
    assert.match(await text(page, "#info"), /^\[2999, 999, 1999\] is at offset 5999997000: /);
    // The memory panel has scrolled to the element.
    const [element, frame] = [await page.locator(".strip .lit").boundingBox(), await page.locator(".memory .scroll").boundingBox()];
    assert.ok(element.y >= frame.y && element.y + element.height <= frame.y + frame.height, JSON.stringify([element, frame]));
    await fits(page, "large");
    return page;
  },

  async "every example is explained"() {
    const page = await open();
    const names = await page.locator("#examples button").allInnerTexts();
    assert.ok(names.length >= 8);
    for (const [i, name] of names.entries()) {
      const answered = page.waitForResponse((answer) => answer.url().endsWith("/api/explain"));
      await page.locator("#examples button").nth(i).click();
      const { steps } = await (await answered).json();
      await page.waitForTimeout(50);
      for (const step of steps) {
        // An example may end with a refused view or copy, but with no other error.
        const isRefused = step.drawing || /copies are forbidden/.test(step.error?.message);
        assert.ok(step.kind !== "error" || isRefused, `${name}: ${step.error?.message}`);
      }
      await fits(page, name);
      await shot(page, `example-${i + 1}`);
    }
    return page;
  },

  async "a phone shows everything without a wider window"() {
    const page = await open(REFUSED, { viewport: PHONE, hasTouch: true, isMobile: true });
    await fits(page, "phone");
    for (const name of ["#source", "#steps", "#slider", "#picture"]) {
      const box = await page.locator(name).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= PHONE.width + 1, `${name}: ${JSON.stringify(box)}`);
    }
    const [picture, examples] = [await page.locator("#picture").boundingBox(), await page.locator("#examples").boundingBox()];
    assert.ok(picture.y < examples.y, "the picture comes first");
    await page.locator(".grid .cell").first().tap();
    assert.match(await text(page, "#info"), /^\[0, 0\]/);
    await shot(page, "phone");
    await type(page, "zeros(4, 5, 60, 70).T");
    await fits(page, "phone, large");
    for (const [name, source] of [["program", PROGRAM], ["product", "a = arange(24).reshape(2, 12)\na @ a.T"], ["in-place", "x = arange(30).reshape(5, 6)\nx[1:] += x[:-1]"]]) {
      await type(page, source);
      await fits(page, `phone, ${name}`);
      await shot(page, `phone-${name}`);
    }
    return page;
  },

  async "dark and light follow the system and the button"() {
    const page = await open(REFUSED, { colorScheme: "dark" });
    const light = () => page.evaluate(() => {
      const channels = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
      return channels.slice(0, 3).reduce((a, b) => a + b) / 3;
    });
    assert.ok(await light() < 60, "dark");
    await shot(page, "dark");
    await page.locator("#theme").click();
    assert.ok(await light() > 200, "light");
    await page.reload();
    await page.waitForSelector(".jump");
    assert.ok(await light() > 200, "remembered");
    await page.locator("#theme").click();
    assert.ok(await light() < 60, "dark again");
    await type(page, PROGRAM);
    await page.locator(".number").nth(3).click();
    await shot(page, "dark-in-place");
    return page;
  },

  async "the picture for the README is taken"() {
    const page = await open("x = arange(12).reshape(3, 4)\ny = x.T\ny.view(6, 2)", { viewport: { width: 1280, height: 800 } });
    await page.locator(".grid").first().locator(".cell").nth(2).hover();
    await page.screenshot({ path: join(folder, "readme.png") });
    assert.match(await text(page, "#info"), /^\[0, 2\] is at offset 8: 0 \+ 0·1 \+ 2·4 = 8/);
    await page.locator(".grid").last().locator(".cell").nth(2).hover();
    assert.match(await text(page, "#info"), /^\[1, 0\] is at offset 8: 0 \+ 1·2 \+ 0·1 = 2 → \[0, 2\]: 0 \+ 0·1 \+ 2·4 = 8/);
    return page;
  },

  async "a server that does not respond is reported"() {
    const page = await open("arange(4)");
    page.allowsErrors = true;
    await page.route("**/api/explain", (route) => route.abort());
    await page.locator("#source").fill("arange(5)");
    await page.waitForSelector("#error:not([hidden])");
    assert.match(await text(page, "#error"), /does not respond/);
    await page.unroute("**/api/explain");
    await page.locator("#source").fill("x".repeat(9000));
    await page.waitForFunction(() => document.querySelector("#error").textContent.includes("bytes"));
    await type(page, "arange(6)");
    assert.ok(await page.locator("#error").isHidden());
    return page;
  },
};

try {
  let number = 0;
  for (const [name, check] of Object.entries(checks)) {
    number += 1;
    try {
      const page = await check();
      await shot(page, `${String(number).padStart(2, "0")}-${name.replaceAll(/[^a-z]+/gi, "-")}`);
      await page.context().close();
      console.log(`ok ${name}`);
    } catch (error) {
      error.message = `${name}: ${error.message}`;
      throw error;
    }
  }
} finally {
  await browser.close();
}
