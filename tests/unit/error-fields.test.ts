import { describe, expect, test } from "vitest";
import { errorFields } from "@/lib/log";

const QUERY = 'Failed query: update "messages" set "phase" = $1\n  where "id" = $2\nparams: SENT,wamid.447700900123';

describe("what an error leaves in the log", () => {
  test("is what lies at its root, and never a query's values", () => {
    const driver = Object.assign(new Error('value "447700900123" is too long'), {
      name: "PostgresError",
      code: "22001",
    });
    const wrapped = new Error("away", { cause: new Error(QUERY, { cause: driver }) });
    expect(errorFields(wrapped)).toMatchObject({ error: "PostgresError", code: "22001", message: undefined });
    expect(JSON.stringify(errorFields(wrapped))).not.toMatch(/447700900123|params/);
  });

  test("holds no value either where nothing lies below the query", () => {
    const logged = JSON.stringify(errorFields(new Error(QUERY)));
    expect(logged).not.toMatch(/447700900123|params|Failed query/);
    expect(logged).toContain("    at ");
  });

  test("is the text and the place of an error of our own", () => {
    expect(errorFields(new TypeError("no such line"))).toMatchObject({ error: "TypeError", message: "no such line" });
    expect(errorFields("a word")).toEqual({ error: "a word" });
  });
});
