// node scripts/runtime-files.mjs FOLDER: copies what the built server needs at run time, for an image (Containerfile).
import { cpSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import nft from "next/dist/compiled/@vercel/nft/index.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Copied as they are; `.next/server` holds the pages, the rest of `.next` is what Next reads when it starts. */
const FOLDERS = [".next/server", ".next/static", ".next/switchboard", ".next/node_modules", "public", "lib/docs/pages"];
/** Next resolves these by name, unseen by a trace, before it reads next.config.mjs. */
const RESOLVED = ["webpack", "@babel/runtime"].map((name) => `node_modules/next/dist/compiled/${name}`);
const FILES = ["package.json", "next.config.mjs", "scripts/start.mjs"];

/** Found by the trace, and never loaded by a built server: it resizes no pictures (next.config.mjs). */
const NEVER_LOADED = [
  "node_modules/{sharp,@img}/**",
  "node_modules/next/dist/docs/**",
  "node_modules/next/dist/compiled/next-server/*.dev.js",
  "node_modules/react-dom/cjs/*.development.js",
];
const isNeeded = (/** @type {string} */ file) => !/\.(map|d\.ts|nft\.json)$/.test(file);

const filesIn = (/** @type {string} */ folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => path.join(folder, file));

/** What Next's own build found for each page: packages and the files of `outputFileTracingIncludes`. */
const tracedByNext = () =>
  filesIn(".next/server")
    .filter((file) => file.endsWith(".nft.json"))
    .flatMap((file) => {
      const { files } = JSON.parse(readFileSync(path.join(ROOT, file), "utf8"));
      return files.map((/** @type {string} */ found) => path.join(path.dirname(file), found));
    });

/** Next traces no custom server; its own tracer finds what ours and the commands import. */
async function tracedByUs() {
  const entries = filesIn(".next/switchboard").filter((file) => file.endsWith(".mjs"));
  const { fileList } = await nft.nodeFileTrace(
    entries.map((file) => path.join(ROOT, file)),
    // Both of a package's builds, because Node's version decides which one is loaded (`module-sync`).
    { base: ROOT, ignore: NEVER_LOADED, mixedModules: true, moduleSyncCatchall: true },
  );
  return fileList;
}

const target = process.argv[2];
if (!target) throw new Error("Usage: node scripts/runtime-files.mjs FOLDER");

const ofNext = readdirSync(path.join(ROOT, ".next"))
  .filter((file) => /^[a-z-]+\.js(on)?$|^BUILD_ID$/.test(file))
  .map((file) => `.next/${file}`);
const traced = [...(await tracedByUs()), ...tracedByNext()].filter((file) => /^(node_modules|clients)\//.test(file));
for (const file of new Set([...FOLDERS, ...RESOLVED, ...FILES, ...ofNext, ...traced])) {
  const from = path.join(ROOT, file);
  cpSync(from, path.join(target, file), { recursive: true, filter: isNeeded, verbatimSymlinks: true });
}
