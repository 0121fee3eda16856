import postgres from "postgres";
import { describe, expect, test } from "vitest";
import { failureOf } from "@/db/connect";
import { AppError } from "@/lib/core/app-error";

const refusal = (code: string, severity = "ERROR") =>
  // The declared type leaves out its constructor, which takes the fields of an ErrorResponse.
  Reflect.construct(postgres.PostgresError, [{ message: "refused", severity, severity_local: severity, code }]);

const withCode = (code: string, more: object = {}) => Object.assign(new Error("failed"), { code, ...more });

describe("the database's", () => {
  test.each([
    ["connection exceptions", ["08000", "08003", "08006", "08P01"], "lost"],
    ["a server that stops or starts", ["57P01", "57P02", "57P03"], "lost"],
    ["a primary that became a replica", ["25006"], "lost"],
    ["statements that a pooler lost or kept", ["26000", "42P05"], "lost"],
    ["disk, memory and connections", ["53000", "53100", "53200", "53300", "53400"], "busy"],
    ["deadlocks and serialization", ["40001", "40P01"], "busy"],
    ["locks and statements out of time", ["55P03", "55000", "55006", "57014"], "busy"],
    ["authorization and an unknown database", ["28000", "28P01", "3D000"], "busy"],
    ["a schema or rights of no release", ["3F000", "42P01", "42703", "42883", "42704", "42501"], "busy"],
    ["internal errors", ["XX000", "XX001", "58000", "58030", "F0000", "HV000", "72000"], "busy"],
    ["what Postgres, or what stands before it, does not support", ["0A000"], "busy"],
    ["states that Postgres does not have", ["99999", "ABCDE", ""], "busy"],
  ])("%s", (_, codes, failure) => {
    for (const code of codes) expect(failureOf(refusal(code)), code).toBe(failure);
  });

  test("whatever is FATAL or PANIC, under any state", () => {
    for (const severity of ["FATAL", "PANIC"]) {
      for (const code of ["22023", "42704", "23505", "XX000", "P0001", "54000"]) {
        expect(failureOf(refusal(code, severity)), `${severity} ${code}`).toBe("busy");
      }
    }
  });

  test.each([
    ["unreachable", ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]],
    ["lost", ["CONNECTION_CLOSED", "CONNECT_TIMEOUT", "SASL_SIGNATURE_MISMATCH", "EPROTO", "ERR_OUT_OF_RANGE"]],
    ["lost", ["DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"]],
    ["lost", ["ERR_SSL_WRONG_VERSION_NUMBER", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"]],
  ])("errors of the connection, which is %s: %j", (failure, codes) => {
    for (const code of codes) expect(failureOf(withCode(code)), code).toBe(failure);
  });

  test("any error of a socket, whatever its code", () => {
    for (const code of ["ECONNRESET", "EPIPE", "ETIMEDOUT", "EMFILE", "EADDRNOTAVAIL", "ENOBUFS"]) {
      expect(failureOf(withCode(code, { syscall: "connect" })), code).toBe("lost");
    }
  });

  test("an error anywhere in the chain of causes", () => {
    const wrapped = new Error("Failed query", { cause: new Error("inner", { cause: refusal("53100") }) });
    expect(failureOf(wrapped)).toBe("busy");
  });
});

describe("our own fault", () => {
  test.each([
    ["data", ["22001", "22021", "22P02", "22P05"]],
    ["constraints", ["23502", "23503", "23505", "23514"]],
    ["syntax and types", ["42601", "42804", "42P02", "42P18"]],
    ["transactions and cursors", ["25001", "25P02", "2D000", "34000"]],
    ["program limits", ["54000", "54001"]],
    ["exceptions that are raised", ["P0001"]],
  ])("%s", (_, codes) => {
    for (const code of codes) expect(failureOf(refusal(code)), code).toBeUndefined();
  });

  test("anything that is no error of a database", () => {
    for (const error of [
      new AppError("PLAN_LIMIT_EXCEEDED", "Used up."),
      new TypeError("x is not a function"),
      withCode("UNDEFINED_VALUE"),
      withCode("UNSAFE_TRANSACTION"),
      withCode("ERR_INVALID_ARG_TYPE"),
      "a string",
      undefined,
    ]) {
      expect(failureOf(error)).toBeUndefined();
    }
  });
});
