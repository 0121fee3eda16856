import { describe, expect } from "vitest";
import { newKeyPair } from "@/lib/api-keys/key-pair";
import { head, rawRequest } from "../../support/raw-http";
import { sql } from "../../support/rows";
import { expectError, TEXT } from "../../support/sends";
import { test } from "../../support/test";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const PATH = "/api/v1/public/templates";

describe("200", () => {
  test("the pair is taken under either name, under both, and beside a false bearer token", async ({ workspace }) => {
    const { apiKey, apiSecret } = workspace;
    for (const headers of [
      { apiKey, apiSecret },
      { "X-API-Key": apiKey, "X-API-Secret": apiSecret },
      { APIKEY: apiKey, "X-API-Secret": apiSecret },
      bothNames(apiKey, apiSecret),
      { apiKey, apiSecret, authorization: "Bearer made-up" },
    ] as Record<string, string>[]) {
      const answer = await withHeaders(workspace, headers);
      expect(answer.status, answer.text).toBe(200);
    }
  });

  test("the first use of a key and none within the next minute is written down", async ({ workspace }) => {
    expect(await lastUsedAtMs(workspace)).toBeNull();
    await workspace.call("GET", PATH);
    const first = await lastUsedAtMs(workspace);
    expect(Math.abs(Date.now() - (first ?? 0))).toBeLessThan(60_000);
    await workspace.call("GET", PATH);
    expect(await lastUsedAtMs(workspace)).toBe(first);
    await setInstant(workspace, "last_used_at", "-2 minutes");
    await workspace.call("GET", PATH);
    expect(await lastUsedAtMs(workspace)).toBeGreaterThan(first ?? 0);
  });

  test("a refused pair is not a use", async ({ workspace }) => {
    await workspace.call("GET", PATH, { key: { ...workspace, apiSecret: newKeyPair("live").apiSecret } });
    expect(await lastUsedAtMs(workspace)).toBeNull();
  });

  test("a key whose end is still ahead works", async ({ workspace }) => {
    await setInstant(workspace, "expires_at", "1 minute");
    expect((await workspace.call("GET", PATH)).status).toBe(200);
  });
});

