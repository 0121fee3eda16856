import { cpSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What `node scripts/start.mjs COMMAND` runs from the build, without tsx: an image has no sources. */
const COMMANDS = [
  "migrate",
  "doctor",
  "provision",
  "keys",
  "erase",
  "rate-card",
  "reset-password",
  "encryption-rotate",
  "restore-guard",
];

/**
 * Bundles the self-hosted server of the tree at `root` into `.next/switchboard/`: its front door with the routes of the
 * API, and the page process. Packages stay where npm puts them.
 */
export async function buildServer(root = ROOT) {
  await bundle(root, ["server.ts", "pages.ts"], { sourcemap: "linked", sourcesContent: false });
}

/** Bundles the operator's commands beside the server, with the SQL that they read from their own folder. */
async function buildCommands() {
  await bundle(
    ROOT,
    COMMANDS.map((name) => `scripts/${name}.ts`),
  );
  const migrations = path.join(ROOT, ".next", "switchboard", "migrations");
  // The snapshots are for drizzle-kit alone.
  const filter = (/** @type {string} */ file) => !file.endsWith("_snapshot.json");
  cpSync(path.join(ROOT, "db", "migrations"), migrations, { recursive: true, filter });
  cpSync(path.join(ROOT, "db", "restore-guard.sql"), path.join(migrations, "..", "restore-guard.sql"));
}

/** @param {string} root @param {string[]} entryPoints @param {import("esbuild").BuildOptions} [options] */
const bundle = (root, entryPoints, options) =>
  build({
    absWorkingDir: root,
    entryPoints,
    outdir: path.join(root, ".next", "switchboard"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node20.9",
    format: "esm",
    packages: "external",
    alias: { "@": root },
    minifySyntax: true,
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
    ...options,
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildServer();
  await buildCommands();
}
