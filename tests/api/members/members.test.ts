import { describe, expect } from "vitest";
import { awayFromWindowEdge } from "../../support/limits";
import { act, actOnMembers, rolesIn, userIdOf } from "../../support/people";
import { sql } from "../../support/rows";
import { TEXT } from "../../support/sends";
import { readAs, readAt, signIn, signInByForm } from "../../support/session";
import { test } from "../../support/test";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const setRole = async (
  workspace: TestWorkspace,
  { of, role, as }: { of: "owner" | "admin" | "member"; role: string; as: "owner" | "admin" | "member" },
) => actOnMembers(workspace, "setRole", { fields: { userId: await userIdOf(workspace[of]), role }, as });

describe("roles", () => {
  test("an admin makes and unmakes no owner, and the last owner stays one", async ({ workspace }) => {
    const before = await rolesIn(workspace);
    for (const [as, of, role, message] of [
      ["admin", "owner", "member", "Only an owner can change an owner."],
      ["admin", "member", "owner", "Only an owner can make a member an owner."],
      ["owner", "owner", "admin", "You are the last owner. Make another member an owner first."],
    ] as const) {
      expect((await setRole(workspace, { of, role, as })).said).toMatchObject({ ok: false, message });
    }
    expect(await rolesIn(workspace)).toEqual(before);
  });

  test("ownership is transferred by two changes of a role", async ({ workspace }) => {
    expect((await setRole(workspace, { of: "admin", role: "owner", as: "owner" })).said?.ok).toBe(true);
    expect((await setRole(workspace, { of: "owner", role: "member", as: "owner" })).said?.ok).toBe(true);
    expect(await rolesIn(workspace)).toMatchObject({
      [workspace.owner.email]: "member",
      [workspace.admin.email]: "owner",
    });
  });

  test.each([
    ["step down", "owner", "admin"],
    ["demote one another", "admin", "owner"],
    ["leave", "owner", null],
  ] as const)("of two owners who %s at the same moment one stays, every time", async (_, first, second) => {
    for (let round = 0; round < 2; round++) {
      const workspace = await provisionWorkspace();
      await setRole(workspace, { of: "admin", role: "owner", as: "owner" });
      const outcomes = await Promise.all([
        setRole(workspace, { of: first, role: "member", as: "owner" }),
        second === null
          ? actOnMembers(workspace, "leave", { as: "admin" })
          : setRole(workspace, { of: second, role: "member", as: "admin" }),
      ]);
      expect(Object.values(await rolesIn(workspace)).filter((role) => role === "owner")).toHaveLength(1);
      expect(outcomes.filter(({ said }) => said?.ok === false)).toHaveLength(1);
    }
  });

  test("of another workspace are not there to be changed", async ({ workspace, other }) => {
    const userId = await userIdOf(other.member);
    expect((await actOnMembers(workspace, "setRole", { fields: { userId, role: "admin" } })).status).toBe(404);
    expect((await actOnMembers(workspace, "remove", { fields: { userId } })).status).toBe(404);
    const foreign = { workspaceId: other.workspaceId, userId };
    expect((await actOnMembers(workspace, "remove", { fields: foreign })).status).toBe(404);
    expect(Object.keys(await rolesIn(other))).toHaveLength(3);
  });
});

describe("a page that a role may not open", () => {
  test.for(["api-keys", "audit-log", "webhooks"])("says in place of %s who can help", async (page, { workspace }) => {
    const { status, text } = await readAs(workspace.member, `/dashboard/settings/${page}`);
    expect([status, text]).toEqual([200, expect.stringContaining("Ask an owner or admin: Olga Owner, Ada Admin.")]);
    expect(text).not.toContain(workspace.apiKey);
  });
});

describe("who is removed", () => {
  test("is out at the next request, and the open links that they made are dead", async ({ workspace }) => {
    const fields = { role: "member", email: "", days: "7" };
    const { said } = await actOnMembers(workspace, "invite", { fields, as: "admin" });
    const link = new URL(String(said?.ok && (said.value as { link: string }).link));
    const cookie = await signIn(workspace.admin);
    expect((await readAt("/dashboard", cookie)).status).toBe(200);
    await actOnMembers(workspace, "remove", { fields: { userId: await userIdOf(workspace.admin) } });
    expect((await readAt("/dashboard", cookie)).status).toBe(307);
    expect((await readAt(link.pathname, "")).status).toBe(404);
  });
});

