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

/** Compiles each once, as tsx would for every start of one, which takes three times as long as its work. */
export const compileCommands = async (folder: string): Promise<void> => {
  await build({
    absWorkingDir: ROOT,
    entryPoints: COMPILED.map((name) => path.join("scripts", `${name}.ts`)),
    outdir: folder,
    bundle: true,
    platform: "node",
    format: "esm",
    // A start that reads one file takes half the time of one that reads a package's hundreds.
    external: ["@node-rs/argon2"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "warning",
  });
  await stop();
};
