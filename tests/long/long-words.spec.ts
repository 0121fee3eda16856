import type { Page } from "@playwright/test";
import { expect, shownOf, test } from "../dashboard/dashboard-test";
import { dashboardPages } from "../support/pages";

// The pages answer whole, and no script of theirs puts the shorter words back.
test.use({ javaScriptEnabled: false });

const WIDTHS = [1280, 375];

test("every page bears words that are 40 % longer", async ({ page, signIn, workspace }) => {
  await page.goto("/sign-in");
  await expectRoom(page);
  await signIn("owner");
  for (const { path } of dashboardPages(await shownOf(workspace))) {
    await page.goto(path);
    await expectRoom(page);
  }
});

/** Nothing of the open page, in a longer language, is cut off or pushed over something else. */
const expectRoom = async (page: Page) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await page.evaluate(lengthenWords), `words of ${page.url()}`).toBeGreaterThan(5);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    expect.soft(await page.evaluate(faultsOfLayout), `${page.url()} at ${width} px`).toEqual([]);
  }
};

/** Runs in the page: each visible text as a longer language might have it; code, ids and numbers have no other. */
const lengthenWords = (): number => {
  const longer = (word: string) =>
    word.replace(/[aeiou]/gi, "$&\u0301").normalize() + word.slice(-1).repeat(Math.ceil(word.length * 0.4));
  for (const details of document.querySelectorAll("details")) details.open = true;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let changed = 0;
  while (texts.nextNode()) {
    const { currentNode: node } = texts;
    const text = node.nodeValue ?? "";
    const element = node.parentElement;
    if (!element?.checkVisibility() || element.closest("code, pre, kbd, script, style, textarea")) continue;
    node.nodeValue = text.replace(/\p{L}{2,}/gu, longer);
    if (node.nodeValue !== text) changed += 1;
  }
  return changed;
};

/** Runs in the page. */
const faultsOfLayout = (): string[] => {
  const faults: string[] = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) faults.push(`the page scrolls sideways by ${scrollWidth - clientWidth} px`);

  const reported = (element: Element) =>
    `<${element.tagName.toLowerCase()}> "${(element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40)}"`;
  const shown = [...document.body.querySelectorAll<HTMLElement>("*")].filter((element) => {
    const { clipPath } = getComputedStyle(element);
    return element.checkVisibility({ visibilityProperty: true }) && clipPath === "none";
  });

  for (const element of shown) {
    const { overflowX, textOverflow } = getComputedStyle(element);
    // An ellipsis is meant, and what is typed scrolls within its field.
    if (textOverflow === "ellipsis" || element.matches("input, select, textarea")) continue;
    const isCut = overflowX === "hidden" || overflowX === "clip" || element.matches("button, summary");
    const overflow = element.scrollWidth - element.clientWidth;
    if (isCut && element.clientWidth > 1 && overflow > 1) faults.push(`${reported(element)} cuts ${overflow} px off`);
  }

  const isFixed = (element: Element | null): boolean =>
    element !== null && (/fixed|sticky/.test(getComputedStyle(element).position) || isFixed(element.parentElement));
  const controls = shown
    .filter((element) => element.matches("a, button, input, select, summary, textarea") && !isFixed(element))
    .map((element) => ({ element, boxes: [...element.getClientRects()] }));
  const overlap = (a: DOMRect, b: DOMRect) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  for (const [index, one] of controls.entries()) {
    for (const other of controls.slice(index + 1)) {
      if (one.element.contains(other.element)) continue;
      if (one.boxes.some((box) => other.boxes.some((otherBox) => overlap(box, otherBox)))) {
        faults.push(`${reported(one.element)} lies over ${reported(other.element)}`);
      }
    }
  }
  return faults;
};
