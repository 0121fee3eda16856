import { readFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";

/**
 * The common format of the test tools' reports: `{ passed, failed, skipped, flaky, failures: [{ title, message }],
 * files: [{ file, seconds }] }`. A test that passed at the second try only is under `failures`, too, with the message of
 * its first try.
 */
export const NOTHING = Object.freeze({
  passed: 0,
  failed: 0,
  skipped: 0,
  flaky: 0,
  failures: Object.freeze([]),
  files: Object.freeze([]),
});

const SHOWN_LINES = 24;
/** Stack frames outside the project. */
const FRAME_OF_OTHERS = /^ *at .*(node_modules|node:internal)/;

/** One failure outside a test. */
export function failure(title, message) {
  return { ...NOTHING, failed: 1, failures: [{ title, message }] };
}

/** The report of `vitest --reporter=json`. A file that cannot be loaded has a message, and no tests. */
export function readVitestReport(reportFile) {
  const report = JSON.parse(readFileSync(reportFile, "utf8"));
  const failures = report.testResults.flatMap(({ assertionResults, status, name, message }) => {
    const file = path.relative(process.cwd(), name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (failed.length === 0 && status === "failed") return [{ title: file, message }];
    return failed.map(({ fullName, failureMessages }) => ({
      title: `${file} › ${fullName}`,
      message: failureMessages.join("\n"),
    }));
  });
  const files = report.testResults.map(({ name, startTime, endTime }) => ({
    file: path.relative(process.cwd(), name),
    seconds: (endTime - startTime) / 1_000,
  }));
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests, numTodoTests } = report;
  return { ...NOTHING, passed, failed, skipped: numPendingTests + numTodoTests, failures, files };
}

/** The report of `playwright test --reporter=json`. */
export function readPlaywrightReport(reportFile) {
  const { suites, stats } = JSON.parse(readFileSync(reportFile, "utf8"));
  const specs = suites.flatMap(function inside({ specs = [], suites = [] }) {
    return [...specs, ...suites.flatMap(inside)];
  });
  const failures = specs.flatMap(({ file, line, title, tests }) =>
    tests
      .filter(({ status }) => status === "unexpected" || status === "flaky")
      .map(({ status, results }) => ({
        title: `${file}:${line} › ${title}${status === "flaky" ? " (passed at the second try)" : ""}`,
        message: results[0]?.errors.map(({ message }) => message).join("\n") ?? "",
      })),
  );
  const seconds = new Map();
  for (const { file, tests } of specs) {
    const ms = tests.flatMap(({ results }) => results).reduce((sum, { duration }) => sum + duration, 0);
    seconds.set(file, (seconds.get(file) ?? 0) + ms / 1_000);
  }
  const files = [...seconds].map(([file, seconds]) => ({ file, seconds }));
  const { expected, flaky, unexpected, skipped } = stats;
  return { passed: expected + flaky, failed: unexpected, skipped, flaky, failures, files };
}

/** The report of `tests/faults/run.ts --report`. */
export function readFaultReport(reportFile) {
  return { ...NOTHING, ...JSON.parse(readFileSync(reportFile, "utf8")) };
}

/** Returns the slowest files with their seconds; files of one step ran in parallel. */
export function slowestFiles(files, count) {
  return files
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, count)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${file}`)
    .join("\n");
}

/** Formats the failures for the end of a run, so that the last page of a log shows them. */
export function failuresInWords(failures) {
  return failures
    .map(({ title, message }) => {
      const lines = stripVTControlCharacters(message)
        .trim()
        .split("\n")
        .filter((line) => !FRAME_OF_OTHERS.test(line));
      const cut = lines.length > SHOWN_LINES ? [...lines.slice(0, SHOWN_LINES), "…"] : lines;
      return [`✗ ${title}`, ...cut.map((line) => `    ${line}`)].join("\n").trimEnd();
    })
    .join("\n\n");
}
