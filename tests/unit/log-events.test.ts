import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const files = ["app", "lib", "db"]
  .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map(({ parentPath, name }) => path.join(parentPath, name));

/** The events of the calls of `log` at these levels and of `announce`: each call up to its fields or its end. */
const eventsOf = (text: string): string[] =>
  (text.match(/\b(log|announce)\([^;{}]*/g) ?? [])
    .filter((call) => call.startsWith("announce") || /"(warn|error)"/.test(call))
    .flatMap((call) => call.match(/(?<=")[a-zA-Z-]+(\.[a-zA-Z-]+)*(?=", |"\)|",\n)/g) ?? [])
    .filter((word) => !["debug", "info", "warn", "error"].includes(word));

test("each event that is logged as a warning or an error is in the operator's guide", () => {
  const events = new Set([...files, "server.ts", "pages.ts"].flatMap((file) => eventsOf(readFileSync(file, "utf8"))));
  expect(events.size).toBeGreaterThan(40);
  const guide = readFileSync("docs/operations.md", "utf8");
  expect([...events].filter((event) => !guide.includes(`\`${event}\``)).toSorted()).toEqual([]);
});
