import { beforeEach, describe, expect } from "vitest";
import { z } from "zod";
import { testServers } from "../../support/environment";
import { awayFromWindowEdge, freshAddress } from "../../support/limits";
import { act, actOnMembers, deedsIn, invitationInto, userIdOf } from "../../support/people";
import { RESET_PASSWORD, runProgram, serverEnvironment } from "../../support/programs";
import { sql } from "../../support/rows";
import { readAt, signIn, submitSignIn } from "../../support/session";
import { test } from "../../support/test";
import { provisionWorkspace, type Sign, type TestWorkspace } from "../../support/workspace";

const NEW = "a new and long sentence";
const NO_LONGER = /^This link no longer works\./;

const Made = z.object({ ok: z.literal(true), value: z.object({ link: z.string() }) });

const askForLink = async (workspace: TestWorkspace, of: Sign, as: "owner" | "admin" | "member" | Sign = "owner") =>
  actOnMembers(workspace, "createResetLink", { fields: { userId: await userIdOf(of) }, as });

const tokenIn = (link: string): string => {
  const { APP_URL = "" } = testServers().environment;
  const [, token = ""] = new RegExp(`^${APP_URL}/reset-password#([\\w-]{43})$`).exec(link) ?? [];
  expect(token, link).not.toBe("");
  return token;
};

const linkFor = async (workspace: TestWorkspace, of: Sign, as: "owner" | Sign = "owner"): Promise<string> =>
  tokenIn(Made.parse((await askForLink(workspace, of, as)).said).value.link);

const PATH = "/reset-password";
const use = (token: string, { password = NEW, address = freshAddress() } = {}) =>
  act("app/reset-password/actions.ts#setNewPassword", { fields: { token, password }, path: PATH, address });
const read = (token: string, address = freshAddress()) =>
  act("app/reset-password/actions.ts#readResetLink", { fields: { token }, path: PATH, address });

const refused = { ok: false, message: expect.stringMatching(NO_LONGER) };
const dashboardStatus = async (cookie = "") => (await readAt("/dashboard", cookie)).status;
const setExpiry = (token: string, expiry: string) => sql`
  update password_resets set expires_at = now() + ${expiry}::interval
  where token_hash = sha256(convert_to(${token}, 'UTF8'))`;

/** A person becomes a member of another workspace, too. */
const joins = async (as: Sign, workspace: TestWorkspace): Promise<void> => {
  const token = await invitationInto(workspace);
  const joined = await act("app/invite/[token]/actions.ts#join", { fields: { token }, as, path: `/invite/${token}` });
  expect(joined.goesTo).toBe("/dashboard");
};

beforeEach(awayFromWindowEdge);

