// `npm run bench:dashboard [-- --messages N]`: the dashboard over one workspace of a million messages, on a Postgres of
// its own and the built server, with the goals beside the figures. Whole answers over loopback and a cold browser cache.
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { withProgress } from "../../scripts/progress.mjs";
import { startChromium } from "../support/browser";
import { startEnvironment, testServers } from "../support/environment";
import { dashboardPages, type ListedPage, PUBLIC_PAGES } from "../support/pages";
import { signInByForm } from "../support/session";
import { tableOf } from "../support/table";
import { fillWorkspace } from "./full-workspace";
import { messageLists, type NarrowedList, requestLists } from "./list-filters";
import { loadsOf, type PageLoad } from "./page-loads";
import { type Times, timesOf } from "./response-times";

const GOAL = { paintMs: 1_000, filterMs: 300, overviewMs: 300, scriptKb: 200 };
const NOT_THERE = "not there";

const { values } = parseArgs({ options: { messages: { type: "string", default: "1000000" } } });
const messages = Number(values.messages);
if (!Number.isInteger(messages) || messages < 1_000) throw new Error("--messages takes a whole number from 1000 on.");

const stop = await startEnvironment();
try {
  console.log(`One workspace with ${messages.toLocaleString("en")} messages`);
  const sample = await fillWorkspace(messages);
  const cookie = await signInByForm(sample.workspace.owner);

  const overview: NarrowedList[] = [{ name: "Overview", path: "/dashboard" }];
  await measureAnswers("Overview", overview, { cookie, goalMs: GOAL.overviewMs });
  await measureAnswers("Messages by filter", messageLists(sample), { cookie, goalMs: GOAL.filterMs });
  await measureAnswers("Requests by filter", requestLists(sample), { cookie, goalMs: GOAL.filterMs });
  await measurePages([...dashboardPages(sample), ...PUBLIC_PAGES], cookie);
} finally {
  await stop();
}

async function measureAnswers(
  title: string,
  lists: NarrowedList[],
  { cookie, goalMs }: { cookie: string; goalMs: number },
) {
  const times: (Times | undefined)[] = [];
  await withProgress(`Measuring ${title}`, async () => {
    for (const { path } of lists) times.push(await timesOf(`${testServers().baseUrl}${path}`, cookie));
  });
  const rows = lists.map(({ name }, index) => {
    const measured = times[index];
    if (!measured) return [name, NOT_THERE];
    return [name, ms(measured.p50), ms(measured.p95), verdict(measured.p95, goalMs)];
  });
  console.log(`\n${tableOf([title, "p50 ms", "p95 ms", `p95 ≤ ${goalMs} ms`], rows)}\n${loadWords()}\n`);
}

async function measurePages(pages: ListedPage[], cookie: string) {
  const browser = await startChromium();
  const loads: (PageLoad | undefined)[] = [];
  try {
    await withProgress("Measuring pages in Chromium", async () => {
      for (const { path } of pages) loads.push(await loadsOf(browser, path, cookie));
    });
  } finally {
    await browser.close();
  }
  const rows = pages.map(({ name, isList = false }, index) => {
    const load = loads[index];
    if (!load) return [name, NOT_THERE];
    return [
      name,
      ms(load.serverMs),
      ms(load.paintMs),
      isList ? verdict(load.paintMs, GOAL.paintMs) : "",
      kb(load.transferredBytes),
      kb(load.gzipBytes),
      verdict(load.gzipBytes / 1_024, GOAL.scriptKb),
    ];
  });
  const goals = [`lists ≤ ${GOAL.paintMs} ms`, "JS KB", "gzip KB", `≤ ${GOAL.scriptKb} KB`];
  console.log(`\n${tableOf(["Page", "server ms", "first paint ms", ...goals], rows)}\n${loadWords()}`);
}

/** Times say little of a machine that was busy with something else. */
function loadWords(): string {
  return `Load average by then: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(", ")}, on ${availableParallelism()} cores.`;
}

function ms(value: number): string {
  return value.toFixed(0);
}

function kb(bytes: number): string {
  return (bytes / 1_024).toFixed(1);
}

function verdict(value: number, goal: number): string {
  return value <= goal ? "ok" : "FAILED";
}
