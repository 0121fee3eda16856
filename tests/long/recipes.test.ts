import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { applied, readRecipes } from "../support/recipes";
import { runToEnd } from "../support/run-to-end";

vi.setConfig({ testTimeout: 600_000 });

/** What holds once a recipe was followed: a test that its reader would write. */
const PROOFS: Record<string, { imports: string; proof: string }> = {
  "A query parameter": {
    imports: 'import { openApiDocument } from "@/lib/docs/openapi";',
    proof: 'expect(JSON.stringify(openApiDocument("https://a.example").paths)).toContain(\'"name":"quality"\');',
  },
  "A filter of a list": {
    imports: 'import { readMessageFilters } from "@/lib/messages/log-view";',
    proof: 'expect(readMessageFilters({ country: "DE" }, "member")).toMatchObject({ country: "DE" });',
  },
  "A kind of alert": {
    imports: `import { attentionOf } from "@/lib/alerts/sources";
import { ALERT_KINDS } from "@/lib/workspaces/alert-kinds";`,
    proof: `const now = new Date("2026-01-05T12:00:00Z");
  const none = { lines: [], portfolios: [], templates: [], endpoints: [], budget: undefined };
  const age = { days: 1, isDue: false, isUnused: false, unusedDays: 1 };
  const keys = [{ id: "key_1", label: "old", age, expiresAt: new Date("2026-01-07T12:00:00Z") }];
  const facts = { ...none, workspaceId: "ws_1", keys, quota: { used: 0, limit: null }, recent: { messages: 0, failed: 0 }, now };
  expect(attentionOf(facts).map(({ kind }) => kind)).toEqual(["key.expiring"]);
  expect(ALERT_KINDS).toContain("key.expiring");`,
  },
};

/** A copy of the sources, with the packages and generated types of this one. */
function copyOfTheHouse(): string {
  const copy = mkdtempSync(path.join(os.tmpdir(), "switchboard-recipe-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  const files = execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" })
    .split("\0")
    .filter((file) => existsSync(file));
  for (const file of files.filter(Boolean)) cpSync(file, path.join(copy, file));
  for (const folder of ["node_modules", ".next"]) symlinkSync(path.resolve(folder), path.join(copy, folder));
  if (existsSync("next-env.d.ts")) cpSync("next-env.d.ts", path.join(copy, "next-env.d.ts"));
  return copy;
}

const run = (cwd: string, bin: string, ...args: string[]) =>
  runToEnd([process.execPath, path.resolve("node_modules", bin), ...args], { cwd });

describe.each(readRecipes())("the recipe for: $name", ({ name, files }) => {
  test("does not compile until its last step, and then does what it says", async () => {
    const copy = copyOfTheHouse();
    for (const [i, { file, hunks }] of files.entries()) {
      const place = path.join(copy, file);
      writeFileSync(place, applied(readFileSync(place, "utf8"), hunks));
      const { exitCode, stdout } = await run(copy, "typescript/bin/tsc", "--noEmit");
      const isLast = i === files.length - 1;
      if (isLast) expect([file, exitCode, stdout]).toEqual([file, 0, ""]);
      else expect([file, exitCode]).not.toEqual([file, 0]);
    }
    const { imports = "", proof = "" } = PROOFS[name] ?? {};
    const test = `import { expect, test } from "vitest";\n${imports}\n\ntest("followed", () => {\n  ${proof}\n});\n`;
    writeFileSync(path.join(copy, "tests/unit/followed.test.ts"), test);
    const { exitCode, stdout } = await run(
      copy,
      "vitest/vitest.mjs",
      "run",
      "--project",
      "unit",
      "tests/unit/followed.test.ts",
    );
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("1 passed")]);
  });
});
