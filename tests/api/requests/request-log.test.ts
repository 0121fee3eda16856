import { beforeEach, describe, expect } from "vitest";
import { printed, runCommand } from "../../support/commands";
import { startInstance } from "../../support/environment";
import { forSuite } from "../../support/for-suite";
import { awayFromWindowEdge } from "../../support/limits";
import { ERASE } from "../../support/programs";
import { requestCounts, requestRows } from "../../support/request-rows";
import { sql } from "../../support/rows";
import { countMessages, PHONE } from "../../support/sends";
import { readAt, signIn } from "../../support/session";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import { graphError, provisionWorkspace, request, scriptMessages, type TestWorkspace } from "../../support/workspace";

const TEXT = { type: "text", phone: PHONE, content: "a heron on one leg" };
const SEND = "/api/v1/public/messages/send";

describe("a call that became a message", () => {
  test("leaves one row: who, what, how long, and of its body the shape without a value", async ({ workspace }) => {
    const sent = await workspace.send(TEXT, {
      "Idempotency-Key": "order-1",
      "User-Agent": "partner/1.0",
      "X-Request-Id": "theirs-1",
    });
    const [row, ...more] = await requestRows(workspace, 1);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      id: sent.headers.get("x-request-id"),
      method: "POST",
      path: SEND,
      operation: "send",
      status: 201,
      mode: "live",
      error_code: null,
      client_request_id: "theirs-1",
      idempotency_key: "order-1",
      is_replay: false,
      message_id: sent.body.data.id,
      ip: workspace.clientAddress,
      user_agent: "partner/1.0",
      answer: null,
    });
    expect(JSON.parse(row?.body ?? "")).toEqual({ type: "text", phone: "44770•••0123", content: "<18 characters>" });
    expect(row?.platform_ms).toBeGreaterThanOrEqual(0);
    expect(row?.duration_ms).toBeGreaterThanOrEqual(row?.platform_ms ?? 0);
  });

  test("shows the two parts of its duration to the caller, and counts them by the hour", async ({ workspace }) => {
    const sent = await workspace.send(TEXT);
    expect(sent.headers.get("server-timing")).toMatch(/^app;dur=\d+\.\d, platform;dur=\d+$/);
    const status = await workspace.status(sent.body.data.id);
    expect(status.headers.get("server-timing")).toMatch(/^app;dur=\d+\.\d$/);
    await requestRows(workspace, 2);
    const kinds = await sql`
        select kind, sum(count)::int as count from duration_hours where workspace_id = ${workspace.workspaceId}
        group by kind order by kind`;
    expect([...kinds]).toEqual([
      { kind: "ours", count: 1 },
      { kind: "platform", count: 1 },
    ]);
  });

  test("is marked where it was a replay, and the replay names the same message", async ({ workspace }) => {
    for (let i = 0; i < 2; i++) await workspace.send(TEXT, { "Idempotency-Key": "twice" });
    const rows = await requestRows(workspace, 2);
    expect(rows.map(({ status, is_replay }) => [status, is_replay])).toEqual([
      [201, false],
      [200, true],
    ]);
    expect(new Set(rows.map(({ message_id }) => message_id)).size).toBe(1);
    expect(rows[1]?.platform_ms).toBeNull();
  });

  test("of a key of test mode is one of test mode", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    await workspace.send(TEXT);
    expect((await requestRows(workspace, 1)).map(({ mode }) => mode)).toEqual(["test"]);
  });
});

