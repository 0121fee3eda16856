import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Bundles the self-hosted server of the tree at `root` into `.next/switchboard/`: its front door with the routes of the
 * API, and the page process. Packages stay where npm puts them.
 */
export async function buildServer(root = ROOT) {
  await build({
    absWorkingDir: root,
    entryPoints: ["server.ts", "pages.ts"],
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
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "warning",
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildServer();
