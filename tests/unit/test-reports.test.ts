import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { failuresInWords, readPlaywrightReport, readVitestReport, slowestFiles } from "../../scripts/test-reports.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-reports-"));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (report: object): string => {
  const file = path.join(folder, crypto.randomUUID());
  writeFileSync(file, JSON.stringify(report));
  return file;
};

describe("a report of Vitest", () => {
  test("gives the counts, and each failed test with its file and its message", () => {
    const failed = { status: "failed", fullName: "429 is returned", failureMessages: ["expected 201\n to be 429"] };
    const passed = { status: "passed", fullName: "200 is returned", failureMessages: [] };
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
          startTime: 1_000,
          endTime: 3_500,
          assertionResults: [passed, failed],
        },
        {
          name: path.resolve("tests/api/b.test.ts"),
          status: "failed",
          message: "no such module",
          startTime: 1_000,
          endTime: 1_000,
          assertionResults: [],
        },
        {
          name: path.resolve("tests/api/c.test.ts"),
          status: "passed",
          message: "",
          startTime: 2_000,
          endTime: 12_000,
          assertionResults: [passed],
        },
      ],
    };
    expect(readVitestReport(fileOf(report))).toEqual({
      passed: 7,
      failed: 2,
      skipped: 2,
      flaky: 0,
      failures: [
        { title: path.join("tests/api/a.test.ts › 429 is returned"), message: "expected 201\n to be 429" },
        { title: path.join("tests/api/b.test.ts"), message: "no such module" },
      ],
      files: [
        { file: path.join("tests/api/a.test.ts"), seconds: 2.5 },
        { file: path.join("tests/api/b.test.ts"), seconds: 0 },
        { file: path.join("tests/api/c.test.ts"), seconds: 10 },
      ],
    });
  });
});

describe("a report of Playwright", () => {
  test("names failed tests at any depth, and those that passed at the second try with what the first said", () => {
    const results = [
      { errors: [{ message: "Expected: 429" }], duration: 400 },
      { errors: [], duration: 100 },
    ];
    const spec = (title: string, status: string) => ({
      title,
      file: "requests.spec.ts",
      line: 41,
      tests: [{ status, results: status === "expected" ? [{ errors: [], duration: 1_500 }] : results }],
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
      files: [{ file: path.join("tests/dashboard/requests.spec.ts"), seconds: 2.5 }],
    });
  });
});

test("the slowest files come first, and no more than asked for", () => {
  const files = [1, 30, 4.25].map((seconds) => ({ file: `${seconds}.test.ts`, seconds }));
  expect(slowestFiles(files, 2)).toBe("  30.0 s  30.test.ts\n   4.3 s  4.25.test.ts");
});

describe("failures in words", () => {
  test("are shown without colours, and a long one is cut", () => {
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