describe("a call that never became a message", () => {
  test("is in the log all the same, under the id of its answer: 400, 401, 404, 405", async ({ workspace }) => {
    const wrong = { apiKey: workspace.apiKey, apiSecret: `${workspace.apiSecret}x` };
    const answers = [
      await workspace.send({ ...TEXT, phone: "0770" }),
      await workspace.call("POST", SEND, { body: TEXT, key: wrong }),
      await workspace.call("POST", SEND, { body: TEXT, key: null, headers: { "X-API-Key": workspace.apiKey } }),
      await workspace.status("msg_none"),
      await workspace.call("DELETE", SEND),
    ];
    const rows = await requestRows(workspace, 5);
    expect(rows.map(({ id, status, error_code, operation }) => [id, status, error_code, operation])).toEqual(
      answers.map(({ headers, status, body }, i) => {
        expect(body.details.requestId).toBe(headers.get("x-request-id"));
        return [body.details.requestId, status, body.error, i === 3 ? "status" : "send"];
      }),
    );
    expect(await countMessages(workspace)).toBe(0);
    expect(await requestCounts(workspace)).toEqual({
      "400 VALIDATION_ERROR": 1,
      "401 UNAUTHORIZED": 2,
      "404 NOT_FOUND": 1,
      "405 METHOD_NOT_ALLOWED": 1,
    });
  });

  test("keeps no body where no one has proven to hold the secret", async ({ workspace }) => {
    await workspace.call("POST", SEND, { body: TEXT, key: { apiKey: workspace.apiKey, apiSecret: "sk_live_wrong" } });
    const [row] = await requestRows(workspace, 1);
    expect(row?.body).toBeNull();
    expect(JSON.stringify(row)).not.toContain("sk_live_wrong");
  });

  test("names the message that a refusal of WhatsApp left behind", async ({ workspace }) => {
    await scriptMessages(workspace, [graphError(131047, `Not to ${PHONE}`)]);
    const refused = await workspace.send(TEXT);
    const [row] = await requestRows(workspace, 1);
    expect(row?.message_id).toBe(refused.body.details.messageId);
    expect(row?.platform_ms).not.toBeNull();
    expect(row?.answer).toContain("131047");
    expect(JSON.stringify(row)).not.toContain(PHONE);
  });

  test("with a text that no database can hold loses neither itself nor what came beside it", async ({ workspace }) => {
    const rawBody = '{"type":"text","phone":"447700900123","content":"x","a\\u0000b":"\\ud800"}';
    await workspace.call("POST", SEND, { rawBody, headers: { "User-Agent": "caf\xe9" } });
    await workspace.send({ ...TEXT, idempotencyKey: "half \ud83d a pair" });
    await workspace.send(TEXT);
    expect((await requestRows(workspace, 3)).map(({ status }) => status)).toEqual([400, 400, 201]);
  });
});

describe("a limit", () => {
  beforeEach(awayFromWindowEdge);
  const strict = forSuite(() => startInstance({ PUBLIC_API_IP_RATE_LIMIT: "2" }, "API"));

  const templates = ({ apiKey, apiSecret }: TestWorkspace, address: string) =>
    request("GET", `${strict.baseUrl}/api/v1/public/templates`, {
      headers: { apiKey, apiSecret, "x-forwarded-for": address },
    });

  test("that refuses before anybody is authenticated leaves a row of the key that was named", async ({ workspace }) => {
    for (let i = 0; i < 3; i++) await templates(workspace, workspace.clientAddress);
    const rows = await requestRows(workspace, 3);
    expect(rows.map(({ status, error_code }) => [status, error_code])).toEqual([
      [200, null],
      [200, null],
      [429, "RATE_LIMIT_EXCEEDED"],
    ]);
  });

  test("that refuses a client in a loop counts every refusal and keeps sixty a minute", async ({ workspace }) => {
    for (let i = 0; i < 10; i++) {
      await Promise.all(Array.from({ length: 20 }, () => templates(workspace, workspace.clientAddress)));
    }
    // A minute may have ended in between.
    await expect
      .poll(() => requestCounts(workspace), { timeout: 10_000 })
      .toMatchObject({
        "200": 2,
        "429 RATE_LIMIT_EXCEEDED": 198,
      });
    const rows = await requestRows(workspace, 62);
    expect(rows.length).toBeLessThanOrEqual(122);
  });
});

describe("SIGTERM", () => {
  test("loses nothing of what was answered", async ({ workspace }) => {
    const instance = await startInstance({}, "API");
    const { apiKey, apiSecret, clientAddress } = workspace;
    const headers = { apiKey, apiSecret, "x-forwarded-for": clientAddress };
    await request("GET", `${instance.baseUrl}/api/v1/public/templates`, { headers });
    await instance.stop();
    const [row] = await sql`select status from api_requests where workspace_id = ${workspace.workspaceId}`;
    expect(row).toEqual({ status: 200 });
  });
});

