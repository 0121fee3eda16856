import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The command line of the client, which tests start more often than any other. */
export const CLIENT = "client";

/** Compiles the commands once, as tsx would for every start of one, which takes three times as long as its work. */
export const compileCommands = async (folder: string): Promise<void> => {
  await build({
    absWorkingDir: ROOT,
    entryPoints: {
      switchboard: "scripts/switchboard.ts",
      [CLIENT]: "clients/typescript/src/cli/main.ts",
    },
    outdir: folder,
    bundle: true,
    platform: "node",
    format: "esm",
    splitting: true,
    // A start that reads one file takes half the time of one that reads a package's hundreds.
    external: ["@node-rs/argon2"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "warning",
  });
  await stop();
};
