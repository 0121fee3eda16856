import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PLAYWRIGHT = fileURLToPath(new URL("../node_modules/playwright/cli.js", import.meta.url));
const DEBIAN_CHROMIUM = "/usr/bin/chromium";

const USUAL_PLACES = [
  DEBIAN_CHROMIUM,
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
];

/** The path of a Chromium: the one CHROMIUM names, an installed one, Playwright's own, else one that is installed now. */
export const findChromium = async () => {
  if (process.env.CHROMIUM) return named(process.env.CHROMIUM);
  const installed = USUAL_PLACES.find((file) => existsSync(file)) ?? (await playwrightsOwn());
  if (installed) return installed;
  const added = (await download()) ?? addDebianPackage();
  if (added) return added;
  throw new Error(
    "There is no Chromium, and none could be installed. Install Chromium or Chrome, or set CHROMIUM to the path of one.",
  );
};

const named = (file) => {
  if (existsSync(file)) return file;
  throw new Error(`CHROMIUM names ${file}, which does not exist.`);
};

const playwrightsOwn = async () => {
  const { chromium } = await import("playwright-core");
  const file = chromium.executablePath();
  return existsSync(file) ? file : undefined;
};

const download = async () =>
  succeeds(process.execPath, [PLAYWRIGHT, "install", "chromium"]) ? playwrightsOwn() : undefined;

const addDebianPackage = () => {
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return undefined;
  const isAdded =
    succeeds("apt-get", ["update"]) && succeeds("apt-get", ["install", "-y", "--no-install-recommends", "chromium"]);
  return isAdded && existsSync(DEBIAN_CHROMIUM) ? DEBIAN_CHROMIUM : undefined;
};

const succeeds = (program, args) => {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(program, args, { stdio: "inherit", env }).status === 0;
};
