import { gzipSync } from "node:zlib";
import type { Browser, Response } from "@playwright/test";
import { quantile } from "../faults/fault";
import { signedInContext } from "../support/browser";

const LOADS = 3;
const SETTLED_WITHIN_MS = 5_000;

export type PageLoad = {
  /** Milliseconds from the request to the last byte of the page's HTML, and from its start to the first paint. */
  serverMs: number;
  paintMs: number;
  /** What the browser fetched of scripts, as they came and as gzip makes them. */
  scripts: number;
  transferredBytes: number;
  gzipBytes: number;
};

/** The middle of some loads with an empty cache; undefined where the page is not there. */
export const loadsOf = async (browser: Browser, path: string, cookie: string): Promise<PageLoad | undefined> => {
  const loads: PageLoad[] = [];
  for (let i = 0; i < LOADS; i++) {
    const load = await loadOnce(browser, path, cookie);
    if (!load) return undefined;
    loads.push(load);
  }
  const middle = (of: (load: PageLoad) => number) => quantile(loads.map(of), 0.5);
  return {
    serverMs: middle((load) => load.serverMs),
    paintMs: middle((load) => load.paintMs),
    scripts: middle((load) => load.scripts),
    transferredBytes: middle((load) => load.transferredBytes),
    gzipBytes: middle((load) => load.gzipBytes),
  };
};

const loadOnce = async (browser: Browser, path: string, cookie: string): Promise<PageLoad | undefined> => {
  const context = await signedInContext(browser, cookie);
  try {
    const page = await context.newPage();
    const scripts: Response[] = [];
    page.on("response", (response) => {
      if (response.request().resourceType() === "script") scripts.push(response);
    });
    const answer = await page.goto(path, { waitUntil: "load" });
    if (answer?.status() !== 200) return undefined;
    // What a page fetches ahead for its links counts, too; a page that keeps asking for news is not waited for.
    await page.waitForLoadState("networkidle", { timeout: SETTLED_WITHIN_MS }).catch(() => {});
    await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    const timing = await page.evaluate(() => {
      const [document] = performance.getEntriesByType("navigation");
      const [paint] = performance.getEntriesByName("first-contentful-paint");
      if (!(document instanceof PerformanceNavigationTiming) || !paint) throw new Error("the browser keeps no times");
      return { serverMs: document.responseEnd - document.requestStart, paintMs: paint.startTime };
    });
    const bodies = await Promise.all(scripts.map((script) => script.body()));
    const sizes = await Promise.all(scripts.map((script) => script.request().sizes()));
    return {
      ...timing,
      scripts: scripts.length,
      transferredBytes: sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0),
      gzipBytes: bodies.reduce((sum, body) => sum + gzipSync(body).length, 0),
    };
  } finally {
    await context.close();
  }
};