describe("a link that an owner makes", () => {
  test("sets a new password, ends every session and opens one", async ({ workspace }) => {
    const { member } = workspace;
    const [one, two] = [await signIn(member), await signIn(member)];
    const token = await linkFor(workspace, member);
    expect((await read(token)).said).toEqual({ ok: true, value: { email: member.email } });
    // Nothing has changed yet.
    expect([await dashboardStatus(one), (await submitSignIn(member)).status]).toEqual([200, 200]);
    const { goesTo, cookie } = await use(token);
    expect([goesTo, await dashboardStatus(cookie)]).toEqual(["/dashboard", 200]);
    expect([await dashboardStatus(one), await dashboardStatus(two)]).toEqual([307, 307]);
    expect((await submitSignIn(member)).status).toBe(401);
    expect((await submitSignIn({ ...member, password: NEW })).status).toBe(200);
    const userId = await userIdOf(member);
    expect(await deedsIn(workspace.workspaceId)).toEqual([
      ["member.resetLinkCreated", userId],
      ["member.passwordReset", userId],
    ]);
  });

  test("works once: of five who use it at once one succeeds, and none after", async ({ workspace }) => {
    const token = await linkFor(workspace, workspace.member);
    const passwords = Array.from({ length: 5 }, (_, i) => `${NEW} ${i}`);
    const outcomes = await Promise.all(passwords.map((password) => use(token, { password })));
    expect(outcomes.filter(({ goesTo }) => goesTo === "/dashboard")).toHaveLength(1);
    expect(outcomes.filter(({ said }) => said?.ok === false)).toHaveLength(4);
    expect((await use(token)).said).toMatchObject(refused);
    expect((await read(token)).said).toMatchObject(refused);
    const won = passwords[outcomes.findIndex(({ goesTo }) => goesTo)] ?? "";
    expect((await submitSignIn({ ...workspace.member, password: won })).status).toBe(200);
  });

  test("is used up by no password that is too short", async ({ workspace }) => {
    const token = await linkFor(workspace, workspace.member);
    expect((await use(token, { password: "short" })).said).toMatchObject({
      ok: false,
      issues: { password: expect.any(String) },
    });
    expect(await use(token)).toMatchObject({ goesTo: "/dashboard" });
  });

  test("replaces the one before, and works for 30 minutes", async ({ workspace }) => {
    const former = await linkFor(workspace, workspace.member);
    const token = await linkFor(workspace, workspace.member);
    expect((await use(former)).said).toMatchObject(refused);
    const [row] = await sql<{ minutes: number }[]>`
        select extract(epoch from expires_at - created_at)::int / 60 as minutes from password_resets
        where user_id = (select id from users where email = ${workspace.member.email})`;
    expect(row?.minutes).toBe(30);
    await setExpiry(token, "-1 second");
    expect([(await read(token)).said, (await use(token)).said]).toMatchObject([refused, refused]);
    expect((await submitSignIn(workspace.member)).status).toBe(200);
  });

  test("opens an account that wrong passwords have closed", async ({ workspace }) => {
    const { member } = workspace;
    const token = await linkFor(workspace, member);
    for (let i = 0; i < 10; i++) await submitSignIn({ ...member, password: "forgotten" });
    expect((await submitSignIn(member)).status).toBe(429);
    expect(await use(token)).toMatchObject({ goesTo: "/dashboard" });
    expect((await submitSignIn({ ...member, password: NEW })).status).toBe(200);
  });

  test("is kept as a hash, and its token is in no address that a server is asked for", async ({ workspace }) => {
    const token = await linkFor(workspace, workspace.member);
    const rows = await sql`
        select to_json(r)::text as row from password_resets r union all
        select to_json(a)::text from audit_log a where workspace_id = ${workspace.workspaceId}`;
    expect(JSON.stringify(rows)).not.toContain(token);
    const page = await readAt(PATH);
    expect(page.text).toContain('name="referrer" content="no-referrer"');
  });
});

describe("who may make a link", () => {
  test("no admin and no member, and no one for themselves", async ({ workspace }) => {
    for (const [as, of, message] of [
      ["admin", "member", /^Only an owner can do this. Ask an owner: .+\.$/],
      ["admin", "owner", /^Only an owner can do this. Ask an owner: .+\.$/],
      ["member", "admin", /^Only an owner can do this. Ask an owner: .+\.$/],
      ["owner", "owner", /^Change your own password on the account page\.$/],
    ] as const) {
      const { said } = await askForLink(workspace, workspace[of], as);
      expect(said).toMatchObject({ ok: false, message: expect.stringMatching(message) });
    }
  });

  test("an owner for another owner", async ({ workspace }) => {
    const { admin: second } = workspace;
    await actOnMembers(workspace, "setRole", { fields: { userId: await userIdOf(second), role: "owner" } });
    const token = await linkFor(workspace, workspace.owner, second);
    expect(await use(token)).toMatchObject({ goesTo: "/dashboard" });
  });

  test("no owner for someone of another workspace, nor for an account that another workspace trusts, too", async () => {
    const [workspace, other] = [await provisionWorkspace(), await provisionWorkspace()];
    expect((await askForLink(workspace, other.member)).status).toBe(404);
    await joins(workspace.member, other);
    for (const owner of [workspace, other]) {
      const { said } = await askForLink(owner, workspace.member);
      const message =
        "This account is used in another workspace, too. Only the operator of this server can reset its password.";
      expect(said).toMatchObject({ ok: false, message });
    }
  });
});

