import { describe, expect, test } from "vitest";
import { EnvError, readEnv } from "@/lib/core/env";

const REQUIRED = {
  DATABASE_URL: "postgres://localhost/switchboard",
  APP_URL: "https://messages.example.com",
  NEXTAUTH_SECRET: "sessions, as signed by this test",
  KEY_PEPPER: "a pepper for the secrets of keys",
  ENCRYPTION_KEY: "a key that encrypts access tokens",
  WHATSAPP_APP_SECRET: "app secret",
  WHATSAPP_VERIFY_TOKEN: "verify token",
};

const faultsOf = (source: Record<string, string | undefined>) => {
  try {
    readEnv(source);
  } catch (error) {
    if (error instanceof EnvError) return error.faults;
    throw error;
  }
  return [];
};

describe("MESSAGE_RETENTION_DAYS", () => {
  test("is 90 unless it is set, from 1 day to 10 years", () => {
    const days = (given: string) => readEnv({ ...REQUIRED, MESSAGE_RETENTION_DAYS: given }).MESSAGE_RETENTION_DAYS;
    expect([days(""), days("1"), days("3650")]).toEqual([90, 1, 3_650]);
    for (const wrong of ["0", "3651", "-1", "7d"]) expect(() => days(wrong)).toThrow(/MESSAGE_RETENTION_DAYS must be/);
  });
});

describe("what is missing", () => {
  test("is named all at once", () => {
    const missing = Object.keys(REQUIRED).map((name) => `${name} is required`);
    expect(faultsOf({}).toSorted()).toEqual(missing.toSorted());
  });

  test("includes what is set but empty", () => {
    expect(faultsOf({ ...REQUIRED, KEY_PEPPER: "" })).toEqual(["KEY_PEPPER is required"]);
  });

  test("is in the message of the error, so that a start that fails says it", () => {
    expect(() => readEnv({ ...REQUIRED, APP_URL: "", KEY_PEPPER: "" })).toThrow(
      /APP_URL is required\n.*KEY_PEPPER is required/,
    );
  });
});

