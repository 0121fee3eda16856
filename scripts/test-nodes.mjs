import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { DATA_DIRECTORY } from "./local-environment.mjs";
import { exitOf, spawnNode } from "./processes.mjs";

/**
 * `npm test -- nodes`: the oldest Node that builds and runs Switchboard, and the newest. Each checks lint, types and, where
 * Vitest's packages run on it, unit tests; then the contract's core against the build and the servers of that Node.
 */
const NODES = [
  { version: "20.9.0", checks: ["lint", "types"] },
  { version: "26.10.0", checks: ["verify"] },
];
const CONTRACT = [
  "messages/send-message",
  "messages/send-template",
  "messages/send-interactive",
  "messages/idempotency",
  "messages/idempotency-races",
  "messages/get-message",
  "messages/platform-silence",
  "templates/list-templates",
  "limits/rate-limits",
  "media/send-media",
  "webhooks/whatsapp-webhook",
  "server/authentication",
  "server/drain",
  "server/start",
  "server/upgrade",
  "commands/commands",
  "commands/doctor",
  "members/sessions",
  "pages/page-headers",
].map((name) => `tests/api/${name}.test.ts`);

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const VITEST = path.join(ROOT, "node_modules", "vitest", "vitest.mjs");
const NPM = process.env.npm_execpath;
if (!NPM) throw new Error("Start this with `npm test -- nodes`.");

for (const { version, checks } of NODES) {
  const folder = path.join(DATA_DIRECTORY, "nodes", version);
  const node = path.join(folder, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(node)) await run([NPM, "install", "--silent", "--prefix", folder, `node@${version}`]);
  const underIt = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` };
  for (const check of checks) await run([NPM, "test", "--", check], underIt);
  // Each builds for itself.
  rmSync(path.join(ROOT, ".next", "built-from"), { force: true });
  await run([VITEST, "run", "--project", "api", ...CONTRACT], { ...process.env, TEST_NODE: node });
  console.log(`\nNode ${version}: ${checks.join(", ")} and the contract's core pass.`);
}

async function run(args, env = process.env) {
  const code = await exitOf(spawnNode(args, { cwd: ROOT, env, stdout: "inherit", stderr: "inherit" }));
  if (code !== 0) process.exit(1);
}
