// Judges exports with programs of others: node check.mjs FOLDER [CHROMIUM].
// It reads every .har and .html of the folder, prints a line for each thing
// that is wrong, and ends with 1 if there was one.
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { log as harLog } from "har-validator";
import { FileSystemConfigLoader, HtmlValidate } from "html-validate";
import { chromium } from "playwright-core";

const [folder, browserPath] = process.argv.slice(2);
const files = (ending) =>
  readdirSync(folder).filter((f) => f.endsWith(ending)).sort().map((f) => resolve(folder, f));
const archives = files(".har");
const pages = files(".html");

let wrong = 0;
let checks = 0;
function expect(ok, file, what) {
  checks++;
  if (!ok) {
    wrong++;
    console.log(`${file}: ${what}`);
  }
}

const near = (a, b) => Math.abs(a - b) < 0.001; // milliseconds

// times holds the times of an entry to each other: its parts make up the whole
// (TLS is a part of connecting), and no event comes before the one ahead of it,
// before the answer began or after the end.
function times(file, entry, n) {
  const t = entry.timings;
  const sum = [t.blocked, t.dns, t.connect, t.send, t.wait, t.receive].filter((v) => v > 0).reduce((a, b) => a + b, 0);
  expect(near(sum, entry.time), file, `entry ${n}: time is ${entry.time}, its parts make ${sum}`);
  expect(!(t.ssl > t.connect), file, `entry ${n}: TLS takes ${t.ssl} of the ${t.connect} of connecting`);
  const started = Date.parse(entry.startedDateTime);
  let last = 0;
  for (const f of entry._frames ?? []) {
    expect(f.offset >= last, file, `entry ${n}: record ${f.record} comes ${f.offset} ms in, after ${last}`);
    expect(f.offset <= entry.time + 0.001, file, `entry ${n}: record ${f.record} comes ${f.offset} ms in, the entry ends at ${entry.time}`);
    expect(Math.abs(Date.parse(f.time) - started - f.offset) < 20, file, `entry ${n}: record ${f.record}: time and offset differ`);
    if (f.kind === "event") {
      expect(entry.response.content.text.includes(f.data.split("\n")[0]), file, `entry ${n}: record ${f.record} is not in the content`);
    }
    last = f.offset;
  }
}

async function archive(file) {
  const har = JSON.parse(readFileSync(file, "utf8"));
  try {
    await harLog(har.log);
    expect(true, file, "");
  } catch (e) {
    expect(false, file, (e.errors ?? [e]).map((x) => `${x.dataPath ?? ""} ${x.message}`).join("; "));
  }
  const { log } = har;
  expect(log.version === "1.2" && Array.isArray(log.pages), file, "not an archive 1.2 with pages");
  expect(log.entries.length > 0, file, "no entry");
  expect(log.entries.some((e) => e._frames?.length > 0), file, "no event of a stream");
  let before = 0;
  log.entries.forEach((e, i) => {
    times(file, e, i);
    const at = Date.parse(e.startedDateTime);
    expect(at >= before, file, `entry ${i} began before the one ahead of it`);
    expect(e.pageref === undefined || log.pages.some((p) => p.id === e.pageref), file, `entry ${i} names a page that is not there`);
    before = at;
  });
}

async function markup(file) {
  const validate = new HtmlValidate(new FileSystemConfigLoader({
    root: true,
    extends: ["html-validate:recommended", "html-validate:document", "html-validate:a11y"],
    rules: {
      // Style, which no reader sees: the page writes lines as long as they come.
      "long-title": "off",
      "no-trailing-whitespace": "off",
    },
  }));
  const report = await validate.validateString(readFileSync(file, "utf8"), file.replace(/\.html$/, ".report"));
  const found = report.results.flatMap((r) => r.messages);
  for (const m of found.slice(0, 20)) expect(false, `${file}:${m.line}:${m.column}`, `${m.ruleId}: ${m.message}`);
  expect(found.length === 0, file, `${found.length} departures from valid HTML`);
}

// look opens a page as a person would, at one width and in one scheme, with
// everything folded and with everything unfolded.
async function look(browser, file, width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme, bypassCSP: true, offline: true });
  const page = await context.newPage();
  const where = `${file} at ${width}, ${colorScheme}`;
  page.on("dialog", (d) => { expect(false, where, `a script ran: ${d.message()}`); d.dismiss(); });
  page.on("request", (r) => { if (!r.url().startsWith("file:")) expect(false, where, `loads ${r.url()}`); });
  await page.goto(pathToFileURL(file).href);
  await page.addScriptTag({ content: readFileSync(join(import.meta.dirname ?? ".", "node_modules/axe-core/axe.min.js"), "utf8") });
  for (const open of [false, true]) {
    await page.evaluate((o) => document.querySelectorAll("details").forEach((d) => { d.open = o; }), open);
    const { violations, wide } = await page.evaluate(async () => ({
      violations: (await window.axe.run(document)).violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(" | ")}`),
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    }));
    for (const v of violations) expect(false, where, v);
    expect(violations.length === 0, where, `${violations.length} violations of accessibility`);
    expect(wide <= 0, where, `scrolls sideways by ${wide} pixels`);
  }
  await context.close();
}

// again lets a browser load the archive: it must get from it what the console
// got from the agent.
async function again(browser, file) {
  const { entries } = JSON.parse(readFileSync(file, "utf8")).log;
  const context = await browser.newContext({ offline: true });
  await context.routeFromHAR(file, { notFound: "abort" });
  const page = await context.newPage();
  const card = entries.find((e) => e.request.method === "GET" && e.response.status === 200);
  await page.goto(card.request.url);
  for (const [i, e] of entries.entries()) {
    if (e.request.method !== "POST" || e.response._error) continue;
    const got = await page.evaluate(async ({ url, body, headers }) => {
      const r = await fetch(url, { method: "POST", body, headers });
      return { status: r.status, text: await r.text() };
    }, { url: e.request.url, body: e.request.postData.text, headers: { "Content-Type": e.request.postData.mimeType } });
    expect(got.status === e.response.status, file, `entry ${i}: a browser gets status ${got.status}, not ${e.response.status}`);
    expect(got.text === e.response.content.text, file, `entry ${i}: a browser gets another body`);
  }
  await context.close();
}

for (const f of archives) await archive(f);
for (const f of pages) await markup(f);
if (browserPath) {
  const browser = await chromium.launch({
    executablePath: browserPath,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  try {
    for (const f of archives) await again(browser, f);
    for (const f of pages) {
      for (const width of [390, 1280]) for (const scheme of ["light", "dark"]) await look(browser, f, width, scheme);
    }
  } finally {
    await browser.close();
  }
}
console.log(`${archives.length} archives and ${pages.length} pages, ${checks} checks, ${wrong} wrong`);
process.exit(wrong > 0 || archives.length === 0 || pages.length === 0 ? 1 : 0);
