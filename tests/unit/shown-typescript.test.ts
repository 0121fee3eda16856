import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { examplesOf, wholeExample } from "../support/client-package";
import { runToEnd } from "../support/run-to-end";

const README = "clients/typescript/README.md";
const QUICKSTART = "lib/docs/pages/quickstart.md";

test("the examples of the client's README and of the quickstart pass a compiler as strict as a partner's may be", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-shown-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const shown = [README, QUICKSTART].flatMap((file) => examplesOf(readFileSync(file, "utf8"), "ts"));
  for (const [i, { code }] of shown.entries()) writeFileSync(path.join(folder, `${i}.mts`), wholeExample(code));
  const client = path.resolve("clients/typescript/src/switchboard.ts");
  writeFileSync(path.join(folder, "client.ts"), 'export * from "switchboard-client";\n');
  writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
  const compilerOptions = {
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    target: "es2022",
    module: "nodenext",
    allowImportingTsExtensions: true,
    types: ["node"],
    typeRoots: [path.resolve("node_modules/@types")],
    paths: { "switchboard-client": [client] },
  };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts"] }));
  const compiler = path.resolve("node_modules/typescript/bin/tsc");
  const { exitCode, stdout } = await runToEnd([process.execPath, compiler, "--project", folder], { cwd: folder });
  expect([exitCode, stdout]).toEqual([0, ""]);
});

test("every example in TypeScript is one that a test compiles", () => {
  const markdown = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => path.join(folder, file));
  const files = [...["clients", "docs", "lib", "ops", "findings"].flatMap(markdown), "README.md", "CONTRIBUTING.md"];
  const counts = files.map((file) => [file, readFileSync(file, "utf8").match(/^ *```(ts|tsx|typescript)$/gm)?.length]);
  expect(Object.fromEntries(counts.filter(([, count]) => count))).toEqual({
    [README]: 5,
    [QUICKSTART]: 1,
    // tests/long/receivers.test.ts, with the frameworks that it installs.
    "lib/docs/pages/webhooks.md": 4,
    // A file of tests/support, word for word (tests/api/docs/add-an-endpoint.test.ts).
    "CONTRIBUTING.md": 1,
  });
});
