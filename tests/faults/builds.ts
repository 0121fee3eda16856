import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { DATA_DIRECTORY } from "../../scripts/local-environment.mjs";
import { exitOf, spawnNode } from "../../scripts/processes.mjs";
import { FAULT_POINTS } from "./fault-points";

/**
 * One exact change of one file, where a text that is not there exactly once fails the build of the variant; or a whole
 * file.
 */
export type Patch = { file: string; from: string; to: string } | { file: string; text: string };

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NEXT = path.join(ROOT, "node_modules/next/dist/bin/next");
const TREE = [
  "app",
  "lib",
  "db",
  "proxy.ts",
  "instrumentation.ts",
  "server.ts",
  "pages.ts",
  "package.json",
  "next.config.mjs",
  "postcss.config.mjs",
  "tsconfig.json",
  "tsconfig.build.json",
  "scripts/build-server.mjs",
  "scripts/start.mjs",
];
/** The copy belongs to this project, and finds its packages above itself. */
const PART_OF_THE_PROJECT: Patch = {
  file: "next.config.mjs",
  from: "root: path.dirname(fileURLToPath(import.meta.url))",
  to: `root: ${JSON.stringify(path.resolve(ROOT))}`,
};

/**
 * Builds a copy of the tree with the fault points in it, below `.data/faults/`, unless it was built from these very
 * sources. The project's own build is not touched.
 */
export const buildVariant = async (name: string, patches: readonly Patch[] = []): Promise<string> => {
  const directory = path.join(DATA_DIRECTORY, "faults", name);
  const stamp = path.join(directory, "built-from");
  const digest = digestOf(patches);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return directory;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const part of TREE) cpSync(path.join(ROOT, part), path.join(directory, part), { recursive: true });
  for (const patch of [PART_OF_THE_PROJECT, ...FAULT_POINTS, ...patches]) applyPatch(directory, patch);
  const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  for (const program of [[NEXT, "build"], [path.join(directory, "scripts", "build-server.mjs")]]) {
    const child = spawnNode(program, { cwd: directory, env });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (said += chunk));
    if ((await exitOf(child)) !== 0) throw new Error(`The build of "${name}" failed:\n${said.slice(-4_000)}`);
  }
  writeFileSync(stamp, digest);
  return directory;
};

const applyPatch = (directory: string, patch: Patch) => {
  const place = path.join(directory, patch.file);
  if ("text" in patch) return writeFileSync(place, patch.text);
  const { file, from, to } = patch;
  const parts = readFileSync(place, "utf8").split(from);
  if (parts.length !== 2) throw new Error(`${file} holds what a patch replaces ${parts.length - 1} times:\n${from}`);
  writeFileSync(place, parts.join(to));
};

const digestOf = (patches: readonly Patch[]): string => {
  const hash = createHash("sha256").update(JSON.stringify([FAULT_POINTS, patches]));
  const add = (file: string) => {
    hash.update(`${file}\0`).update(readFileSync(path.join(ROOT, file)));
  };
  for (const part of TREE) {
    if (/\.[a-z]+$/.test(part)) add(part);
    else for (const file of filesBelow(part)) add(file);
  }
  return hash.update(readFileSync(path.join(ROOT, "package-lock.json"))).digest("hex");
};

const filesBelow = (folder: string): string[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .sort();
