import { type Browser, type BrowserContextOptions, chromium } from "@playwright/test";
import { findChromium } from "../../scripts/chromium.mjs";
import { testServers } from "./environment";

/** The Chromium that the browser tests use, for programs that are no tests. */
export const startChromium = async (): Promise<Browser> =>
  chromium.launch({
    executablePath: await findChromium(),
    // Chromium's own sandbox does not start as root, which is what containers run as.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });

/** A browser window that is signed in with this Cookie header; with an empty one nobody is. */
export const signedInContext = async (browser: Browser, cookie: string, options: BrowserContextOptions = {}) => {
  const { baseUrl } = testServers();
  const context = await browser.newContext({ baseURL: baseUrl, ...options });
  const cookies = cookie
    .split("; ")
    .filter(Boolean)
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return { name, value: value.join("="), url: baseUrl };
    });
  await context.addCookies(cookies);
  return context;
};