describe("a value that cannot be used", () => {
  test.each([
    ...["mysql://localhost/x", "localhost", "postgres://", "postgres:///name"].map((url) => ["DATABASE_URL", url]),
    ...["user:100%@host", "user:pass/word@host", "host:99999", "host:port"].map((host) => [
      "DATABASE_URL",
      `postgres://${host}/name`,
    ]),
    ["DATABASE_URL", "postgres://host/name\n"],
    ...["999999999", "1001", "0"].map((size) => ["DATABASE_POOL_MAX", size]),
    ["WHATSAPP_GRAPH_URL", "https://graph.facebook.com\n"],
    ["WHATSAPP_GRAPH_URL", "https://user:word@graph.facebook.com"],
    ["WHATSAPP_GRAPH_URL", "https://graph.facebook.com?a=b"],
    ...["media.internal:70000", "https://media.internal"].map((host) => ["MEDIA_FETCH_ALLOW", host]),
    ...["messages.example.com", "https://messages.example.com/path"].map((url) => ["APP_URL", url]),
    ["NEXTAUTH_SECRET", "short"],
    ...["0", "-5", "1e3"].map((limit) => ["PUBLIC_API_KEY_RATE_LIMIT", limit]),
    ["PUBLIC_API_IP_RATE_LIMIT", "many"],
    ["TRUSTED_PROXY_HOPS", "0x1"],
    ["DEFAULT_PLAN", "gold"],
    ["ALLOW_SIGN_UP", "yes"],
    ["ALLOW_OWNER_PLANS", "1"],
    ["WEBHOOK_ALLOW", "https://orders.internal"],
    ["WHATSAPP_GRAPH_VERSION", "25"],
  ] as [string, string][])("stops the start: %s=%s", (name, value) => {
    const faults = faultsOf({ ...REQUIRED, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name} (must|Invalid)`));
    expect(faults[0]).not.toContain("is required");
  });

  test("is an id of Meta in other than digits", () => {
    const faults = faultsOf({ ...REQUIRED, META_APP_ID: "1234567890", META_CONFIG_ID: "my-config" });
    expect(faults).toEqual(["META_CONFIG_ID must be an id of 5 to 20 digits"]);
  });

  const SECRETS = ["NEXTAUTH_SECRET", "KEY_PEPPER", "ENCRYPTION_KEY"];
  const OF_WHATSAPP = ["WHATSAPP_APP_SECRET", "WHATSAPP_APP_SECRET_PREVIOUS", "WHATSAPP_VERIFY_TOKEN"];
  const WORDS = [...OF_WHATSAPP, "GITHUB_ID", "GOOGLE_SECRET"];
  const PREVIOUS = ["KEY_PEPPER_PREVIOUS", "ENCRYPTION_KEY_PREVIOUS"];
  const IN_HEADERS = ["CRON_SECRET", "UPSTASH_REDIS_REST_TOKEN"];
  const good = "oHcF2vWbq0m1yT9sXzR4kLJ7pQdA6uNe";

  test.each([
    ...[...SECRETS, ...WORDS, ...PREVIOUS, ...IN_HEADERS].map((name) => [
      name,
      " ".repeat(40),
      "must not be only blanks",
    ]),
    ...[...SECRETS, ...WORDS].flatMap((name) => [
      ...["\n", `\0${good}`].map((end) => [
        name,
        good + end,
        "must not hold a line break or another control character",
      ]),
      [name, ` ${good}`, "must not begin or end with a blank"],
    ]),
    ...[...SECRETS, "WHATSAPP_APP_SECRET", "CRON_SECRET"].flatMap((name) => [
      [name, "x".repeat(40), "must not be one or two characters repeated"],
      [name, "01".repeat(20), "must not be one or two characters repeated"],
    ]),
    ...IN_HEADERS.flatMap((name) => [
      [name, `${good} ${good}`, "because it goes in a header"],
      [name, `${good}ü`, "because it goes in a header"],
    ]),
    ...[...SECRETS, ...PREVIOUS].map((name) => [name, good.slice(1), "must be at least 32 characters"]),
  ])("is a secret that nothing is kept by, and it is not repeated: %s=%j", (name, value, words) => {
    const faults = faultsOf({ ...REQUIRED, [name]: value }).filter((fault) => fault.startsWith(`${name} `));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(words);
    expect(faults[0]).not.toContain(value.trim() || value);
  });

  test("never quotes what may hold a password", () => {
    const urls = ["postgres://u:hidden-word%@host/x", "mysql://u:hidden-word@host/x", "postgres://u:hidden-word@/x"];
    for (const DATABASE_URL of urls) {
      expect(faultsOf({ ...REQUIRED, DATABASE_URL }).join()).toMatch(/^DATABASE_URL must (?!.*hidden-word)/);
    }
  });

  test("may go on as the previous one, so that it can be replaced", () => {
    const before = { KEY_PEPPER_PREVIOUS: ` ${good}\n`, ENCRYPTION_KEY_PREVIOUS: "x".repeat(32) };
    expect(readEnv({ ...REQUIRED, ...before })).toMatchObject(before);
  });

  test.each([
    "postgresql://user:p%40ss%25@db.example.com:5432/name?sslmode=require",
    "postgres://user:word@10.0.0.1",
    "postgres://user:word@[::1]:5432/name",
    "postgres://user:word@one:5432,two:5433/name?target_session_attrs=read-write",
  ])("is not an address of Postgres that can be used: %s", (DATABASE_URL) => {
    expect(readEnv({ ...REQUIRED, DATABASE_URL }).DATABASE_URL).toBe(DATABASE_URL);
  });

  test.each([
    ["UPSTASH_REDIS_REST_URL", "https://eu1.upstash.example", "UPSTASH_REDIS_REST_TOKEN"],
    ["GITHUB_SECRET", "secret", "GITHUB_ID"],
    ["META_APP_ID", "1234567890", "META_CONFIG_ID"],
    ["GOOGLE_ID", "id", "GOOGLE_SECRET"],
  ])("is %s alone, and the one to add is named", (name, value, other) => {
    expect(faultsOf({ ...REQUIRED, [name]: value }).join()).toContain(other);
  });
});

describe("what may be absent", () => {
  test("has the defaults that operators were promised", () => {
    expect(readEnv(REQUIRED)).toMatchObject({
      WHATSAPP_GRAPH_URL: "https://graph.facebook.com",
      WHATSAPP_GRAPH_VERSION: "v25.0",
      PUBLIC_API_KEY_RATE_LIMIT: 300,
      PUBLIC_API_IP_RATE_LIMIT: 100,
      TRUSTED_PROXY_HOPS: 0,
      DEFAULT_PLAN: "unlimited",
      ALLOW_SIGN_UP: false,
      MEDIA_FETCH_ALLOW: [],
      WEBHOOK_ALLOW: [],
    });
  });

  test.each([
    [{}, true],
    [{ ALLOW_SIGN_UP: "false" }, true],
    [{ ALLOW_SIGN_UP: "true" }, false],
    [{ ALLOW_SIGN_UP: "true", ALLOW_OWNER_PLANS: "true" }, true],
    [{ ALLOW_SIGN_UP: "false", ALLOW_OWNER_PLANS: "false" }, false],
  ])("%j lets owners change their limit: %s", (given, mayChange) => {
    expect(readEnv({ ...REQUIRED, ...given }).ALLOW_OWNER_PLANS).toBe(mayChange);
  });

  test("is read into what the program works with", () => {
    const hosts = { MEDIA_FETCH_ALLOW: "Media.internal:8080, [::1]:9000", APP_URL: "https://messages.example.com/" };
    const env = readEnv({ ...REQUIRED, ...hosts, ALLOW_SIGN_UP: "true", PUBLIC_API_KEY_RATE_LIMIT: "450" });
    expect(env).toMatchObject({
      APP_URL: "https://messages.example.com",
      ALLOW_SIGN_UP: true,
      MEDIA_FETCH_ALLOW: ["media.internal:8080", "[::1]:9000"],
      PUBLIC_API_KEY_RATE_LIMIT: 450,
    });
  });
});
