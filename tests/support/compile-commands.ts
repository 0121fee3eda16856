import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The operator's commands that tests run many times, by the name of their file in scripts/. */
export const COMPILED = [
  "provision",
  "keys",
  "erase",
  "reset-password",
  "encryption-rotate",
  "cli",
  "doctor",
  "sandbox",
  "trigger",
] as const;

export type Compiled = (typeof COMPILED)[number];

/** Compiles each once, as tsx would anew for every start of one, which takes three times as long as its work. */
export const compileCommands = async (folder: string): Promise<void> => {
  await build({
    absWorkingDir: ROOT,
    entryPoints: COMPILED.map((name) => path.join("scripts", `${name}.ts`)),
    outdir: folder,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  await stop();
};
