import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { exitOf, spawnNode } from "./processes.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCE = path.join(ROOT, "clients", "typescript");
const TARGET = path.join(ROOT, "public", "docs");
const COMPILER = path.join(ROOT, "node_modules", "typescript", "bin", "tsc");

/** Compiles and packs the TypeScript client into `public/docs`, from where a deployment serves it as npm would. */
export const packClient = async () => {
  const parent = path.join(ROOT, "node_modules", ".cache");
  mkdirSync(parent, { recursive: true });
  mkdirSync(TARGET, { recursive: true });
  // Below the packages, so that nothing is left in the sources and no tool reads it.
  const folder = mkdtempSync(path.join(parent, "client-"));
  try {
    for (const name of ["package.json", "README.md", "LICENSE"]) {
      copyFileSync(path.join(SOURCE, name), path.join(folder, name));
    }
    await run([COMPILER, "--project", path.join(SOURCE, "tsconfig.json"), "--outDir", path.join(folder, "dist")]);
    const npm = process.env.npm_execpath;
    if (!npm) throw new Error("Start the build through npm: it packs the client.");
    await run([npm, "pack", folder, "--ignore-scripts", "--silent", "--pack-destination", TARGET]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const run = async (command) => {
  const child = spawnNode(command, { cwd: ROOT });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      said += text;
    });
  }
  const exitCode = await exitOf(child);
  if (exitCode !== 0) throw new Error(`The client could not be packed:\n${said.trim()}`);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await packClient();
