import { DrizzleQueryError } from "drizzle-orm/errors";
import { expect, test } from "vitest";
import { errorFields } from "@/lib/core/log";

test("a failed query leaves its code and no value of it, however often it was wrapped", () => {
  const refused = Object.assign(new Error("invalid value kim@acme.test"), { code: "22P02" });
  const query = new DrizzleQueryError("select 1 from users where email = $1", ["kim@acme.test"], refused);
  const fields = errorFields(new Error("the connection is busy", { cause: query }));
  expect(fields).toMatchObject({ error: "Error", code: "22P02" });
  expect(JSON.stringify(fields)).not.toContain("kim@acme.test");
});

test("a failed query that wraps nothing leaves no value either", () => {
  const logged = JSON.stringify(
    errorFields(new Error("Failed query: update x\n  where id = $1\nparams: 447700900123")),
  );
  expect(logged).not.toMatch(/447700900123|params|Failed query/);
});

test("an error that wraps none says where it was thrown, and a message of several lines stays out of that", () => {
  const { message, stack } = errorFields(new TypeError("one\ntwo"));
  expect(message).toBe("one\ntwo");
  expect(stack).toEqual(expect.arrayContaining([expect.stringContaining("log.test.ts")]));
  expect(JSON.stringify(stack)).not.toContain("two");
});

test("what is thrown without being an error is text", () => {
  expect(errorFields("out of order")).toEqual({ error: "out of order" });
});