describe("leaving", () => {
  test("is for everyone but the last owner", async ({ workspace }) => {
    expect((await actOnMembers(workspace, "leave", { as: "member" })).goesTo).toBe("/dashboard");
    expect((await actOnMembers(workspace, "leave")).said).toMatchObject({ ok: false });
    expect(Object.values(await rolesIn(workspace)).toSorted()).toEqual(["admin", "owner"]);
  });
});

describe("last seen", () => {
  test("is noted off the page's path, and not again within five minutes", async ({ workspace }) => {
    const cookie = await signIn(workspace.owner);
    const seen = async () => {
      const [row] = await sql<{ at: string | null }[]>`
          select m.last_seen_at as at from members m join users u on u.id = m.user_id
          where m.workspace_id = ${workspace.workspaceId} and u.email = ${workspace.owner.email}`;
      return row?.at ?? null;
    };
    expect(await seen()).toBeNull();
    await readAt("/dashboard", cookie);
    await expect.poll(seen).not.toBeNull();
    const first = await seen();
    await readAt("/dashboard/messages", cookie);
    await readAt("/dashboard/settings/members", cookie);
    expect(await seen()).toBe(first);
  });
});

describe("a workspace", () => {
  const save = (workspace: TestWorkspace, fields: Record<string, string>) =>
    act("app/dashboard/settings/actions.ts#saveWorkspace", {
      fields: { workspaceId: workspace.workspaceId, name: "Shop", timeZone: "UTC", retentionDays: "", ...fields },
      as: workspace.owner,
      path: "/dashboard/settings",
    });
  const remove = (workspace: TestWorkspace, name: string, as: "owner" | "admin" = "owner") =>
    act("app/dashboard/settings/actions.ts#removeWorkspace", {
      fields: { workspaceId: workspace.workspaceId, name },
      as: workspace[as],
      path: "/dashboard/settings",
    });
  const nameOf = async ({ workspaceId }: TestWorkspace) => {
    const [row] = await sql<{ name: string }[]>`select name from workspaces where id = ${workspaceId}`;
    return row?.name;
  };

  test("has a name, a zone and days that its owners set; what is wrong is reported by field", async ({ workspace }) => {
    expect((await save(workspace, { timeZone: "Asia/Kathmandu", retentionDays: "30" })).said?.ok).toBe(true);
    const page = await readAt("/dashboard/settings", await signIn(workspace.member));
    expect(page.text).toContain("Asia/Kathmandu");
    for (const [field, value] of Object.entries({ name: " ", timeZone: "+02:00", retentionDays: "0" })) {
      const { said } = await save(workspace, { [field]: value });
      expect(said, field).toMatchObject({ ok: false, issues: { [field]: expect.any(String) } });
    }
    // Names that Node has of old Java versions, and of which some are another place elsewhere.
    for (const timeZone of ["AET", "US/Pacific-New", "IST"]) {
      const { said } = await save(workspace, { timeZone });
      expect(said, timeZone).toMatchObject({ ok: false, issues: { timeZone: expect.any(String) } });
    }
    const log = await sql`
        select after from audit_log where workspace_id = ${workspace.workspaceId} and action = 'workspace.changed'`;
    expect(log.map(({ after }) => after)).toEqual([{ name: "Shop", timeZone: "Asia/Kathmandu", retentionDays: 30 }]);
  });

  test("that is deleted refuses its keys and its people at once, and leaves no row behind", async () => {
    const [workspace, other] = [await provisionWorkspace(), await provisionWorkspace()];
    for (let i = 0; i < 3; i++) await workspace.send(TEXT);
    const cookie = await signIn(workspace.member);
    expect((await remove(workspace, "wrong")).said).toMatchObject({ ok: false, issues: { name: expect.any(String) } });
    const name = (await nameOf(workspace)) ?? "";
    expect((await remove(workspace, name, "admin")).said).toMatchObject({ ok: false });
    expect((await remove(workspace, name)).goesTo).toBe("/dashboard");
    expect((await workspace.call("GET", "/api/v1/public/templates")).status).toBe(401);
    expect((await readAt("/dashboard", cookie)).status).toBe(307);
    await expect.poll(() => nameOf(workspace)).toBeUndefined();
    const tables = await sql<{ name: string }[]>`
        select table_name as name from information_schema.columns
        where table_schema = 'public' and column_name = 'workspace_id'`;
    for (const { name: table } of tables) {
      const rows = await sql`select 1 from ${sql(table)} where workspace_id = ${workspace.workspaceId} limit 1`;
      expect(rows, table).toHaveLength(0);
    }
    expect((await other.call("GET", "/api/v1/public/templates")).status).toBe(200);
  });

  test("is added by an owner, not by someone who owns none", async ({ workspace }) => {
    const create = (as: "owner" | "member") =>
      act("app/workspaces/new/actions.ts#createOwnWorkspace", {
        fields: { name: "Second shop" },
        as: workspace[as],
        path: "/workspaces/new",
      });
    expect((await create("member")).said).toMatchObject({ ok: false });
    expect((await create("owner")).goesTo).toBe("/dashboard/get-started");
    const rows = await sql`
        select m.role::text, w.plan from members m join workspaces w on w.id = m.workspace_id
        where w.name = 'Second shop' and m.user_id = (select id from users where email = ${workspace.owner.email})`;
    expect(rows.map((row) => ({ ...row }))).toEqual([{ role: "owner", plan: "unlimited" }]);
  });
});

