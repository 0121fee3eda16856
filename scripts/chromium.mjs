import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PLAYWRIGHT = fileURLToPath(new URL("../node_modules/playwright/cli.js", import.meta.url));
const HEADLESS_SHELL = "chromium-headless-shell";

const USUAL_PLACES = [
  // The headless shell, with which the browser tests take 40 % less time.
  `/usr/bin/${HEADLESS_SHELL}`,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
];

/** The path of the Chromium that CHROMIUM names or that the system has installed; undefined without any. */
export function installedChromium() {
  return process.env.CHROMIUM ? named(process.env.CHROMIUM) : USUAL_PLACES.find((file) => existsSync(file));
}

/** Returns the path of a Chromium: an installed one, Playwright's, or else installs one. */
export async function findChromium() {
  const installed = installedChromium() ?? (await playwrightsOwn());
  if (installed) return installed;
  const added = (await download()) ?? addDebianPackage();
  if (added) return added;
  throw new Error(
    "There is no Chromium, and none could be installed. Install Chromium or Chrome, or set CHROMIUM to the path of one.",
  );
}

function named(file) {
  if (existsSync(file)) return file;
  throw new Error(`CHROMIUM names ${file}, which does not exist.`);
}

async function playwrightsOwn() {
  const { chromium } = await import("playwright-core");
  const file = chromium.executablePath();
  return existsSync(file) ? file : undefined;
}

const download = async () =>
  succeeds(process.execPath, [PLAYWRIGHT, "install", "chromium"]) ? playwrightsOwn() : undefined;

function addDebianPackage() {
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return undefined;
  const add = (name) => succeeds("apt-get", ["install", "-y", "--no-install-recommends", name]);
  // Older Debians and Ubuntu have no package of the shell.
  const isAdded = succeeds("apt-get", ["update"]) && (add(HEADLESS_SHELL) || add("chromium"));
  return isAdded ? installedChromium() : undefined;
}

function succeeds(program, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(program, args, { stdio: "inherit", env }).status === 0;
}
