#!/usr/bin/env bash
# A page that renders for each request, without a loading.jsx, has nothing that a link could prefetch, and Next's documentation
# says that its prefetch is skipped. Yet opening a page with twenty such links asks the server 24 times: `generateMetadata` of each
# linked page runs, with whatever it reads. A click runs it again. `prefetch={false}` on a link is the cure.
# Needs a Chromium on the path, such as Debian's.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund --save-exact next@16.4.6 react@19.3.1 react-dom@19.3.1 playwright-core@1.65.1 >/dev/null
export NEXT_TELEMETRY_DISABLED=1
mkdir -p "app/orders/[n]"
echo 'export default ({ children }) => <html><body>{children}</body></html>;' >app/layout.jsx
cat >app/page.jsx <<'JSX'
import Link from "next/link";
export default () => [...Array(20).keys()].map((n) => <Link key={n} href={`/orders/${n}`}>Order {n}.</Link>);
JSX
cat >"app/orders/[n]/page.jsx" <<'JSX'
import { headers } from "next/headers";
export async function generateMetadata() {
  await headers();
  console.log("metadata");
  return { title: "An order" };
}
export default async () => {
  await headers();
  console.log("page");
  return <p>Shipped</p>;
};
JSX
npx --no -- next build >build.log 2>&1
port=$(node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close(); });')
node node_modules/next/dist/bin/next start -p "$port" >server.log 2>&1 &
server=$!
cat >visit.mjs <<'JS'
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
const [url] = process.argv.slice(2);
while (!(await fetch(url).catch(() => undefined))?.ok) await sleep(100);
const path = execFileSync("sh", ["-c", "command -v chromium || command -v chromium-browser || command -v google-chrome"]);
const browser = await chromium.launch({ executablePath: `${path}`.trim(), args: ["--no-sandbox"] });
const page = await browser.newPage();
let asked = 0;
page.on("request", (request) => (asked += request.headers().rsc ? 1 : 0));
const runs = () => {
  const log = readFileSync("server.log", "utf8");
  return `metadata ran ${log.split("metadata\n").length - 1} times, pages ${log.split("page\n").length - 1}`;
};
await page.goto(url, { waitUntil: "networkidle" });
console.log(`20 links in view: ${asked} requests, ${runs()}`);
await page.getByText("Order 3.").click();
await page.getByText("Shipped").waitFor();
console.log(`a click: ${runs()}`);
await browser.close();
JS
seen="next $(node -p 'JSON.parse(fs.readFileSync("node_modules/next/package.json")).version')
$(node visit.mjs "http://localhost:$port/")"
echo "$seen"
[ "$seen" = 'next 16.4.6
20 links in view: 24 requests, metadata ran 20 times, pages 0
a click: metadata ran 21 times, pages 1' ] || { echo "The behaviour has changed." >&2; exit 1; }
