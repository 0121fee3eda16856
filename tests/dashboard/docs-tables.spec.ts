import { ALL_DOCS_PAGES } from "@/lib/docs/docs-pages";
import { expect, test } from "./dashboard-test";

/** The words, numbers and short codes of a page's tables that take two lines. */
const brokenWords = () => {
  const range = document.createRange();
  const lines = () => new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size;
  const broken: string[] = [];
  for (const cell of document.querySelectorAll("main .data-table :is(th, td)")) {
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const text = node.textContent ?? "";
      // A code is one word, whatever is in it, unless it has spaces or is longer than a cell of a phone.
      const words = node.parentElement?.closest("code") ? /\S+/g : /e-mail\w*|[\p{L}\p{N}_]+/giu;
      for (const { 0: word, index } of text.matchAll(words)) {
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (word.length <= 28 && lines() > 1) broken.push(word);
      }
    }
  }
  return broken;
};

for (const width of [1280, 375]) {
  test(`no table of the docs breaks a code, number or word at ${width} px, and no page scrolls sideways`, async ({
    page,
  }) => {
    test.slow();
    await page.setViewportSize({ width, height: 900 });
    const faults: Record<string, unknown> = {};
    for (const path of ALL_DOCS_PAGES) {
      await page.goto(path);
      const broken = await page.evaluate(brokenWords);
      const surplus = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (broken.length > 0 || surplus > 0) faults[path] = { broken, surplus };
    }
    expect(faults).toEqual({});
  });
}

test("on a phone the links to the pages take one line, and the open page is in sight", async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 900 });
  await page.goto("/docs/changelog");
  const links = page.getByRole("navigation", { name: "Docs", exact: true });
  expect((await links.boundingBox())?.height).toBeLessThan(70);
  await expect(links.getByRole("link", { name: "Changelog" })).toBeInViewport();
  await page.setViewportSize({ width: 1280, height: 900 });
  await expect(links.getByText("Operate")).toBeVisible();
});
