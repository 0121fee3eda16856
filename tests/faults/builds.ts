import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildServer } from "../../scripts/build-server.mjs";
import { DATA_DIRECTORY } from "../../scripts/local-environment.mjs";
import { FAULT_POINTS } from "./fault-points";

/**
 * One exact change of one file, where a text that is not there exactly once fails the build of the variant; a line before all
 * others; or a whole file.
 */
export type Patch =
  | { file: string; from: string; to: string }
  | { file: string; first: string }
  | { file: string; text: string };

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** What the API's server is bundled from. No fault needs a page, so nothing is built for them. */
const TREE = ["lib", "db", "app", "server.ts", "pages.ts", "package.json", "tsconfig.json", "scripts/start.mjs"];

/**
 * Bundles the server of a copy of the tree with the fault points in it, below `.data/faults/`. The project's own build is
 * not touched.
 */
export const buildVariant = async (name: string, patches: readonly Patch[] = []): Promise<string> => {
  const directory = path.join(DATA_DIRECTORY, "faults", name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(path.join(directory, "scripts"), { recursive: true });
  for (const part of TREE) cpSync(path.join(ROOT, part), path.join(directory, part), { recursive: true });
  for (const patch of [...FAULT_POINTS, ...patches]) applyPatch(directory, patch);
  await buildServer(directory);
  return directory;
};

const applyPatch = (directory: string, patch: Patch) => {
  const place = path.join(directory, patch.file);
  writeFileSync(place, patched(place, patch));
};

/** The text of the file with the patch. */
export const patched = (place: string, patch: Patch): string => {
  if ("text" in patch) return patch.text;
  const now = readFileSync(place, "utf8");
  if ("first" in patch) return `${patch.first}${now}`;
  const { file, from, to } = patch;
  const parts = now.split(from);
  if (parts.length !== 2) throw new Error(`${file} holds what a patch replaces ${parts.length - 1} times:\n${from}`);
  return parts.join(to);
};
