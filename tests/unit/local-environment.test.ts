import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { localEnvironment } from "../../scripts/local-environment.mjs";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), "switchboard-local-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const environment = () => localEnvironment({ port: 3000, databaseUrl: "postgres://localhost/x", directory });

test("secrets are random, and the same at every start", () => {
  const first = environment();
  expect(first.DEMO_LINE_TOKEN).toMatch(/^[\w-]{43}$/);
  expect(environment()).toEqual(first);
});

test("a secret that is new is added to those that were kept", () => {
  environment();
  const file = path.join(directory, "secrets.json");
  const { DEMO_LINE_TOKEN: _, ...older } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify(older));
  expect(environment()).toMatchObject({ ...older, DEMO_LINE_TOKEN: expect.stringMatching(/^[\w-]{43}$/) });
});
