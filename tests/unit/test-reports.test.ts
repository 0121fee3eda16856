import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { failuresInWords, readPlaywrightReport, readVitestReport } from "../../scripts/test-reports.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-reports-"));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (report: object): string => {
  const file = path.join(folder, crypto.randomUUID());
  writeFileSync(file, JSON.stringify(report));
  return file;
};

describe("a report of Vitest", () => {
  test("gives the counts, and each failed test with its file and its message", () => {
    const failed = { status: "failed", fullName: "429 is told", failureMessages: ["expected 201\n to be 429"] };
    const passed = { status: "passed", fullName: "200 is told", failureMessages: [] };
    const report = {
      numPassedTests: 7,
      numFailedTests: 2,
      numPendingTests: 1,
      numTodoTests: 1,
      testResults: [
        {
          name: path.resolve("tests/api/a.test.ts"),
          status: "failed",
          message: "",
          assertionResults: [passed, failed],
        },
        {
          name: path.resolve("tests/api/b.test.ts"),
          status: "failed",
          message: "no such module",
          assertionResults: [],
        },
        { name: path.resolve("tests/api/c.test.ts"), status: "passed", message: "", assertionResults: [passed] },
      ],
    };
    expect(readVitestReport(fileOf(report))).toEqual({
      passed: 7,
      failed: 2,
      skipped: 2,
      flaky: 0,
      failures: [
        { title: path.join("tests/api/a.test.ts › 429 is told"), message: "expected 201\n to be 429" },
        { title: path.join("tests/api/b.test.ts"), message: "no such module" },
      ],
    });
  });
});

describe("a report of Playwright", () => {
  test("names failed tests at any depth, and those that passed at the second try with what the first said", () => {
    const results = [{ errors: [{ message: "Expected: 429" }] }, { errors: [] }];
    const spec = (title: string, status: string) => ({
      title,
      file: "requests.spec.ts",
      line: 41,
      tests: [{ status, results: status === "expected" ? [{ errors: [] }] : results }],
    });
    const report = {
      stats: { expected: 3, flaky: 1, unexpected: 1, skipped: 2 },
      suites: [
        { specs: [spec("passes", "expected")], suites: [{ specs: [spec("fails", "unexpected")] }] },
        { specs: [spec("wavers", "flaky")] },
      ],
    };
    expect(readPlaywrightReport(fileOf(report))).toEqual({
      passed: 4,
      failed: 1,
      skipped: 2,
      flaky: 1,
      failures: [
        { title: "requests.spec.ts:41 › fails", message: "Expected: 429" },
        { title: "requests.spec.ts:41 › wavers (passed at the second try)", message: "Expected: 429" },
      ],
    });
  });
});

describe("failures in words", () => {
  test("are told without colours, and a long one is cut", () => {
    const message = ["\u001b[31mred\u001b[39m", "    at f (/x/node_modules/y.js:1:1)", ...Array(40).fill("more")].join(
      "\n",
    );
    const lines = failuresInWords([
      { title: "one", message },
      { title: "two", message: "" },
    ]).split("\n");
    expect(lines.slice(0, 3)).toEqual(["✗ one", "    red", "    more"]);
    expect(lines.slice(-5)).toEqual(["    more", "    more", "    …", "", "✗ two"]);
  });
});