describe("tenancy", () => {
  test("a call leaves its row in the workspace of the key that it names, and none for a key of no one", async () => {
    const [own, other] = [await provisionWorkspace(), await provisionWorkspace()];
    await own.call("GET", "/api/v1/public/templates", { key: { apiKey: own.apiKey, apiSecret: other.apiSecret } });
    await own.call("GET", "/api/v1/public/templates", {
      key: { apiKey: "pk_live_0123456789abcdefghijkl", apiSecret: own.apiSecret },
    });
    await own.call("GET", "/api/v1/public/templates", { key: { apiKey: own.apiSecret, apiSecret: own.apiKey } });
    await own.send(TEXT);
    expect((await requestRows(own, 2)).map(({ status }) => status)).toEqual([401, 201]);
    expect(await requestRows(other, 0)).toEqual([]);
  });
});

describe("the list", () => {
  test("has each call once, in order and on either way, where hours and quarters of an hour count it", async () => {
    const workspace = await provisionWorkspace();
    const { workspaceId } = workspace;
    const cookie = await signIn(workspace.owner);
    await workspace.send(TEXT);
    await requestRows(workspace, 1);
    // Ten hours, and of each twenty calls: the even hours are counted whole, the odd ones by their quarters.
    await sql`
      insert into api_requests (workspace_id, id, at, mode, api_key_id, operation, method, path, status, ip, duration_ms)
      select workspace_id, 'req_' || lpad(n::text, 26, '0'),
        date_trunc('hour', at, 'UTC') - interval '10 hours' + n * interval '3 minutes', mode, api_key_id, 'templates',
        'GET', '/api/v1/public/templates', 200, ip, 1
      from api_requests, generate_series(0, 199) n where workspace_id = ${workspaceId}`;
    await sql`
      insert into request_hours (workspace_id, mode, hour, api_key_id, operation, status, error_code, count)
      select workspace_id, mode,
        case when extract(hour from at at time zone 'UTC')::int % 2 = 0 then date_trunc('hour', at, 'UTC')
          else date_bin('15 minutes', at, 'epoch') end,
        api_key_id, operation, status, '', count(*)
      from api_requests where workspace_id = ${workspaceId} and operation = 'templates' group by 1, 2, 3, 4, 5, 6`;
    const page = async (path: string) => {
      const { text } = await readAt(path, cookie);
      const ids = [...text.matchAll(/<a[^>]*href="\/dashboard\/requests\/(req_0{20}\w+)[^"]*"/g)].map(([, id]) => id);
      const linkTo = (place: string) =>
        text.match(new RegExp(`href="(/dashboard/requests\\?[^"]*${place}=[^"]+)"`))?.[1]?.replaceAll("&amp;", "&") ??
        "";
      return { ids, older: linkTo("older"), newer: linkTo("newer") };
    };
    const numbers = (from: number, to: number) =>
      Array.from({ length: from - to + 1 }, (_, i) => `req_${String(from - i).padStart(26, "0")}`);
    const first = await page("/dashboard/requests?operation=templates&mode=live");
    const second = await page(first.older);
    const third = await page(second.older);
    const fourth = await page(third.older);
    expect(first.ids).toEqual(numbers(199, 150));
    expect([second.ids, third.ids, fourth.ids]).toEqual([numbers(149, 100), numbers(99, 50), numbers(49, 0)]);
    expect((await page(fourth.newer)).ids).toEqual(third.ids);
    expect((await page((await page(fourth.newer)).newer)).ids).toEqual(second.ids);
  });
});

describe("what is kept", () => {
  test("goes when the workspace's days are over, and the counts stay", async ({ workspace }) => {
    for (let i = 0; i < 3; i++) await workspace.send(TEXT);
    await requestRows(workspace, 3);
    const { workspaceId } = workspace;
    await sql`update workspaces set retention_days = 10 where id = ${workspaceId}`;
    await sql`
        update api_requests set at = now() - interval '10 days 1 minute' where workspace_id = ${workspaceId}
          and id <> (select max(id) from api_requests where workspace_id = ${workspaceId})`;
    await sweep();
    expect(await requestRows(workspace, 1)).toHaveLength(1);
    expect(await requestCounts(workspace)).toEqual({ "201": 3 });
  });

  test("of a message to someone who is erased says nothing of its contents any more", async ({ workspace }) => {
    await workspace.send(TEXT);
    await workspace.send({ ...TEXT, phone: "447700900124" });
    await requestRows(workspace, 2);
    await runCommand(ERASE, ["--workspace", workspace.workspaceId, "--phone", PHONE]).then(printed);
    const rows = await requestRows(workspace, 2);
    expect(rows.map(({ body }) => body === null)).toEqual([true, false]);
  });
});
