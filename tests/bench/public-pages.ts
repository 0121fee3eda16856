// `npm run bench -- public-pages`: the CPU that the server spends on each public page and file for a stranger.

import { withProgress } from "../../scripts/progress.mjs";
import { cpuMs } from "../support/cpu-time";
import { startEnvironment, startInstance } from "../support/environment";
import { PUBLIC_PAGES } from "../support/pages";
import { tableOf } from "../support/table";
import { provisionWorkspace } from "../support/workspace";

const REQUESTS = 40;
const FILES = [
  "/openapi.json",
  "/llms.txt",
  "/docs/client.ts",
  "/docs/search-index.json",
  "/sitemap.xml",
  "/robots.txt",
];

const stop = await startEnvironment();
const server = await startInstance({});
try {
  // A deployment without any account shows its set-up in place of the sign-in.
  await provisionWorkspace();
  const rows: string[][] = [];
  const paths = [...PUBLIC_PAGES.map(({ path }) => path), "/docs/reference.md", ...FILES];
  for (const path of paths) {
    const ask = async () => (await (await fetch(`${server.baseUrl}${path}`)).arrayBuffer()).byteLength;
    const bytes = await ask();
    await ask();
    const before = cpuMs(server.pid);
    await withProgress(path, async () => {
      for (let i = 0; i < REQUESTS; i++) await ask();
    });
    rows.push([path, ((cpuMs(server.pid) - before) / REQUESTS).toFixed(1), `${Math.round(bytes / 1_024)}`]);
  }
  console.log(tableOf(["Page", "CPU ms a request", "KB"], rows));
} finally {
  await server.stop();
  await stop();
}
