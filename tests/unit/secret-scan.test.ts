import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { closeRunLogs, noteSecrets } from "../support/run-logs";
import { found, logScan } from "../support/secret-scan";

const SECRET = "a planted+secret/word";
const PHONE = "447700900123";

describe("a planted word is found", () => {
  test.each([
    ["in plain", SECRET],
    ["in JSON", JSON.stringify({ a: `${SECRET}"` })],
    ["in a URL", encodeURIComponent(SECRET)],
    ["in hexadecimal", `\\\\x${Buffer.from(`x${SECRET}y`).toString("hex")}`],
    ["in base 64", Buffer.from(SECRET).toString("base64")],
    ["in base 64, one byte on", Buffer.from(`x${SECRET}yz`).toString("base64")],
    ["in base 64, two bytes on", Buffer.from(`xx${SECRET}`).toString("base64")],
    ["at the end of a long text", `${"nothing ".repeat(10_000)}${SECRET}`],
  ])("%s", (_how, text) => {
    expect(found(`..${text}..`, ["another word", SECRET])).toEqual([SECRET]);
  });

  test("also where two words begin alike, and one holds the other", () => {
    expect(found(`+${PHONE}4`, [PHONE, `${PHONE}4`, `${PHONE}5`])).toEqual([PHONE, `${PHONE}4`]);
  });

  test("among ten thousand others", () => {
    const others = Array.from({ length: 10_000 }, (_, i) => `another secret ${i}!`);
    expect(found(`a ${SECRET} b`, [...others, SECRET])).toEqual([SECRET]);
  });
});

describe("a log", () => {
  const secrets = [
    { kind: "a password", word: SECRET },
    { kind: "a recipient's number", word: PHONE },
  ];

  test("is reported by line and kind, never by the word", () => {
    const log = `fine\n{"path":"/${PHONE}","to":"${PHONE}"}\nfine\nBearer ${Buffer.from(SECRET).toString("base64")}`;
    const findings = logScan(secrets)(log);
    expect(findings).toEqual([
      { kind: "a recipient's number", line: 2 },
      { kind: "a password", line: 4 },
    ]);
    expect(found(JSON.stringify(findings), [SECRET, PHONE])).toEqual([]);
  });

  test("holds no API secret, whether someone noted it or not", () => {
    expect(logScan([])(`sk_live_${"aB3".repeat(8)}`)).toEqual([{ kind: "an API secret", line: 1 }]);
    expect(logScan([])("sk_live_… is how a path shows one")).toEqual([]);
  });
});

test("the end of a run reads its logs only, not the folder that a server without pages keeps beside its own", () => {
  const logs = mkdtempSync(path.join(os.tmpdir(), "switchboard-logs-"));
  vi.stubEnv("TEST_LOGS", logs);
  mkdirSync(path.join(logs, "metrics"));
  writeFileSync(path.join(logs, "server-1.log"), "{}\n");
  noteSecrets("KEY_PEPPER", ["pepper-of-this-test"]);
  expect(() => closeRunLogs()).not.toThrow();
  expect(existsSync(logs)).toBe(false);
  vi.unstubAllEnvs();
});