describe("a link is worth nothing", () => {
  const remove = async (workspace: TestWorkspace, of: Sign, as: "owner" | Sign = "owner") =>
    actOnMembers(workspace, "remove", { fields: { userId: await userIdOf(of) }, as });

  test.for<[string, (workspace: TestWorkspace, other: TestWorkspace) => Promise<unknown>]>([
    ["its member was removed", (workspace) => remove(workspace, workspace.member)],
    ["the owner who made it was removed", (workspace) => remove(workspace, workspace.owner, workspace.admin)],
    [
      "the owner who made it is none any more",
      async (workspace) => {
        const fields = { userId: await userIdOf(workspace.owner), role: "admin" };
        await actOnMembers(workspace, "setRole", { fields, as: workspace.admin });
      },
    ],
    ["its member has joined another workspace", (workspace, other) => joins(workspace.member, other)],
  ])("once %s", async ([_name, happen], { workspace, other }) => {
    const second = { userId: await userIdOf(workspace.admin), role: "owner" };
    await actOnMembers(workspace, "setRole", { fields: second });
    const token = await linkFor(workspace, workspace.member);
    await happen(workspace, other);
    expect((await use(token)).said).toMatchObject(refused);
    expect((await submitSignIn(workspace.member)).status).toBe(200);
  });

  test("that someone made up; attempts are counted by address", async () => {
    const address = freshAddress();
    const madeUp = () => crypto.randomUUID().replaceAll("-", "").padEnd(43, "A");
    expect((await use("short", { address })).said).toMatchObject(refused);
    for (let i = 0; i < 59; i++) expect((await read(madeUp(), address)).said).toMatchObject(refused);
    const blocked = { ok: false, message: expect.stringMatching(/^Too many attempts/) };
    expect((await use(madeUp(), { address })).said).toMatchObject(blocked);
    expect((await read(madeUp())).said).toMatchObject(refused);
  });
});

describe("the operator's command", () => {
  const run = (email: string) => runProgram([...RESET_PASSWORD, "--email", email], serverEnvironment());

  test("prints a link for any account, the only owner's included, of several workspaces, too", async () => {
    const [workspace, other] = [await provisionWorkspace(), await provisionWorkspace()];
    const { owner } = workspace;
    await joins(owner, other);
    const session = await signIn(owner);
    const { exitCode, stdout, stderr } = await run(owner.email.toUpperCase());
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(owner.email)]);
    expect(stdout).toMatch(/^\S+\n$/);
    expect(stderr).not.toContain("#");
    expect(await dashboardStatus(session)).toBe(200);
    const { goesTo, cookie } = await use(tokenIn(stdout.trim()));
    expect([goesTo, await dashboardStatus(cookie), await dashboardStatus(session)]).toEqual(["/dashboard", 200, 307]);
    expect((await submitSignIn({ ...owner, password: NEW })).status).toBe(200);
    for (const { workspaceId } of [workspace, other]) {
      const rows = await sql`
          select action, actor_kind, actor_id from audit_log
          where workspace_id = ${workspaceId} and action ilike 'member.%reset%' order by at, id`;
      expect(rows.map((row) => ({ ...row }))).toEqual([
        { action: "member.resetLinkCreated", actor_kind: "command", actor_id: "reset-password" },
        { action: "member.passwordReset", actor_kind: "user", actor_id: await userIdOf(owner) },
      ]);
    }
  });

  test("says so where no account has the address, and asks for one", async () => {
    const stderr = "There is no account with the address nobody@example.test.\n";
    expect(await run("nobody@example.test")).toMatchObject({ exitCode: 1, stdout: "", stderr });
    const without = await runProgram(RESET_PASSWORD, serverEnvironment());
    expect([without.exitCode, without.stdout]).toEqual([2, ""]);
    expect(without.stderr).toContain("Usage: switchboard reset-password");
  });
});
