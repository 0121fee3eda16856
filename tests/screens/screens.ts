// `npm run screens`: a picture of every page, light and dark, for a telephone and a desk, in .data/screens.
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { Browser, BrowserContext } from "@playwright/test";
import { DATA_DIRECTORY } from "../../scripts/local-environment.mjs";
import { withProgress } from "../../scripts/progress.mjs";
import { signedInContext, startChromium } from "../support/browser";
import { startEnvironment } from "../support/environment";
import { dashboardPages, type ListedPage, PUBLIC_PAGES } from "../support/pages";
import { signIn } from "../support/session";
import { openShop } from "./shop";

const DIRECTORY = path.join(DATA_DIRECTORY, "screens");
const LOOKS = (["light", "dark"] as const).flatMap((scheme) => [375, 1280].map((width) => ({ scheme, width })));
const HEIGHT = 800;
/** A list of fifty cards is told by its first ones. */
const TALLEST = 2_000;

const OWNER = { email: "rosa@acme-plants.example", password: "a long sentence" };

type Look = (typeof LOOKS)[number];

const startedAtMs = performance.now();
rmSync(DIRECTORY, { recursive: true, force: true });
mkdirSync(DIRECTORY, { recursive: true });
const stop = await startEnvironment();
const browser = await startChromium();
const absent = new Set<string>();
let taken = 0;
try {
  // Only a deployment without anybody shows it.
  await takeAll([{ name: "set-up", path: "/set-up" }], "");
  const { shown, invitation } = await withProgress("Opening the shop", () => openShop(OWNER));
  const outside = [...PUBLIC_PAGES, { name: "invite", path: `/invite/${invitation}` }];
  const cookie = await signIn(OWNER);
  await withProgress("Pictures of public pages", () => takeAll(outside, ""));
  await withProgress("Pictures of the dashboard", () => takeAll(dashboardPages(shown), cookie));
} finally {
  await browser.close();
  await stop();
}
console.log(`${taken} pictures in ${DIRECTORY}, ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`);
if (absent.size > 0) console.log(`Not there: ${[...absent].join(", ")}`);

/** The looks side by side, the pages of each one after the other. */
async function takeAll(pages: ListedPage[], cookie: string) {
  await Promise.all(
    LOOKS.map(async (look) => {
      const context = await contextOf(browser, look, cookie);
      try {
        for (const page of pages) await take(context, page, look);
      } finally {
        await context.close();
      }
    }),
  );
}

function contextOf(chromium: Browser, { scheme, width }: Look, cookie: string) {
  return signedInContext(chromium, cookie, {
    ...{ colorScheme: scheme, viewport: { width, height: HEIGHT }, reducedMotion: "reduce" },
  });
}

async function take(context: BrowserContext, { name, path: address }: ListedPage, { scheme, width }: Look) {
  const page = await context.newPage();
  try {
    const answer = await page.goto(address);
    if (answer?.status() !== 200) return void absent.add(`${name} (${answer?.status()})`);
    const height = await page.evaluate(async () => {
      await document.fonts.ready;
      return document.documentElement.scrollHeight;
    });
    // A window as tall as the page, so that what sticks to its edges stands where it belongs.
    await page.setViewportSize({ width, height: Math.min(height, TALLEST) });
    await page.screenshot({ path: path.join(DIRECTORY, `${name}-${scheme}-${width}.png`), animations: "disabled" });
    taken += 1;
  } finally {
    await page.close();
  }
}
