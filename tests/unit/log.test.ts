import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { describe, expect, test } from "vitest";
import { errorFields } from "@/lib/core/log";
import { toAppError } from "@/lib/http/api-route";

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

test("an error of the system says its path, a missing module its name", async () => {
  const missing = await open("/nowhere/file").catch((error: unknown) => error);
  expect(errorFields(missing)).toMatchObject({ code: "ENOENT", message: expect.stringContaining("/nowhere/file") });
  const found = Object.assign(new Error("Cannot find module 'left-pad'"), { code: "MODULE_NOT_FOUND" });
  expect(errorFields(found).message).toContain("left-pad");
});

test("an error of a connection says its reason: every error of PgBouncer has the same code", () => {
  const refused = Object.assign(new Error("query_wait_timeout"), { name: "PostgresError", code: "08P01" });
  const failed = new Error("Failed query: select, with a value", { cause: refused });
  expect(errorFields(failed)).toMatchObject({ code: "08P01", message: "query_wait_timeout" });
  const duplicate = Object.assign(new Error("Key (email)=(zoe@example.test) exists"), { code: "23505" });
  expect(errorFields(duplicate).message).toBeUndefined();
});

test("an error of an argument keeps the argument to itself", () => {
  const fault = Object.assign(new TypeError("Received 'secret-word'"), { code: "ERR_INVALID_ARG_VALUE" });
  expect(JSON.stringify(errorFields(fault))).not.toContain("secret-word");
});

test("what is thrown without being an error is text", () => {
  expect(errorFields("out of order")).toEqual({ error: "out of order" });
});

describe("lines of a process", () => {
  const secret = "abcdefghijklmnopqrstuvwxyz0123456789";
  const ENVIRONMENT = {
    NODE_ENV: "test" as const,
    APP_URL: "http://localhost:3000",
    DATABASE_URL: "postgres://user:password@127.0.0.1:5432/name",
    NEXTAUTH_SECRET: secret,
    KEY_PEPPER: secret,
    ENCRYPTION_KEY: secret,
    WHATSAPP_APP_SECRET: secret,
    WHATSAPP_VERIFY_TOKEN: secret,
  };

  /** What a program with `log` and `announce` writes, read at once or only after its first word on stderr. */
  const linesOf = async (program: string, readOnce?: "it says so"): Promise<Record<string, unknown>[]> => {
    const source = path.resolve("lib/core/log.ts");
    const main = `const { log, announce } = await import(${JSON.stringify(source)}); ${program}`;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", main], {
      env: { ...ENVIRONMENT, PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (readOnce === "it says so") await once(child.stderr, "data");
    const written = await text(child.stdout);
    return written
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  };
  test.each([
    ["ends by itself", ""],
    ["is ended", "process.exit(0);"],
    ["fails", "setTimeout(() => { throw new Error('planned'); });"],
    ["is told to stop", "process.on('SIGTERM', () => process.exit(0)); process.kill(process.pid, 'SIGTERM');"],
  ])("are all written in their order when it %s", async (_, end) => {
    const lines = await linesOf(`for (let n = 0; n < 500; n++) log("info", "counted", { n }); ${end}`);
    expect(lines.map(({ n }) => n)).toEqual(Array.from({ length: 500 }, (_, n) => n));
  });

  test("are written while it runs", async () => {
    const [first, second] = await linesOf(`
      log("info", "first");
      setTimeout(() => { log("info", "second", { queued: process.stdout.writableLength }); process.kill(process.pid, "SIGKILL"); }, 300);
    `);
    expect(first).toMatchObject({ event: "first" });
    expect(second).toBeUndefined();
  });

  test("that nobody reads are bounded, and the gap says how many it has lost", async () => {
    const lines = await linesOf(
      `
      const word = "x".repeat(1_000);
      let n = 0;
      const more = setInterval(() => {
        for (let i = 0; i < 1_000; i++) log("info", "counted", { n: n++, word });
        if (n < 20_000) return;
        clearInterval(more);
        process.stderr.write("read now");
        setTimeout(() => log("info", "end", { n }), 4_000);
        setTimeout(() => {}, 5_000);
      }, 25);
    `,
      "it says so",
    );
    const lost = lines.filter(({ event }) => event === "log.lost").reduce((sum, { lines }) => sum + Number(lines), 0);
    expect(lost).toBeGreaterThan(10_000);
    expect(lines.filter(({ event }) => event === "counted").length + lost).toBe(20_000);
    expect(lines.at(-1)).toMatchObject({ event: "end" });
  });
});

test("the log of a 500 has what was thrown, also where that is no error", () => {
  expect(errorFields(toAppError("boom"))).toMatchObject({ error: "Error", message: "boom" });
});