describe("an account", () => {
  const ACCOUNT = "/dashboard/account";
  const change = (name: string, cookie: string, fields: Record<string, string>) =>
    act(`app${ACCOUNT}/actions.ts#${name}`, { fields, cookie, path: ACCOUNT });

  test("changes its password with the old one, which ends every session but this", async ({ workspace: { owner } }) => {
    const [here, there] = [await signIn(owner), await signIn(owner)];
    const password = "another long sentence";
    const wrong = await change("setPassword", here, { current: "not it", password });
    expect(wrong.said).toMatchObject({ ok: false, issues: { current: "Wrong password." } });
    const { said, cookie = "" } = await change("setPassword", here, { current: owner.password, password });
    expect(said?.ok).toBe(true);
    expect((await readAt("/dashboard", cookie)).status).toBe(200);
    expect([(await readAt("/dashboard", here)).status, (await readAt("/dashboard", there)).status]).toEqual([307, 307]);
    expect(await signInByForm({ ...owner, password })).toContain("session-token");
    await expect(signInByForm(owner)).rejects.toThrow("could not sign in");
  });

  test("that has no password gets one soon after its sign-in only: a stolen session cannot make itself a way in", async () => {
    const { owner } = await provisionWorkspace();
    await sql`update users set password_hash = null where email = ${owner.email}`;
    const [fresh, stale] = [await signIn(owner, { minutesAgo: 9 }), await signIn(owner, { minutesAgo: 11 })];
    const refused = await change("setPassword", stale, { password: owner.password });
    const message = "Your sign-in is more than 10 minutes old: sign out and in again, then set a password.";
    expect(refused.said).toEqual({ ok: false, message, issues: {} });
    expect((await readAt(ACCOUNT, stale)).text).toContain("Works within 10 minutes of signing in.");
    await expect(signInByForm(owner)).rejects.toThrow("could not sign in");
    expect((await change("setPassword", fresh, { password: owner.password })).said?.ok).toBe(true);
    expect(await signInByForm(owner)).toContain("session-token");
  });

  test("guesses at the old password count as sign-ins do", async () => {
    await awayFromWindowEdge();
    const { owner } = await provisionWorkspace();
    const cookie = await signIn(owner);
    const guess = () => change("setPassword", cookie, { current: "not it", password: "a long sentence" });
    for (let i = 0; i < 10; i++) await guess();
    expect((await guess()).said).toMatchObject({ ok: false, message: expect.stringMatching(/^Too many attempts/) });
  });

  test("signs out everywhere, and is renamed everywhere", async ({ workspace: { owner } }) => {
    const [here, there] = [await signIn(owner), await signIn(owner)];
    expect((await change("rename", here, { name: "Olga Other" })).said?.ok).toBe(true);
    expect((await readAt("/dashboard", there)).text).toContain("Olga Other");
    expect((await change("signOutEverywhere", here, { sessions: "all" })).goesTo).toBe("/sign-in");
    expect([(await readAt("/dashboard", here)).status, (await readAt("/dashboard", there)).status]).toEqual([307, 307]);
  });
});
