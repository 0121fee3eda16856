import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { exitOf, spawnNode } from "./processes.mjs";
import { withProgress } from "./progress.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NEXT = path.join(ROOT, "node_modules", "next", "dist", "bin", "next");
const LOCK = path.join(ROOT, "package-lock.json");
// npm writes it last, so an incomplete installation does not have it.
const INSTALLED_LOCK = path.join(ROOT, "node_modules", ".package-lock.json");
const INSTALL_STAMP = path.join(ROOT, "node_modules", ".installed-from");
const BUILD_STAMP = path.join(ROOT, ".next", "built-from");
/** Next writes it once its pages are built; the page process waits for it (start.mjs). */
const PAGES_STAMP = path.join(ROOT, ".next", "BUILD_ID");
const KEPT_OUTPUT_CHARACTERS = 8_000;
/** All inputs of a build. */
const SOURCES = [
  "app",
  "lib",
  "db",
  "clients/typescript",
  "public",
  "proxy.ts",
  "instrumentation.ts",
  "server.ts",
  "pages.ts",
  "package-lock.json",
  "scripts/build-server.mjs",
];
const BUILD_SERVER = path.join(ROOT, "scripts", "build-server.mjs");
const CONFIGURATIONS = /^(next|postcss|tsconfig)\..*(js|json|mjs|ts)$/;

/** Installs the packages unless node_modules is what package-lock.json asks for; those of development only `withDev`. */
export async function ensureInstalled({ withDev = true } = {}) {
  if (isInstalled(withDev)) return;
  const npm = process.env.npm_execpath;
  if (!npm) throw new Error("The packages are not installed. Run `npm ci` first, or start this through npm.");
  const environment = { ...process.env, NODE_ENV: "development" };
  await withProgress("Installing packages", () =>
    run([npm, "ci", withDev ? "--include=dev" : "--omit=dev", "--no-audit", "--no-fund"], environment),
  );
  if (withDev) writeFileSync(INSTALL_STAMP, lockDigest());
}

/**
 * Builds unless .next is up to date with the sources. With TEST_BUILD=server only the server's bundle is built, in a
 * second: the pages stay as they were built last.
 */
export async function ensureBuilt(environment) {
  const digest = sourcesDigest();
  if (readIfThere(BUILD_STAMP) === digest) return;
  const building = inProduction(environment);
  if (environment.TEST_BUILD === "server" && existsSync(BUILD_STAMP)) {
    console.error("Only the server is built: the pages stay as they were built last. TEST_BUILD=all builds them, too.");
    return run([BUILD_SERVER], building);
  }
  await withProgress("Building", async () => {
    await run([NEXT, "build"], building);
    await run([BUILD_SERVER], building);
  });
  writeFileSync(BUILD_STAMP, digest);
}

/** Builds the server alone unless all is up to date. Its page process waits for pages of these sources; false if they are not there. */
export async function ensureServerBuilt(environment) {
  if (readIfThere(BUILD_STAMP) === sourcesDigest()) return true;
  for (const file of [PAGES_STAMP, BUILD_STAMP]) rmSync(file, { force: true });
  await withProgress("Building the server", () => run([BUILD_SERVER], inProduction(environment)));
  return false;
}

const inProduction = (environment) => ({ ...environment, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" });

function isInstalled(withDev) {
  if (!existsSync(INSTALLED_LOCK)) return false;
  return readIfThere(INSTALL_STAMP) === lockDigest() || hasAllPackages(withDev);
}

/** Checks a node_modules that was installed by npm directly. */
function hasAllPackages(withDev) {
  const installed = JSON.parse(readFileSync(INSTALLED_LOCK, "utf8")).packages;
  const wanted = JSON.parse(readFileSync(LOCK, "utf8")).packages;
  return Object.entries(wanted).every(([place, { version, dev, optional, extraneous, os, cpu }]) => {
    if (place === "" || (dev && !withDev)) return true;
    // Packages for other platforms may be missing.
    if (!installed[place]) return Boolean(optional || extraneous || os || cpu);
    return installed[place].version === version;
  });
}

const lockDigest = () => createHash("sha256").update(readFileSync(LOCK)).digest("hex");

const readIfThere = (file) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

function sourcesDigest() {
  const hash = createHash("sha256");
  const configurations = readdirSync(ROOT).filter((name) => CONFIGURATIONS.test(name));
  for (const name of [...SOURCES, ...configurations].sort()) hashTree(hash, path.join(ROOT, name));
  return hash.digest("hex");
}

function hashTree(hash, file) {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return;
  if (stats.isDirectory()) {
    for (const name of readdirSync(file).sort()) hashTree(hash, path.join(file, name));
    return;
  }
  hash.update(`${path.relative(ROOT, file)}\0${stats.size}\0`).update(readFileSync(file));
}

/** Runs a command silently; throws its output if it fails. */
async function run([program, ...args], env) {
  const child = spawnNode([program, ...args], { cwd: ROOT, env });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said = (said + chunk).slice(-KEPT_OUTPUT_CHARACTERS);
    });
  }
  const code = await exitOf(child);
  if (code !== 0) throw new Error(`\`${path.basename(program)} ${args.join(" ")}\` failed:\n${said.trim()}`);
}
