import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bundle } from "../../scripts/build-server.mjs";

type Locked = { packages: Record<string, { dev?: boolean }> };
const { packages }: Locked = JSON.parse(readFileSync("package-lock.json", "utf8"));

test("the server, its pages and the commands hold no package of development: the demo builds them without", async () => {
  const entries = ["server.ts", "pages.ts", "scripts/switchboard.ts"];
  const { metafile } = await bundle(process.cwd(), entries, { metafile: true, splitting: true, write: false });
  const files = Object.keys(metafile?.inputs ?? {}).filter((file) => file.startsWith("node_modules/"));
  const names = files.map((file) => /^(?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+/.exec(file)?.[0].slice(0, -1) ?? file);
  const held = [...new Set(names)];
  expect(held).toContain("node_modules/postgres");
  expect(held.filter((name) => packages[name]?.dev !== undefined || packages[name] === undefined)).toEqual([]);
});
