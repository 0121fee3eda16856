import { describe, expect } from "vitest";
import { z } from "zod";
import { act } from "../../support/people";
import { keyIdOf, sql } from "../../support/rows";
import { expectSent, TEXT } from "../../support/sends";
import { readAs } from "../../support/session";
import { test } from "../../support/test";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const ACTIONS = "app/dashboard/settings/api-keys/actions.ts";
const PAGE = "/dashboard/settings/api-keys";

type Fields = Record<string, string | string[]>;

/** As the form has them before anything is limited. */
const ALL = { permissions: ["send", "status", "templates"] };

async function call(workspace: TestWorkspace, name: string, fields: Fields, role: "owner" | "member" = "owner") {
  return act(`${ACTIONS}#${name}`, {
    fields: { workspaceId: workspace.workspaceId, ...fields },
    as: workspace[role],
    // An action is called from a page that has it; that of a strange key is on the page of one's own.
    path: name === "createApiKey" ? PAGE : `${PAGE}/${await keyIdOf(workspace)}`,
  });
}

const Pair = z.object({ ok: z.literal(true), value: z.object({ apiKey: z.string(), apiSecret: z.string() }) });

async function create(workspace: TestWorkspace, fields: Fields = {}) {
  const { said } = await call(workspace, "createApiKey", { label: "staging", mode: "live", ...ALL, ...fields });
  return Pair.parse(said).value;
}

const works = async (workspace: TestWorkspace, key: { apiKey: string; apiSecret: string }) =>
  (await workspace.call("GET", "/api/v1/public/templates", { key })).status;

const auditOf = ({ workspaceId }: TestWorkspace, action: string) => sql`
  select actor_kind, actor_id, target_id, before, after, request_id from audit_log
  where workspace_id = ${workspaceId} and action = ${action} and actor_kind = 'user'
  order by at, id`;

const keyPage = async ({ owner }: TestWorkspace, path = PAGE) => (await readAs(owner, path)).text;

describe("a key made in the dashboard", () => {
  test("works beside the others at once, and its row names who made it", async ({ workspace }) => {
    const [one, two] = [await create(workspace), await create(workspace, { label: "production" })];
    expect(await Promise.all([one, two, workspace].map((key) => works(workspace, key)))).toEqual([200, 200, 200]);
    const rows = await auditOf(workspace, "apiKey.created");
    expect(rows.map(({ after }) => after.label).toSorted()).toEqual(["production", "staging"]);
    expect(rows.every(({ request_id }) => String(request_id).startsWith("req_"))).toBe(true);
    expect(await keyPage(workspace)).toContain("production");
  });

  test("ends with its last day in the time zone of the workspace", async ({ workspace }) => {
    await sql`update workspaces set time_zone = 'Asia/Kathmandu' where id = ${workspace.workspaceId}`;
    const key = await create(workspace, { expiresAt: "2090-03-01" });
    const [row] = await sql`select expires_at from api_keys where api_key = ${key.apiKey}`;
    expect(new Date(row?.expires_at)).toEqual(new Date("2090-03-01T18:15:00Z"));
    await sql`update api_keys set expires_at = now() where api_key = ${key.apiKey}`;
    expect(await works(workspace, key)).toBe(401);
    const ended = { label: "x", mode: "live", ...ALL, expiresAt: "2020-01-01" };
    const { said } = await call(workspace, "createApiKey", ended);
    const issues = { expiresAt: "The key would have expired already. Give a later time." };
    expect(said).toMatchObject({ ok: false, issues });
  });

  test("needs a label of 1 to 50 characters", async ({ workspace }) => {
    for (const label of ["  ", "x".repeat(51)]) {
      const { said } = await call(workspace, "createApiKey", { label, mode: "live", ...ALL });
      expect(said).toMatchObject({ ok: false, issues: { label: expect.any(String) } });
    }
  });
});

describe("a key whose secret is too old", () => {
  test("asks to be rotated on its page, in the list and on the Overview, until it was", async ({ workspace }) => {
    const { apiKey } = await create(workspace);
    const [row] = await sql`
        update api_keys set created_at = now() - interval '95 days', last_used_at = now()
        where api_key = ${apiKey} returning id`;
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
    expect(await read(PAGE)).toContain("Secret created today");
  });
});

