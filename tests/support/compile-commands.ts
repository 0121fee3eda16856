import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The operator's commands that tests run many times, by the name of their file in scripts/. */
export const COMPILED = [
  "provision",
  "keys",
  "erase",
  "rate-card",
  "reset-password",
  "encryption-rotate",
  "cli",
  "doctor",
  "sandbox",
] as const;

export type Compiled = (typeof COMPILED)[number];

/** The command line of the client, which tests start more often than any other. */
export const CLIENT = "client";

/** Compiles each once, as tsx would for every start of one, which takes three times as long as its work. */
export const compileCommands = async (folder: string): Promise<void> => {
  await build({
    absWorkingDir: ROOT,
    entryPoints: {
      ...Object.fromEntries(COMPILED.map((name) => [name, path.join("scripts", `${name}.ts`)])),
      [CLIENT]: "clients/typescript/src/cli/main.ts",
    },
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