describe("401", () => {
  test("absent, malformed, unknown, wrong, mixed, revoked and expired pairs answer alike", async ({ workspace }) => {
    const { apiKey, apiSecret } = workspace;
    const other = await provisionWorkspace();
    const revoked = await provisionWorkspace();
    await setInstant(revoked, "revoked_at", "0 seconds");
    const expired = await provisionWorkspace();
    await setInstant(expired, "expires_at", "-1 second");
    const stranger = newKeyPair("live");
    const refused: Record<string, Record<string, string>> = {
      "no header": {},
      "the key alone": { apiKey },
      "the secret alone": { apiSecret },
      "empty headers": { apiKey: "", apiSecret: "" },
      "a bearer token": { authorization: `Bearer ${apiSecret}` },
      "a key of another shape": { apiKey: "x", apiSecret },
      "a key in quotes": { apiKey: `"${apiKey}"`, apiSecret: `"${apiSecret}"` },
      "a key in capitals": { apiKey: apiKey.toUpperCase(), apiSecret },
      "a key as a pattern": { apiKey: "pk_live_%", apiSecret },
      "a very long key": { apiKey: "k".repeat(8_000), apiSecret },
      "a secret of another shape": { apiKey, apiSecret: "x" },
      "a secret cut short": { apiKey, apiSecret: apiSecret.slice(0, -1) },
      "halves swapped": { apiKey: apiSecret, apiSecret: apiKey },
      "an unknown key": { apiKey: stranger.apiKey, apiSecret },
      "an unknown pair": { apiKey: stranger.apiKey, apiSecret: stranger.apiSecret },
      "a wrong secret": { apiKey, apiSecret: stranger.apiSecret },
      "another workspace's secret": { apiKey, apiSecret: other.apiSecret },
      "the secret of the same workspace's other key": { apiKey, apiSecret: workspace.keys.other?.apiSecret ?? "" },
      // What stood in for an absent hash was made of this once, and so it opened every key.
      "the secret of nobody": { apiKey, apiSecret: "nobody's secret" },
      "a revoked pair": { apiKey: revoked.apiKey, apiSecret: revoked.apiSecret },
      "a revoked key with a wrong secret": { apiKey: revoked.apiKey, apiSecret },
      "an expired pair": { apiKey: expired.apiKey, apiSecret: expired.apiSecret },
      "two different keys": { ...bothNames(apiKey, apiSecret), "X-API-Key": stranger.apiKey },
      "two different secrets": { ...bothNames(apiKey, apiSecret), "X-API-Secret": stranger.apiSecret },
      "two good pairs": { ...bothNames(apiKey, apiSecret), "X-API-Key": other.apiKey, "X-API-Secret": other.apiSecret },
      "a good pair and an empty one": { ...bothNames(apiKey, apiSecret), "X-API-Secret": "" },
    };
    const bodies = new Set<string>();
    for (const [name, headers] of Object.entries(refused)) {
      const answer = await withHeaders(workspace, headers);
      expectError(answer, { status: 401, error: "UNAUTHORIZED", details: { retryable: false } });
      const { details, ...rest } = answer.body;
      bodies.add(JSON.stringify([rest, { ...details, requestId: "" }, [...answer.headers.keys()]]));
      expect(answer.text, name).not.toContain(apiSecret);
    }
    expect([...bodies]).toHaveLength(1);
  });

  test("a value that was copied with its mask is named, and still never repeated", async ({ workspace }) => {
    const { apiKey, apiSecret } = workspace;
    const sent = (text: string) => Buffer.from(text).toString("latin1");
    for (const [name, headers] of [
      ["`apiSecret` holds `•`", { apiKey, apiSecret: sent("sk_live_••••••••••••••••") }],
      ["`apiSecret` holds `…`", { "X-API-Key": apiKey, "X-API-Secret": sent("sk_live_…") }],
      ["`apiKey` holds `…`", { apiKey: sent("pk_live_…"), apiSecret }],
    ] as const) {
      const answer = await withHeaders(workspace, headers);
      expectError(answer, { status: 401, error: "UNAUTHORIZED", details: { retryable: false } });
      expect(answer.body.message).toContain(`${name}: it is a masked value`);
      expect(answer.text).not.toMatch(/_(•|…)/);
    }
  });

  test("a repeated header is no pair", async ({ workspace: { baseUrl, apiKey, apiSecret, clientAddress } }) => {
    for (const repeated of ["apiKey", "apiSecret", "X-API-Key", "X-API-Secret"]) {
      const value = repeated.toLowerCase().endsWith("key") ? apiKey : apiSecret;
      const pair = repeated.startsWith("X") ? ["X-API-Key", "X-API-Secret"] : ["apiKey", "apiSecret"];
      const lines = [`${pair[0]}: ${apiKey}`, `${pair[1]}: ${apiSecret}`, `${repeated}: ${value}`].join("\r\n");
      const start = head(`GET ${PATH}`, { "X-Forwarded-For": clientAddress });
      const answer = await rawRequest(baseUrl, start.replace("\r\n\r\n", `\r\n${lines}\r\n\r\n`));
      expect(answer?.status, repeated).toBe(401);
    }
  });

  test("a key revoked between two requests is refused at the next one, on every path", async ({ workspace }) => {
    expect((await workspace.call("GET", PATH)).status).toBe(200);
    await setInstant(workspace, "revoked_at", "0 seconds");
    expect((await workspace.call("GET", PATH)).status).toBe(401);
    expect((await workspace.status("msg_x")).status).toBe(401);
    expect((await workspace.send(TEXT)).status).toBe(401);
  });

  test("comes before the body is judged", async ({ workspace }) => {
    const answer = await workspace.call("POST", "/api/v1/public/messages/send", { rawBody: "{", key: null });
    expect(answer.status).toBe(401);
  });
});

const bothNames = (apiKey: string, apiSecret: string) => ({
  apiKey,
  apiSecret,
  "X-API-Key": apiKey,
  "X-API-Secret": apiSecret,
});

const withHeaders = (workspace: TestWorkspace, headers: Record<string, string>) =>
  workspace.call("GET", PATH, { key: null, headers });

/** Sets an instant of a key to `interval` from now, such as `-1 second`. */
const setInstant = (
  { apiKey }: TestWorkspace,
  column: "revoked_at" | "expires_at" | "last_used_at",
  interval: string,
) => sql`update api_keys set ${sql(column)} = now() + ${interval}::interval where api_key = ${apiKey}`;

async function lastUsedAtMs({ apiKey }: TestWorkspace): Promise<number | null | undefined> {
  const [row] = await sql<{ at: number | null }[]>`
      select extract(epoch from last_used_at)::float8 * 1000 as at from api_keys where api_key = ${apiKey}`;
  return row?.at;
}
