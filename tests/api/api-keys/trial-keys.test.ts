import { describe, expect } from "vitest";
import { z } from "zod";
import { act, actOnMembers, userIdOf } from "../../support/people";
import { requestRows } from "../../support/request-rows";
import { sql } from "../../support/rows";
import { PHONE } from "../../support/sends";
import { readAs } from "../../support/session";
import { test } from "../../support/test";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const Pair = z.object({
  ok: z.literal(true),
  value: z.object({ apiKey: z.string(), apiSecret: z.string(), expiresAtMs: z.number() }),
});

async function startTrial(workspace: TestWorkspace, as: "owner" | "admin" | "member" = "owner") {
  const { said } = await act("app/docs/actions.ts#startTrial", {
    fields: { workspaceId: workspace.workspaceId },
    as: workspace[as],
    path: "/docs/reference",
  });
  return Pair.parse(said).value;
}

const works = async (workspace: TestWorkspace, key: { apiKey: string; apiSecret: string }) =>
  (await workspace.call("GET", "/api/v1/public/templates", { key })).status;

const trialKeys = ({ workspaceId }: TestWorkspace) => sql`
  select label, mode, revoked_at is not null as is_revoked, created_by from api_keys
  where workspace_id = ${workspaceId} and label = 'Try it in the docs' order by created_at`;

describe("a key of Try it", () => {
  test("is a test key, one for each member, that expires after half an hour", async ({ workspace }) => {
    const pairs = [await startTrial(workspace), await startTrial(workspace, "admin")];
    for (const pair of pairs) {
      expect(pair.apiKey).toMatch(/^pk_test_/);
      expect(Math.abs(pair.expiresAtMs - Date.now() - 30 * 60_000)).toBeLessThan(30_000);
      expect(await works(workspace, pair)).toBe(200);
    }
    expect(await trialKeys(workspace)).toMatchObject([
      { mode: "test", created_by: await userIdOf(workspace.owner) },
      { mode: "test", created_by: await userIdOf(workspace.admin) },
    ]);
  });

  test("is a member's, too: her name is in the request log, where she reads it, and the key itself nowhere", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const pair = await startTrial(workspace, "member");
    const body = { type: "text", phone: PHONE, content: "Hi" };
    const sent = await workspace.call("POST", "/api/v1/public/messages/send", { key: pair, body });
    expect(sent.status).toBe(201);
    await works(workspace, workspace);
    await requestRows(workspace, 2);
    const call = `/dashboard/requests/${sent.headers.get("x-request-id")}`;
    for (const [who, path, shown] of [
      ["member", "/dashboard/requests?mode=test", "Max Member (Try it)"],
      ["owner", "/dashboard/requests?mode=test", "Max Member (Try it)"],
      ["member", call, "Tried in the docs by"],
    ] as const) {
      const { text } = await readAs(workspace[who], path);
      expect(text, path).toContain(shown);
      if (who === "member") expect(text).not.toMatch(new RegExp(`${pair.apiKey}|${workspace.apiKey}`));
    }
  });

  test("of a member confirms no guessed number, and receives no events, which name recipients", async () => {
    const workspace = await provisionWorkspace({ mode: "test", contacts: [{ ref: "ada", phone: PHONE, name: "Ada" }] });
    const [members, owners] = [await startTrial(workspace, "member"), await startTrial(workspace)];
    const body = { type: "text", phone: PHONE, contactId: workspace.contacts.ada, content: "Hi" };
    const statusesOf = async (path: string, given: object) => [
      (await workspace.call("POST", path, { key: members, body: given })).status,
      (await workspace.call("POST", path, { key: owners, body: given })).status,
    ];
    expect(await statusesOf("/api/v1/public/messages/send", body)).toEqual([400, 201]);
    expect(await statusesOf("/api/v1/listen", {})).toEqual([403, 200]);
  });

  test("has a new secret for each tab, and the tab before goes on", async ({ workspace }) => {
    const [one, two] = [await startTrial(workspace), await startTrial(workspace)];
    expect(two.apiKey).toBe(one.apiKey);
    expect(two.apiSecret).not.toBe(one.apiSecret);
    expect([await works(workspace, one), await works(workspace, two)]).toEqual([200, 200]);
    expect(await trialKeys(workspace)).toHaveLength(1);
  });

  test("is one, however many tabs ask at once", async ({ workspace }) => {
    const pairs = await Promise.all(Array.from({ length: 5 }, () => startTrial(workspace)));
    expect(new Set(pairs.map(({ apiKey }) => apiKey)).size).toBe(1);
    expect(await trialKeys(workspace)).toHaveLength(1);
  });

  test("that was revoked stays revoked, and another takes its place", async ({ workspace }) => {
    const one = await startTrial(workspace);
    await sql`update api_keys set revoked_at = now() where api_key = ${one.apiKey}`;
    const two = await startTrial(workspace);
    expect([await works(workspace, one), await works(workspace, two)]).toEqual([401, 200]);
    expect(await trialKeys(workspace)).toMatchObject([{ is_revoked: true }, { is_revoked: false }]);
  });

  test("ends with the sessions of its member", async ({ workspace }) => {
    const [owners, admins] = [await startTrial(workspace), await startTrial(workspace, "admin")];
    const userId = await userIdOf(workspace.admin);
    await actOnMembers(workspace, "setRole", { fields: { userId, role: "member" } });
    expect([await works(workspace, owners), await works(workspace, admins)]).toEqual([200, 401]);
  });

  test("never stands in the calls of the docs, whose secret a person has", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const { apiKey } = await startTrial(workspace);
    const { text: page } = await readAs(workspace.owner, "/docs/quickstart");
    expect(page).toContain(workspace.apiKey);
    expect(page).not.toContain(apiKey);
  });
});