describe("a revoked key", () => {
  test("stays as it is where the request names another workspace's", async ({ workspace, other }) => {
    const { status } = await call(other, "revokeApiKey", { apiKey: workspace.apiKey });
    expect(status).toBe(404);
    expect(await works(workspace, workspace)).toBe(200);
  });
});

describe("a label", () => {
  test("can be changed, which is audited once", async ({ workspace }) => {
    const id = await keyIdOf(workspace);
    for (const label of ["warehouse", "warehouse"]) {
      await call(workspace, "renameApiKey", { apiKey: workspace.apiKey, label });
    }
    const rows = await auditOf(workspace, "apiKey.renamed");
    expect(rows.map(({ target_id, after }) => [target_id, after])).toEqual([[id, { label: "warehouse" }]]);
  });
});

describe("limits", () => {
  const FULL = (workspace: TestWorkspace) => ({
    permissions: "send",
    phoneNumberIds: workspace.phoneNumberId,
    templateNames: ["order_ready", "code"],
    ipRanges: "203.0.113.0/24\r\n2001:db8::/32\r\n",
    monthlyCap: "5000",
  });
  const stored = async (apiKey: string) => {
    const [row] = await sql`select limits from api_keys where api_key = ${apiKey}`;
    return row?.limits;
  };
  const expected = (workspace: TestWorkspace) => ({
    permissions: ["send"],
    phoneNumberIds: [workspace.phoneNumberId],
    templateNames: ["code", "order_ready"],
    ipRanges: ["203.0.113.0/24", "2001:db8::/32"],
    monthlyCap: 5_000,
  });

  test("can be given to a new key, and are in its audit row, on its page and in the list", async ({ workspace }) => {
    const { apiKey } = await create(workspace, FULL(workspace));
    expect(await stored(apiKey)).toEqual(expected(workspace));
    const [row] = await auditOf(workspace, "apiKey.created");
    expect(row?.after).toMatchObject({ label: "staging", ...expected(workspace) });
    const page = (await keyPage(workspace, `${PAGE}/${row?.target_id}`)).replaceAll("<!-- -->", "");
    expect(page).toContain(
      "Sends only, through Line main, templates code, order_ready and no other message, from 203.0.113.0/24, 2001:db8::/32, 5,000 messages a month.",
    );
    expect(page).toContain("0 of 5,000 messages");
    expect(await keyPage(workspace)).toContain("Limited");
  });

  test("can be changed and removed, each time with what was before, and once for a change", async ({ workspace }) => {
    const { apiKey } = workspace;
    const change = (fields: Fields) => call(workspace, "changeKeyLimits", { apiKey, ...ALL, ...fields });
    for (const fields of [FULL(workspace), FULL(workspace), { ...FULL(workspace), monthlyCap: "10" }, {}]) {
      expect((await change(fields)).said).toMatchObject({ ok: true });
    }
    expect(await stored(apiKey)).toBeNull();
    const rows = await auditOf(workspace, "apiKey.limitsChanged");
    const none = { permissions: null, phoneNumberIds: null, templateNames: null, ipRanges: null, monthlyCap: null };
    expect(rows.map(({ before, after }) => ({ before, after }))).toEqual([
      { before: none, after: expected(workspace) },
      { before: { monthlyCap: 5_000 }, after: { monthlyCap: 10 } },
      { before: { ...expected(workspace), monthlyCap: 10 }, after: none },
    ]);
    expect(new Set(rows.map(({ target_id }) => target_id))).toEqual(new Set([await keyIdOf(workspace)]));
  });

  test.for([
    [{ permissions: "" }, { permissions: "Choose at least one, or the key can do nothing." }],
    [
      { ipRanges: "203.0.113.0/24\r\n1.2.3.4/33" },
      { ipRanges: expect.stringContaining('Line 2: "1.2.3.4/33" must end with a slash') },
    ],
    [{ monthlyCap: "many" }, { monthlyCap: expect.stringContaining("whole number") }],
    [{ phoneNumberIds: "pn_unknown" }, { phoneNumberIds: '"pn_unknown" is not a live line of this workspace.' }],
    [{ expiresAt: "tomorrow" }, { expiresAt: "Choose a day, or leave it empty." }],
  ])("%o is refused at its field, and nothing changes", async ([fields, issues], { workspace }) => {
    const { apiKey } = workspace;
    const { said } = await call(workspace, "changeKeyLimits", { apiKey, ...ALL, monthlyCap: "5", ...fields });
    expect(said).toEqual({ ok: false, message: "One field needs a change.", issues });
    expect(await stored(apiKey)).toBeNull();
  });

  test("name no line of another workspace or mode", async ({ workspace, other }) => {
    const trial = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "trial", mode: "test" }] });
    for (const [own, id] of [
      [workspace, other.phoneNumberId],
      [trial, trial.lines.trial?.id ?? ""],
    ] as const) {
      const fields = { apiKey: own.apiKey, ...ALL, phoneNumberIds: [own.phoneNumberId, id] };
      const { said } = await call(own, "changeKeyLimits", fields);
      expect(said).toMatchObject({ ok: false, issues: { phoneNumberIds: expect.stringContaining(id) } });
    }
  });

  test("of an expired key can be changed, of a revoked one not", async ({ workspace }) => {
    const { apiKey } = workspace;
    await sql`update api_keys set expires_at = now() where api_key = ${apiKey}`;
    expect(await works(workspace, workspace)).toBe(401);
    expect((await call(workspace, "changeKeyLimits", { apiKey, ...ALL })).said).toMatchObject({ ok: true });
    expect(await works(workspace, workspace)).toBe(200);
    await call(workspace, "revokeApiKey", { apiKey });
    expect((await call(workspace, "changeKeyLimits", { apiKey, ...ALL })).status).toBe(404);
  });
});

