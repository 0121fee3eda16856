import { describe, expect, test } from "vitest";
import { z } from "zod";
import { callAction, saidByAction } from "../../support/actions";
import { testServers } from "../../support/environment";
import { freshAddress } from "../../support/limits";
import { keyIdOf, onRows } from "../../support/rows";
import { signIn } from "../../support/session";
import { provisionWorkspace, request, type TestWorkspace } from "../../support/workspace";

const ACTIONS = "app/dashboard/settings/api-keys/actions.ts";
const PAGE = "/dashboard/settings/api-keys";

const call = async (
  workspace: TestWorkspace,
  name: string,
  fields: Record<string, string>,
  role: "owner" | "admin" | "member" = "owner",
) => {
  const answer = await callAction(`${ACTIONS}#${name}`, {
    fields: { workspaceId: workspace.workspaceId, ...fields },
    headers: { cookie: await signIn(workspace[role]) },
    // An action is called from a page that has it; that of a strange key is on the page of one's own.
    path: name === "createApiKey" ? PAGE : `${PAGE}/${await keyIdOf(workspace)}`,
  });
  return { status: answer.status, said: saidByAction(answer.text) };
};

const Pair = z.object({ ok: z.literal(true), value: z.object({ apiKey: z.string(), apiSecret: z.string() }) });

const create = async (workspace: TestWorkspace, fields: Record<string, string> = {}) => {
  const { said } = await call(workspace, "createApiKey", {
    label: "staging",
    mode: "live",
    expiresInDays: "",
    ...fields,
  });
  return Pair.parse(said).value;
};

const works = async (workspace: TestWorkspace, key: { apiKey: string; apiSecret: string }) =>
  (await workspace.call("GET", "/api/v1/public/templates", { key })).status;

const auditOf = ({ workspaceId }: TestWorkspace, action: string) =>
  onRows(
    (sql) => sql`
      select actor_kind, actor_id, target_id, before, after, request_id from audit_log
      where workspace_id = ${workspaceId} and action = ${action} and actor_kind = 'user'
      order by at, id`,
  );

const keyPage = async (workspace: TestWorkspace, path = PAGE) =>
  (await request("GET", `${testServers().baseUrl}${path}`, { headers: { cookie: await signIn(workspace.owner) } }))
    .text;

describe("a key made in the dashboard", () => {
  test("works beside the others at once, and its row names who made it", async () => {
    const workspace = await provisionWorkspace();
    const [one, two] = [await create(workspace), await create(workspace, { label: "production" })];
    expect(await Promise.all([one, two, workspace].map((key) => works(workspace, key)))).toEqual([200, 200, 200]);
    const rows = await auditOf(workspace, "apiKey.created");
    expect(rows.map(({ after }) => after.label).toSorted()).toEqual(["production", "staging"]);
    expect(rows.every(({ request_id }) => String(request_id).startsWith("req_"))).toBe(true);
    expect(await keyPage(workspace)).toContain("production");
  });

  test("ends when it was said to", async () => {
    const workspace = await provisionWorkspace();
    const key = await create(workspace, { expiresInDays: "30" });
    const [row] = await onRows(
      (sql) => sql`
        select round(extract(epoch from expires_at - created_at) / 86400)::int as days from api_keys where api_key = ${key.apiKey}`,
    );
    expect(row?.days).toBe(30);
    await onRows((sql) => sql`update api_keys set expires_at = now() where api_key = ${key.apiKey}`);
    expect(await works(workspace, key)).toBe(401);
  });

  test("needs a label of 1 to 50 characters", async () => {
    const workspace = await provisionWorkspace();
    for (const label of ["  ", "x".repeat(51)]) {
      const { said } = await call(workspace, "createApiKey", { label, mode: "live", expiresInDays: "" });
      expect(said).toMatchObject({ ok: false, issues: { label: expect.any(String) } });
    }
  });
});

