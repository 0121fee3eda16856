import { describe, expect, test } from "vitest";
import { EnvError, readEnv } from "@/lib/env";

const REQUIRED = {
  DATABASE_URL: "postgres://localhost/switchboard",
  APP_URL: "https://messages.example.com",
  NEXTAUTH_SECRET: "n".repeat(32),
  KEY_PEPPER: "k".repeat(32),
  ENCRYPTION_KEY: "e".repeat(32),
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
    expect(faultsOf({}).sort()).toEqual(
      Object.keys(REQUIRED)
        .map((name) => `${name} is missing`)
        .sort(),
    );
  });

  test("includes what is set but empty", () => {
    expect(faultsOf({ ...REQUIRED, KEY_PEPPER: "" })).toEqual(["KEY_PEPPER is missing"]);
  });

  test("is in the message of the error, so that a start that fails says it", () => {
    expect(() => readEnv({ ...REQUIRED, APP_URL: "", KEY_PEPPER: "" })).toThrow(
      /APP_URL is missing\n.*KEY_PEPPER is missing/,
    );
  });
});

describe("a value that cannot be used", () => {
  test.each([
    ["DATABASE_URL", "mysql://localhost/x"],
    ["APP_URL", "messages.example.com"],
    ["APP_URL", "https://messages.example.com/path"],
    ["NEXTAUTH_SECRET", "short"],
    ["PUBLIC_API_KEY_RATE_LIMIT", "0"],
    ["PUBLIC_API_KEY_RATE_LIMIT", "-5"],
    ["PUBLIC_API_KEY_RATE_LIMIT", "1e3"],
    ["PUBLIC_API_IP_RATE_LIMIT", "many"],
    ["TRUSTED_PROXY_HOPS", "0x1"],
    ["DEFAULT_PLAN", "gold"],
    ["ALLOW_SIGN_UP", "yes"],
    ["ALLOW_OWNER_PLANS", "1"],
    ["MEDIA_FETCH_ALLOW", "https://media.internal"],
    ["WHATSAPP_GRAPH_VERSION", "25"],
  ])("stops the start: %s=%s", (name, value) => {
    const faults = faultsOf({ ...REQUIRED, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name} (must|Invalid)`));
    expect(faults[0]).not.toContain("is missing");
  });

  test.each([
    ["UPSTASH_REDIS_REST_URL", "https://eu1.upstash.example", "UPSTASH_REDIS_REST_TOKEN"],
    ["GITHUB_SECRET", "secret", "GITHUB_ID"],
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
    const env = readEnv({
      ...REQUIRED,
      APP_URL: "https://messages.example.com/",
      ALLOW_SIGN_UP: "true",
      MEDIA_FETCH_ALLOW: "Media.internal:8080, [::1]:9000",
      PUBLIC_API_KEY_RATE_LIMIT: "450",
    });
    expect(env.APP_URL).toBe("https://messages.example.com");
    expect(env.ALLOW_SIGN_UP).toBe(true);
    expect(env.MEDIA_FETCH_ALLOW).toEqual(["media.internal:8080", "[::1]:9000"]);
    expect(env.PUBLIC_API_KEY_RATE_LIMIT).toBe(450);
  });
});
