// `npm run screens`: a picture of every page, light and dark, for a telephone and a desk, in .data/screens.
// `npm run screens -- --readme`: the three pictures of the README instead.
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { BrowserContext } from "@playwright/test";
import { DATA_DIRECTORY } from "../../scripts/local-environment.mjs";
import { withProgress } from "../../scripts/progress.mjs";
import { signedInContext, startChromium } from "../support/browser";
import { startEnvironment } from "../support/environment";
import { dashboardPages, type ListedPage, PUBLIC_PAGES, type Shown } from "../support/pages";
import { signInByForm } from "../support/session";
import { openShop } from "./shop";

const IS_FOR_README = process.argv.includes("--readme");
const DIRECTORY = IS_FOR_README ? "docs/images" : path.join(DATA_DIRECTORY, "screens");
const LOOKS = [375, 1280].flatMap((width) => (["light", "dark"] as const).map((scheme) => ({ scheme, width })));
/** As many as two cores paint. */
const AT_ONCE = 2;
const HEIGHT = 800;
/** A list of fifty cards is shown by its first ones. */
const TALLEST = 2_000;

const OWNER = { email: "rosa@acme-plants.example", password: "a long sentence" };

const startedAtMs = performance.now();
rmSync(DIRECTORY, { recursive: true, force: true });
mkdirSync(DIRECTORY, { recursive: true });
const stop = await startEnvironment();
const browser = await startChromium();
const absent = new Set<string>();
let taken = 0;
try {
  // Only a deployment without anybody shows it.
  if (!IS_FOR_README) await takeAll([{ name: "set-up", path: "/set-up" }], "");
  const { shown, invitation, resetToken } = await withProgress("Opening the shop", () => openShop(OWNER));
  const cookie = await signInByForm(OWNER);
  if (IS_FOR_README) await takeForReadme(shown, cookie);
  else {
    const outside = [
      ...PUBLIC_PAGES,
      { name: "invite", path: `/invite/${invitation}` },
      { name: "reset-password", path: `/reset-password#${resetToken}` },
    ];
    await withProgress("Pictures of public pages", () => takeAll(outside, ""));
    await withProgress("Pictures of the dashboard", () =>
      takeAll([...dashboardPages(shown), { name: "second-factor", path: "/second-factor" }], cookie),
    );
  }
} finally {
  await browser.close();
  await stop();
}
console.log(`${taken} pictures in ${DIRECTORY}, ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`);
if (absent.size > 0) console.log(`Not there: ${[...absent].join(", ")}`);

/** Some pages at once; each is loaded once and looked at in every way, as a window that is dragged and a theme that changes. */
async function takeAll(pages: ListedPage[], cookie: string) {
  const waiting = pages.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const context = await signedInContext(browser, cookie, { reducedMotion: "reduce" });
      try {
        for (const page of waiting) await take(context, page);
      } finally {
        await context.close();
      }
    }),
  );
}

async function take(context: BrowserContext, { name, path: address }: ListedPage) {
  const page = await context.newPage();
  try {
    const answer = await page.goto(address);
    if (answer?.status() !== 200) return void absent.add(`${name} (${answer?.status()})`);
    for (const { scheme, width } of LOOKS) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: HEIGHT });
      const height = await page.evaluate(async () => {
        await document.fonts.ready;
        return document.documentElement.scrollHeight;
      });
      // A window as tall as the page, so that what sticks to its edges stands where it belongs.
      await page.setViewportSize({ width, height: Math.min(height, TALLEST) });
      await page.screenshot({ path: path.join(DIRECTORY, `${name}-${scheme}-${width}.png`), animations: "disabled" });
      taken += 1;
    }
  } finally {
    await page.close();
  }
}

async function takeForReadme({ messageId }: Shown, cookie: string) {
  const context = await signedInContext(browser, cookie, { reducedMotion: "reduce", colorScheme: "light" });
  const page = await context.newPage();
  const picture = async (name: string, height: number) => {
    await page.setViewportSize({ width: 1280, height });
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: path.join(DIRECTORY, `${name}.png`), animations: "disabled" });
    taken += 1;
  };
  await page.goto("/dashboard");
  await picture("overview", 1_080);
  await page.goto(`/dashboard/messages/${messageId}`);
  await picture("message", 1_044);
  await page.goto("/dashboard/templates");
  await page.getByRole("link", { name: "appointment_reminder" }).click();
  await page.getByRole("region", { name: "API call" }).waitFor();
  await picture("template", 1_380);
}