describe("a key whose secret is too old", () => {
  test("asks to be rotated on its page, in the list and on the Overview, until it was", async () => {
    const workspace = await provisionWorkspace();
    const { apiKey } = await create(workspace);
    const [row] = await onRows(
      (sql) => sql`
        update api_keys set created_at = now() - interval '95 days', last_used_at = now()
        where api_key = ${apiKey} returning id`,
    );
    // React parts the texts of a sentence by comments.
    const read = async (path: string) => (await keyPage(workspace, path)).replaceAll("<!-- -->", "");
    const reported = async () => [
      (await read(`${PAGE}/${row?.id}`)).includes("secret is 95 days old"),
      (await read(PAGE)).includes("rotate it"),
      (await read("/dashboard")).includes("The secret of key staging is 95 days old"),
    ];
    expect(await reported()).toEqual([true, true, true]);
    await call(workspace, "rotateApiKey", { apiKey, overlap: "1h" });
    expect(await reported()).toEqual([false, false, false]);
    expect(await read(PAGE)).toContain("Secret made today");
  });
});

describe("a revoked key", () => {
  test("stays as it is where the request names another workspace's", async () => {
    const [workspace, other] = [await provisionWorkspace(), await provisionWorkspace()];
    const { status } = await call(other, "revokeApiKey", { apiKey: workspace.apiKey });
    expect(status).toBe(404);
    expect(await works(workspace, workspace)).toBe(200);
  });
});

describe("a label", () => {
  test("can be changed, which is audited once", async () => {
    const workspace = await provisionWorkspace();
    const id = await keyIdOf(workspace);
    for (const label of ["warehouse", "warehouse"]) {
      await call(workspace, "renameApiKey", { apiKey: workspace.apiKey, label });
    }
    const rows = await auditOf(workspace, "apiKey.renamed");
    expect(rows.map(({ target_id, after }) => [target_id, after])).toEqual([[id, { label: "warehouse" }]]);
  });
});

describe("a member", () => {
  test.each(["rotateApiKey", "revokeApiKey"])("finds no action %s", async (name) => {
    const workspace = await provisionWorkspace();
    const fields = { apiKey: workspace.apiKey, label: "x", mode: "live", overlap: "now", expiresInDays: "" };
    expect((await call(workspace, name, fields, "member")).status).toBe(404);
    expect(await works(workspace, workspace)).toBe(200);
  });
});

describe("the audit log", () => {
  const download = async (workspace: TestWorkspace, role: "owner" | "member", query = "") =>
    request("GET", `${testServers().baseUrl}/api/v1/workspaces/${workspace.workspaceId}/audit-log${query}`, {
      headers: { cookie: await signIn(workspace[role]), "x-forwarded-for": freshAddress() },
    });

  test("as a file has a line for every change, narrowed like the page", async () => {
    const workspace = await provisionWorkspace();
    await create(workspace);
    const all = await download(workspace, "owner");
    expect(all.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(all.text.split("\r\n")[0]).toBe("time,actor,actor_name,action,target,before,after,request_id");
    const keys = await download(workspace, "owner", "?thing=apiKey");
    expect(all.text.split("\r\n").length).toBeGreaterThan(keys.text.split("\r\n").length);
    expect(keys.text).toContain("apiKey.created");
    expect(keys.text).not.toContain("workspace.created");
  });
});

describe("the monthly limit", () => {
  const change = async (workspace: TestWorkspace, messageLimit: string, role: "owner" | "admin" = "owner") => {
    const answer = await callAction("app/dashboard/settings/plan/actions.ts#changeMonthlyLimit", {
      fields: { workspaceId: workspace.workspaceId, messageLimit },
      headers: { cookie: await signIn(workspace[role]) },
      path: "/dashboard/settings/plan",
    });
    return saidByAction(answer.text);
  };
  const send = (workspace: TestWorkspace) => workspace.send({ type: "text", phone: "447700900123", content: "Hi" });

  test("holds from the next message on, lower and higher than what is used", async () => {
    const workspace = await provisionWorkspace({ plan: "free" });
    expect((await send(workspace)).status).toBe(201);
    await change(workspace, "1");
    expect((await send(workspace)).status).toBe(402);
    await change(workspace, "2");
    expect((await send(workspace)).status).toBe(201);
    await change(workspace, "");
    expect((await send(workspace)).status).toBe(201);
    const rows = await auditOf(workspace, "workspace.limitChanged");
    expect(rows.map(({ before, after }) => [before.messageLimit, after.messageLimit])).toEqual([
      [null, 1],
      [1, 2],
      [2, null],
    ]);
  });

  test("is the owner's to change, and made of digits", async () => {
    const workspace = await provisionWorkspace();
    expect(await change(workspace, "5", "admin")).toMatchObject({ ok: false });
    expect(await change(workspace, "many")).toMatchObject({ ok: false, issues: { messageLimit: expect.any(String) } });
  });
});
