import { describe, expect } from "vitest";
import { testServers } from "../../support/environment";
import { planUnits, sql } from "../../support/rows";
import { expectError, expectInvalid, expectSent, PHONE, sentBodies, wire } from "../../support/sends";
import { signIn } from "../../support/session";
import { test } from "../../support/test";
import { provisionWorkspace, request, type Sign, type TestWorkspace } from "../../support/workspace";

const TEXT = { type: "text", phone: PHONE, content: "Hi" };
const ORIGIN = testServers().environment.APP_URL ?? "";

type Asked = { by?: Sign; mode?: string; body?: unknown; headers?: Record<string, string> };

/** As the script of the page asks. */
const send = async (
  workspace: TestWorkspace,
  { by = workspace.owner, mode = "live", body = TEXT, headers = {} }: Asked = {},
) =>
  request("POST", `${testServers().baseUrl}/api/v1/workspaces/${workspace.workspaceId}/messages/send?mode=${mode}`, {
    headers: { cookie: await signIn(by), origin: ORIGIN, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const keyOf = async ({ workspaceId }: TestWorkspace, id: string) => {
  const rows = await sql<{ api_key_id: string | null; request_id: string }[]>`
      select api_key_id, request_id from messages where workspace_id = ${workspaceId} and id = ${id}`;
  return rows[0];
};

describe("201", () => {
  test("leaves as a send with a key does, counts against the plan, and names no key", async () => {
    const workspace = await provisionWorkspace({ plan: "free" });
    const answer = await send(workspace, { by: workspace.admin });
    expectSent(answer);
    expect(await sentBodies(workspace)).toEqual([
      wire(answer, { type: "text", text: { preview_url: false, body: "Hi" } }),
    ]);
    expect(await planUnits(workspace)).toEqual({ used: 1, held: 1 });
    expect(await keyOf(workspace, answer.body.data.id)).toEqual({
      api_key_id: null,
      request_id: answer.headers.get("x-request-id"),
    });
    expect((await workspace.status(answer.body.data.id)).body.data.status).toBe("SENT");
  });

  test("a member sends in test mode, through a test line, at no cost", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    expectSent(await send(workspace, { by: workspace.member, mode: "test" }));
    expect(await planUnits(workspace)).toEqual({ used: 0, held: 0 });
  });
});

describe("400", () => {
  test("a member names a recipient once, so that no guess at a contact's number is answered", async () => {
    const workspace = await provisionWorkspace({ mode: "test", contacts: [{ ref: "ada", phone: PHONE }] });
    const body = { ...TEXT, contactId: workspace.contacts.ada };
    for (const phone of [PHONE, "447700900999"]) {
      const answer = await send(workspace, { by: workspace.member, mode: "test", body: { ...body, phone } });
      expectInvalid(answer, { phone: "cannot be combined with `contactId`" });
    }
    expectSent(await send(workspace, { mode: "test", body }));
  });

  test("a body that is no JSON, and a mode without a line", async ({ workspace }) => {
    expect((await send(workspace, { body: "{" })).body.error).toBe("VALIDATION_ERROR");
    expect((await send(workspace, { mode: "test" })).body.error).toBe("NO_PHONE_NUMBER");
  });
});

describe("200", () => {
  test("the same key and body again answer with the first message, also where a key sent it", async ({ workspace }) => {
    const headers = { "Idempotency-Key": "order-1" };
    const first = await workspace.send(TEXT, headers);
    const again = await send(workspace, { headers });
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(again.body.data).toEqual({ ...first.body.data, idempotentReplay: true });
    expect(await sentBodies(workspace)).toHaveLength(1);
  });
});

describe("402", () => {
  test("a plan that is used up stops the dashboard, too", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 1 });
    expectSent(await send(workspace));
    expect((await send(workspace)).body.error).toBe("PLAN_LIMIT_EXCEEDED");
    expect(await sentBodies(workspace)).toHaveLength(1);
  });
});

describe("403", () => {
  test("a member may not reach a real person, and sees who may", async ({ workspace }) => {
    const answer = await send(workspace, { by: workspace.member });
    expectError(answer, {
      status: 403,
      error: "FORBIDDEN",
      message: "Only owners and admins can do this. Ask an owner or admin: Olga Owner, Ada Admin.",
      details: { retryable: false },
    });
    expect(await sentBodies(workspace)).toEqual([]);
  });

  test("a page of another site", async ({ workspace }) => {
    for (const origin of ["", "https://evil.test", "null"]) {
      expect((await send(workspace, { headers: { origin } })).status, origin).toBe(403);
    }
    expect(await sentBodies(workspace)).toEqual([]);
  });
});

describe("404", () => {
  test("another workspace, its owner included", async ({ workspace, other }) => {
    expect((await send(workspace, { by: other.owner })).status).toBe(404);
    expect(await sentBodies(workspace)).toEqual([]);
  });
});
