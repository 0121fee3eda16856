import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOwnDatabase } from "../support/own-database";
import { requestCounts, requestRows } from "../support/request-rows";
import { PHONE } from "../support/sends";
import { provisionWorkspace } from "../support/workspace";

let own: Awaited<ReturnType<typeof startOwnDatabase>>;
beforeAll(async () => {
  own = await startOwnDatabase({}, "API");
});
afterAll(() => own.stop());

const reports = () =>
  readFileSync(own.logFile, "utf8")
    .split("\n")
    .filter((line) => line.includes('"request-log.not-written"'));

describe("while the database is unavailable", () => {
  test("calls are answered as before and noted once, with the 503s, as soon as it is back", {
    timeout: 90_000,
  }, async () => {
    const workspace = await provisionWorkspace();
    const call = () => workspace.send({ type: "text", phone: PHONE, content: "Hello" });
    const before = [await call(), await call()];
    await own.stopDatabase();
    const away = [await call(), await call(), await call()];
    expect(away.map(({ status }) => status)).toEqual([503, 503, 503]);
    // The two before may have been noted a moment too late to be written.
    await expect.poll(() => reports().length, { timeout: 10_000 }).toBe(1);
    await own.startDatabase();
    const rows = await requestRows(workspace, 5);
    expect(rows.map(({ id }) => id)).toEqual([...before, ...away].map(({ headers }) => headers.get("x-request-id")));
    expect(await requestCounts(workspace)).toEqual({ "201": 2, "503 SERVICE_UNAVAILABLE": 3 });
    expect(reports()).toHaveLength(1);
  });
});
