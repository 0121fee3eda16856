import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** A file, what it imports, and whether the house allows it. */
const PLANTED = [
  ["db/planted-a.ts", "@/lib/core/log", false],
  ["db/planted-b.ts", "@/lib/core/env", true],
  ["lib/messages/planted-a.ts", "@/lib/public-api/route", false],
  ["lib/messages/planted-b.ts", "@/app/page", false],
  ["lib/messages/planted-c.ts", "next/headers", false],
  ["lib/messages/planted-d.ts", "../public-api/route", false],
  ["lib/messages/planted-e.ts", "@/db/client", true],
  ["lib/whatsapp/planted-a.ts", "@/db/client", false],
  ["lib/whatsapp/planted-b.ts", "@/lib/public-api/route", false],
  ["lib/sandbox/planted-a.ts", "@/db/schema", false],
  ["lib/public-api/planted-a.ts", "next/server", false],
  ["lib/public-api/planted-b.ts", "@/lib/auth/member", false],
  ["lib/public-api/planted-c.ts", "@/lib/messages/queries", true],
  ["lib/auth/planted-a.ts", "@/app/page", false],
  ["lib/auth/planted-b.ts", "next/headers", true],
  ["lib/server/planted-a.ts", "next", false],
  ["lib/server/planted-b.ts", "@/lib/public-api/methods", true],
  ["app/api/planted/route.ts", "next/server", false],
  ["app/api/planted-b/route.ts", "@/db/client", false],
  ["app/planted/page.tsx", "@/db/client", false],
  ["app/planted/actions.ts", "@/lib/whatsapp/client", false],
] as const;

const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "switchboard-imports-")));
let refused: string[] = [];

beforeAll(() => {
  const { vcs: _, ...config } = JSON.parse(
    readFileSync("biome.json", "utf8").replaceAll("./scripts/", `${path.resolve("scripts")}/`),
  );
  writeFileSync(path.join(root, "biome.json"), JSON.stringify(config));
  for (const [file, source] of PLANTED) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), `import { planted } from "${source}";\nplanted();\n`);
  }
  refused = lint().map((file) => path.relative(root, path.resolve(root, file)));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the linter", () => {
  test.each(PLANTED)("%s may import %s: %s", (file, _source, isAllowed) => {
    expect(refused.includes(file)).toBe(!isAllowed);
  });
});

const lint = (): string[] => {
  const biome = path.resolve("node_modules/@biomejs/biome/bin/biome");
  const output = run(() =>
    execFileSync(process.execPath, [biome, "lint", "--max-diagnostics=200", "--reporter=github"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  return [...output.matchAll(/title=lint\/style\/noRestrictedImports,file=([^,]+),/g)].map(([, file]) => file ?? "");
};

/** The linter ends with an error where it finds something; what it found is on its output all the same. */
const run = (command: () => string): string => {
  try {
    return command();
  } catch (error) {
    return error instanceof Error && "stdout" in error ? String(error.stdout) : "";
  }
};
