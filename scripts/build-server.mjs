import { cpSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The demo is built without them; commands that need one load it themselves. */
const DEVELOPMENT = Object.keys(JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")).devDependencies);
const COMMANDS = path.join(ROOT, ".next", "switchboard", "commands");

/**
 * Bundles the self-hosted server of the tree at `root` into `.next/switchboard/`: its front door with the routes of the
 * API, and the page process, with their packages: read from hundreds of files they were half of a start's processor time.
 */
export async function buildServer(root = ROOT) {
  await bundle(root, ["server.ts", "pages.ts"], { sourcemap: "linked", sourcesContent: false });
}

/**
 * Bundles the commands, each a chunk of its own, with the SQL that they read from their own folder: `node scripts/start.mjs
 * COMMAND` runs them without tsx, as an image has no sources.
 */
async function buildCommands() {
  rmSync(COMMANDS, { recursive: true, force: true });
  await bundle(ROOT, ["scripts/switchboard.ts"], { outdir: COMMANDS, splitting: true });
  // The snapshots are for drizzle-kit alone.
  const filter = (/** @type {string} */ file) => !file.endsWith("_snapshot.json");
  cpSync(path.join(ROOT, "db", "migrations"), path.join(COMMANDS, "migrations"), { recursive: true, filter });
  cpSync(path.join(ROOT, "db", "restore-guard.sql"), path.join(COMMANDS, "restore-guard.sql"));
}

/** @param {string} root @param {string[]} entryPoints @param {import("esbuild").BuildOptions} [options] */
export function bundle(root, entryPoints, options) {
  return build({
    absWorkingDir: root,
    entryPoints,
    outdir: path.join(root, ".next", "switchboard"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node20.9",
    format: "esm",
    // Next is there for its pages, argon2 is no JavaScript, and the others are loaded only where they are switched on.
    external: ["next", "@node-rs/argon2", "prom-client", "@opentelemetry/*", ...DEVELOPMENT],
    // Packages of CommonJS ask for Node's modules by it.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    alias: { "@": root },
    minifySyntax: true,
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
    ...options,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildServer();
  await buildCommands();
}