describe("a member", () => {
  test("may not act", async ({ workspace }) => {
    const fields = { apiKey: workspace.apiKey, label: "x", mode: "live", overlap: "now", ...ALL };
    for (const name of ["rotateApiKey", "revokeApiKey", "changeKeyLimits"]) {
      expect((await call(workspace, name, fields, "member")).said, name).toMatchObject({ ok: false });
    }
    expect(await works(workspace, workspace)).toBe(200);
  });
});

describe("the audit log", () => {
  const download = ({ owner, workspaceId }: TestWorkspace, query = "") =>
    readAs(owner, `/api/v1/workspaces/${workspaceId}/audit-log${query}`);

  test("as a file has a line for every change, narrowed like the page", async ({ workspace }) => {
    await create(workspace);
    const all = await download(workspace);
    expect(all.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(all.text.split("\r\n")[0]).toBe("time,actor,actor_name,action,target,before,after,request_id");
    const keys = await download(workspace, "?thing=apiKey");
    expect(all.text.split("\r\n").length).toBeGreaterThan(keys.text.split("\r\n").length);
    expect(keys.text).toContain("apiKey.created");
    expect(keys.text).not.toContain("workspace.created");
  });
});

describe("the monthly limit", () => {
  const change = async (workspace: TestWorkspace, messageLimit: string, role: "owner" | "admin" = "owner") => {
    const { said } = await act("app/dashboard/settings/actions.ts#changeMonthlyLimit", {
      fields: { workspaceId: workspace.workspaceId, messageLimit },
      as: workspace[role],
      path: "/dashboard/settings/plan",
    });
    return said;
  };

  test("holds from the next message on, lower and higher than what is used", async () => {
    const workspace = await provisionWorkspace({ plan: "free" });
    expectSent(await workspace.send(TEXT));
    await change(workspace, "1");
    expect((await workspace.send(TEXT)).status).toBe(402);
    for (const limit of ["2", ""]) {
      await change(workspace, limit);
      expectSent(await workspace.send(TEXT));
    }
    const rows = await auditOf(workspace, "workspace.limitChanged");
    expect(rows.map(({ before, after }) => [before.messageLimit, after.messageLimit])).toEqual([
      [null, 1],
      [1, 2],
      [2, null],
    ]);
  });

  test("is the owner's to change, and made of digits", async ({ workspace }) => {
    expect(await change(workspace, "5", "admin")).toMatchObject({ ok: false });
    expect(await change(workspace, "many")).toMatchObject({ ok: false, issues: { messageLimit: expect.any(String) } });
  });
});
