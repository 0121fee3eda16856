import { beforeEach, describe, expect } from "vitest";
import { awayFromWindowEdge, freshAddress } from "../../support/limits";
import { requestRows } from "../../support/request-rows";
import { keyIdOf, sql } from "../../support/rows";
import { TEXT } from "../../support/sends";
import { readAt, signIn } from "../../support/session";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import { graphError, provisionWorkspace, scriptMessages, type TestWorkspace } from "../../support/workspace";

const TEMPLATES = "/api/v1/public/templates";
const SEND = "/api/v1/public/messages/send";

/** What a page says to the owner, without its markup. */
const read = async (workspace: TestWorkspace, path: string, mode: "live" | "test" = "live"): Promise<string> => {
  const { status, text } = await readAt(path, `${await signIn(workspace.owner)}; mode=${mode}`);
  expect(status, text).toBe(200);
  return text.replace(/<script.*?<\/script>/gs, "").replace(/<[^>]*>/g, "");
};

describe("the headroom of a key", () => {
  beforeEach(awayFromWindowEdge);

  test("holds for its next call: refusals before its limit cost it nothing", async ({ workspace }) => {
    const { apiKey } = workspace;
    await workspace.send(TEXT);
    await workspace.send({});
    await workspace.status("msg_unknown");
    await workspace.call("POST", SEND, { rawBody: "{" });
    await workspace.call("GET", TEMPLATES, { key: { apiKey, apiSecret: "sk_live_wrong" } });
    await workspace.call("GET", "/api/v1/public/nothing");
    await workspace.call("PUT", SEND);
    await workspace.call("POST", SEND, { rawBody: "x".repeat(262_145) });
    const last = await workspace.call("GET", TEMPLATES, { headers: { "x-forwarded-for": freshAddress() } });
    const rows = await requestRows(workspace, 9);
    expect(rows.map(({ status }) => status)).toEqual([201, 400, 404, 400, 401, 404, 405, 413, 200]);
    expect(last.headers.get("ratelimit-remaining")).toBe("99");
    expect(await read(workspace, "/dashboard")).toContain("295 of 300 left");
  });

  test("is not lessened by what its server's address is refused", async ({ workspace }) => {
    await workspace.send(TEXT);
    await requestRows(workspace, 1);
    await sql`
        insert into api_requests (workspace_id, id, at, mode, api_key_id, operation, method, path, status, error_code, ip,
          duration_ms)
        select workspace_id, id || n, at, mode, api_key_id, operation, method, path, 429, 'RATE_LIMIT_EXCEEDED', ip, 1
        from api_requests, generate_series(1, 350) n where workspace_id = ${workspace.workspaceId}`;
    const page = await read(workspace, "/dashboard");
    expect(page).toContain("299 of 300 left");
    expect(page).toContain("0 of 100 left");
  });

  test("is lessened by a refusal that a test number plays, which has come past the limit", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    expect((await workspace.send({ ...TEXT, phone: "447700900429" })).status).toBe(429);
    await requestRows(workspace, 1);
    expect(await read(workspace, "/dashboard", "test")).toContain("299 of 300 left");
  });
});

describe("the shares", () => {
  test("have the names that this workspace gave, where another has a line and a key of the same id", async () => {
    const [own, other] = [await provisionWorkspace(), await provisionWorkspace()];
    await own.send(TEXT);
    const keyId = await keyIdOf(own);
    await sql`
      update phone_numbers set id = ${own.phoneNumberId}, label = 'Of others' where workspace_id = ${other.workspaceId}`;
    await sql`update api_keys set id = ${keyId}, label = 'Of others' where api_key = ${other.apiKey}`;
    await sql`update api_keys set label = 'Our shop' where api_key = ${own.apiKey}`;
    await sweep();
    const page = await read(own, "/dashboard/usage");
    expect(page).toContain("Our shop1");
    expect(page).toContain("Line main1");
    expect(page).not.toContain("Of others");
  });
});

describe("the share of a key's calls that were refused", () => {
  test("is not rounded down to none, or up to all", async ({ workspace }) => {
    await workspace.send(TEXT);
    await requestRows(workspace, 1);
    const { workspaceId } = workspace;
    await expect
      .poll(() => sql`update request_hours set count = 5000 where workspace_id = ${workspaceId} returning 1`)
      .toHaveLength(1);
    await sql`
      insert into request_hours select (jsonb_populate_record(r,
        '{"status":404,"error_code":"NOT_FOUND","operation":"status","count":1}')).*
      from request_hours r where workspace_id = ${workspaceId}`;
    expect(await read(workspace, "/dashboard/settings/api-keys")).toContain("0.1 %");
    await sql`update request_hours set count = 5001 - count where workspace_id = ${workspaceId}`;
    expect(await read(workspace, "/dashboard/settings/api-keys")).toContain("99.9 %");
  });
});

describe("the filters", () => {
  test("that a tile does not follow are named in it", async ({ workspace }) => {
    await workspace.send(TEXT);
    await workspace.status("msg_unknown");
    await requestRows(workspace, 2);
    await sweep();
    const [line, key] = [`line=${workspace.phoneNumberId}`, `key=${await keyIdOf(workspace)}`];
    const overview = await read(workspace, `/dashboard?range=7d&${line}&${key}`);
    expect(overview).toContain("How long it takes, last 7 days, of all lines and keys");
    expect(overview).toContain("Calls refused or failed, of all lines");
    expect(await read(workspace, `/dashboard/usage?${line}`)).toContain("Calls refused or failed, of all lines");
    expect(await read(workspace, `/dashboard/usage?${key}`)).not.toContain("of all");
    expect(await read(workspace, "/dashboard")).not.toContain("of all");
  });

  test("are those of the lists that the errors lead to: line, key, and the first day", async ({ workspace }) => {
    await scriptMessages(workspace, [graphError(131026)]);
    await workspace.send(TEXT);
    await requestRows(workspace, 1);
    await sweep();
    const [line, key] = [`line=${workspace.phoneNumberId}`, `key=${await keyIdOf(workspace)}`];
    const { text } = await readAt(`/dashboard/usage?range=7d&${line}&${key}&mode=live`, await signIn(workspace.owner));
    const from = `from=${new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10)}`;
    const page = text.replaceAll("&amp;", "&");
    expect(page).toContain(`href="/dashboard/messages?status=FAILED&code=131026&${line}&${key}&${from}&mode=live"`);
    expect(page).toContain(`href="/dashboard/requests?code=CHAT_GRAPH_ERROR&${key}&${from}&mode=live"`);
  });

  test("of keys are no member's, for whom keys do not exist", async ({ workspace }) => {
    await workspace.send(TEXT);
    await requestRows(workspace, 1);
    await sweep();
    const cookie = await signIn(workspace.member);
    const key = `key=key_${"0".repeat(26)}&mode=live`;
    for (const [path, none] of [
      ["requests", "No call matches"],
      ["usage", "No sends in this range"],
    ]) {
      expect((await readAt(`/dashboard/${path}?${key}`, await signIn(workspace.owner))).text).toContain(none);
      expect((await readAt(`/dashboard/${path}?${key}`, cookie)).text).not.toContain(none);
    }
  });
});
