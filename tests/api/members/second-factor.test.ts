import { encode } from "next-auth/jwt";
import { Secret, TOTP } from "otpauth";
import { describe, expect } from "vitest";
import { z } from "zod";
import { authOptions, type Outcome as SignInOutcome } from "@/lib/auth/options";
import { callAction } from "../../support/actions";
import { testServers } from "../../support/environment";
import { awayFromWindowEdge, freshAddress } from "../../support/limits";
import { act, actOnMembers, deedsIn, invitationInto, type Outcome, userIdOf } from "../../support/people";
import { runProgram, SWITCHBOARD, serverEnvironment } from "../../support/programs";
import { sql } from "../../support/rows";
import { expectError } from "../../support/sends";
import {
  cookiesOf,
  endSessionsOf,
  readAt,
  SESSION_COOKIE,
  sessionIdsOf,
  signIn,
  submitSignIn,
} from "../../support/session";
import { test } from "../../support/test";
import { type Answer, provisionWorkspace, request, type Sign, type TestWorkspace } from "../../support/workspace";

const SET_UP = "/second-factor";
const ACCOUNT = "/dashboard/account";

/** An app's code `steps` from now, as the server counts time. */
const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

/** What the set-up page gives to a session: the secret for an app, and the same as its form posts it. */
async function openSetUp(cookie: string): Promise<{ secret: string; sealed: string }> {
  const { text } = await readAt(SET_UP, cookie);
  const [sealed = ""] = /v1\.[0-9a-f]{8}\.[\w-]+/.exec(text) ?? [];
  const [secret = ""] = /(?<=<code[^>]*>)(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}/.exec(text) ?? [];
  return { secret: secret.replaceAll(" ", ""), sealed };
}

const turnOn = (cookie: string, fields: Record<string, string>): Promise<Outcome> =>
  act(`app${SET_UP}/actions.ts#turnOn`, { fields, cookie, path: SET_UP });

const Codes = z.object({ ok: z.literal(true), value: z.object({ codes: z.array(z.string()).length(10) }) });

type Enrolled = { secret: string; codes: string[]; cookie: string };

/** Sets a factor up as the page does. No step counts as used then, so that a test may begin with any. */
async function enrol(person: Sign): Promise<Enrolled> {
  const cookie = await signIn(person);
  const { secret, sealed } = await openSetUp(cookie);
  const done = await turnOn(cookie, { sealed, code: codeOf(secret), current: person.password });
  await sql`update users set factor_step = 0 where email = ${person.email}`;
  return { secret, codes: Codes.parse(done.said).value.codes, cookie };
}

const account = (name: string, cookie: string, fields: Record<string, string>): Promise<Outcome> =>
  act(`app${ACCOUNT}/actions.ts#${name}`, { fields, cookie, path: ACCOUNT });

const sessionOf = ({ headers }: Pick<Answer, "headers">): string =>
  headers
    .getSetCookie()
    .map((one) => one.split(";", 1)[0] ?? "")
    .find((one) => one.startsWith(`${SESSION_COOKIE}=`)) ?? "";

/** The second step, as the form takes it: `cookie` is what the first one has left. */
async function giveCode(cookie: string, code: string, { address = freshAddress(), more = "" } = {}): Promise<Answer> {
  const { baseUrl } = testServers();
  const csrf = await request("GET", `${baseUrl}/api/auth/csrf`);
  const { csrfToken }: { csrfToken: string } = JSON.parse(csrf.text);
  return request("POST", `${baseUrl}/api/auth/callback/credentials`, {
    headers: { cookie: [cookiesOf(csrf.headers), cookie, more].join("; "), "x-forwarded-for": address },
    body: new URLSearchParams({ csrfToken, code, json: "true", callbackUrl: "/dashboard" }),
  });
}

/** The cookie of a sign-in whose code is due. */
const passwordOnly = async (person: Sign): Promise<string> => sessionOf(await submitSignIn(person));

/** What a cookie opens: a page, a route of the workspace, next-auth's own route, and an action. */
async function opens(cookie: string, { workspaceId }: TestWorkspace) {
  const page = await readAt("/dashboard", cookie);
  const lines = await readAt(`/api/v1/workspaces/${workspaceId}/phone-numbers`, cookie);
  const renamed = await account("rename", cookie, { name: "Olga Owner" });
  return [
    `${page.status} ${new URL(page.headers.get("location") ?? "/", testServers().baseUrl).pathname}`,
    lines.status,
    (await readAt("/api/auth/session", cookie)).text === "{}" ? "no session" : "session",
    renamed.goesTo ?? "done",
  ];
}

const ALL = ["200 /", 200, "session", "done"];
const NOTHING = ["307 /sign-in", 401, "no session", "/sign-in"];

const require2 = (workspace: TestWorkspace, cookie: string, required: boolean) =>
  act("app/dashboard/settings/members/actions.ts#requireSecondFactor", {
    fields: { workspaceId: workspace.workspaceId, ...(required ? { required: "on" } : {}) },
    cookie,
    path: "/dashboard/settings/members",
  });

describe("a sign-in with a second factor", () => {
  test("opens nothing by the password; the code opens a new session, and is led to where the first step was to lead", async ({
    workspace,
  }) => {
    const { secret } = await enrol(workspace.owner);
    const first = await submitSignIn(workspace.owner, { callbackUrl: "/dashboard/templates" });
    expect(JSON.parse(first.text).url).toMatch(/\/sign-in\?callbackUrl=%2Fdashboard%2Ftemplates$/);
    const due = sessionOf(first);
    expect(await opens(due, workspace)).toEqual(NOTHING);
    expect((await readAt("/sign-in", due)).text).toContain("one-time-code");
    const second = await giveCode(due, codeOf(secret));
    expect([second.status, sessionOf(second)]).toEqual([200, expect.not.stringContaining(due)]);
    expect(await opens(sessionOf(second), workspace)).toEqual(ALL);
    expect(await opens(due, workspace)).toEqual(NOTHING);
  });

  test.for([
    ["its own step", 0, 200],
    ["the next one, of a phone that is ahead", 1, 200],
    ["three steps ahead", 3, 401],
    ["three steps ago", -3, 401],
  ] as const)("takes a code of %s: %i → %i", async ([, steps, status], { workspace: { owner } }) => {
    const { secret } = await enrol(owner);
    expect((await giveCode(await passwordOnly(owner), codeOf(secret, steps))).status).toBe(status);
  });

  test("takes a code once, nor one that is older than the last: of five who give it at once one succeeds", async ({
    workspace: { owner },
  }) => {
    const { secret } = await enrol(owner);
    const due = await Promise.all(Array.from({ length: 5 }, () => passwordOnly(owner)));
    const code = codeOf(secret, 1);
    const answers = await Promise.all(due.map((cookie) => giveCode(cookie, code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401]);
    for (const late of [code, codeOf(secret)]) {
      expectError(await giveCode(await passwordOnly(owner), late), {
        status: 401,
        error: "UNAUTHORIZED",
        message: expect.stringContaining("used before"),
        details: {},
      });
    }
  });

  test("takes each recovery code once, typed in any way, and says so in the audit log", async ({ workspace }) => {
    const { codes } = await enrol(workspace.owner);
    const [one = "", two = ""] = codes;
    for (const [code, status] of [
      [one.toUpperCase().replaceAll("-", " "), 200],
      [one, 401],
      [two.replaceAll("-", ""), 200],
    ] as const) {
      expect((await giveCode(await passwordOnly(workspace.owner), code)).status).toBe(status);
    }
    const deeds = (await deedsIn(workspace.workspaceId)).map(([action]) => action);
    expect(deeds).toEqual(["member.factorAdded", "member.recoveryCodeUsed", "member.recoveryCodeUsed"]);
  });

  test("counts wrong codes of an account, also for one who gives the right password between them", async ({
    workspace: { owner },
  }) => {
    await awayFromWindowEdge();
    const { secret } = await enrol(owner);
    for (let i = 0; i < 10; i++) {
      expect((await giveCode(await passwordOnly(owner), "000000")).status).toBe(401);
    }
    expect((await submitSignIn(owner)).status).toBe(200);
    expect((await giveCode(await passwordOnly(owner), codeOf(secret))).status).toBe(429);
  });

  test("makes a browser known only by its code", async ({ workspace: { owner } }) => {
    const { secret } = await enrol(owner);
    const first = await submitSignIn(owner);
    expect(first.headers.getSetCookie().join()).not.toContain("known-browser");
    const second = await giveCode(sessionOf(first), codeOf(secret));
    expect(second.headers.getSetCookie().join()).toContain("known-browser");
  });

  test("is over where no code comes in time, or the password changes meanwhile", async ({ workspace: { owner } }) => {
    const { secret } = await enrol(owner);
    const [late, changed] = [await passwordOnly(owner), await passwordOnly(owner)];
    await sql`update sessions set code_until = now() - interval '1 second' where user_id = ${await userIdOf(owner)}`;
    await endSessionsOf(owner);
    for (const cookie of [late, changed, ""]) {
      expect((await giveCode(cookie, codeOf(secret))).body.message).toContain("took too long");
    }
  });
});

describe("no way passes by the factor", () => {
  test("a reset link sets the password, and the code is due", async ({ workspace }) => {
    const { secret } = await enrol(workspace.member);
    const fields = { userId: await userIdOf(workspace.member) };
    const made = await actOnMembers(workspace, "createResetLink", { fields });
    const link = z.object({ ok: z.literal(true), value: z.object({ link: z.string() }) }).parse(made.said).value.link;
    const reset = await callAction("app/reset-password/actions.ts#setNewPassword", {
      fields: { token: new URL(link).hash.slice(1), password: "another long sentence" },
      path: "/reset-password",
      headers: { "x-forwarded-for": freshAddress() },
    });
    const due = sessionOf(reset);
    expect(reset.headers.getSetCookie().join()).not.toContain("known-browser");
    expect(await opens(due, workspace)).toEqual(NOTHING);
    expect(await opens(sessionOf(await giveCode(due, codeOf(secret))), workspace)).toEqual(ALL);
  });

  test("a sign-in with Google or GitHub leaves the code due, too", async ({ workspace, other }) => {
    const { secret } = await enrol(workspace.owner);
    // From where next-auth has the provider's verified address: the exchange before it takes Google's or GitHub's own servers.
    const signInByProvider = async ({ email }: Sign) => {
      const identity = { id: "12345", email };
      const account = { type: "oauth", provider: "github", providerAccountId: identity.id } as const;
      const outcome: SignInOutcome = {};
      const visitor = { address: freshAddress(), userAgent: null, cookieHeader: null };
      const { callbacks } = authOptions(visitor, outcome);
      const claims = await callbacks?.jwt?.({ token: {}, user: identity, account });
      const token = await encode({ token: claims ?? {}, secret: testServers().environment.NEXTAUTH_SECRET ?? "" });
      return { cookie: `${SESSION_COOKIE}=${token}`, ...outcome };
    };
    const { cookie, ...outcome } = await signInByProvider(workspace.owner);
    expect(outcome).toEqual({ isCodeDue: true });
    expect(await opens(cookie, workspace)).toEqual(NOTHING);
    expect(await opens(sessionOf(await giveCode(cookie, codeOf(secret))), workspace)).toEqual(ALL);
    expect(await opens((await signInByProvider(other.owner)).cookie, other)).toEqual(ALL);
  });

  test("an invitation is joined by a session with the code only", async ({ workspace, other }) => {
    await enrol(workspace.owner);
    const fields = { token: await invitationInto(other) };
    const path = `/invite/${fields.token}`;
    const cookie = await passwordOnly(workspace.owner);
    expect((await act("app/invite/[token]/actions.ts#join", { fields, cookie, path })).goesTo).toBe("/sign-in");
  });

  test("its set-up ends every other session, also one that begins at the same moment", async ({ workspace }) => {
    const { owner } = workspace;
    const [before, cookie] = [await signIn(owner), await signIn(owner)];
    const { secret, sealed } = await openSetUp(cookie);
    const fields = { sealed, code: codeOf(secret), current: owner.password };
    const racing = Array.from({ length: 4 }, () => submitSignIn(owner));
    expect(await turnOn(cookie, fields)).toMatchObject({ said: { ok: true }, cookie: undefined });
    const begun = (await Promise.all(racing)).map(sessionOf).filter((one) => one !== "");
    for (const one of [before, ...begun]) expect(await opens(one, workspace)).toEqual(NOTHING);
    expect(await opens(cookie, workspace)).toEqual(ALL);
  });

  test("a change of password keeps the acting session, which had the code, and no other", async ({ workspace }) => {
    const { cookie, secret } = await enrol(workspace.owner);
    const other = sessionOf(await giveCode(await passwordOnly(workspace.owner), codeOf(secret)));
    const fields = { current: workspace.owner.password, password: "another long sentence" };
    const changed = await account("setPassword", cookie, fields);
    expect(await opens(changed.cookie ?? "", workspace)).toEqual(ALL);
    expect(await opens(other, workspace)).toEqual(NOTHING);
  });
});

describe("setting it up", () => {
  test("takes the password, a code of the very secret, and one of this account", async ({ workspace, other }) => {
    const cookie = await signIn(workspace.owner);
    const [mine, theirs] = [await openSetUp(cookie), await openSetUp(await signIn(other.owner))];
    const right = { sealed: mine.sealed, code: codeOf(mine.secret), current: workspace.owner.password };
    for (const [wrong, field] of [
      [{ current: "not it" }, "current"],
      [{ code: "000000" }, "code"],
      [{ sealed: theirs.sealed, code: codeOf(theirs.secret) }, "code"],
    ] as const) {
      const { said } = await turnOn(cookie, { ...right, ...wrong });
      expect(said).toMatchObject({ ok: false, issues: { [field]: expect.any(String) } });
    }
    expect((await turnOn(cookie, right)).said?.ok).toBe(true);
  });

  test("stores the secret encrypted, and recovery codes as hashes; neither is in the audit log", async ({
    workspace,
  }) => {
    const { secret, codes } = await enrol(workspace.owner);
    const rows = await sql`select to_json(u)::text as row from users u where email = ${workspace.owner.email}`;
    const log =
      await sql`select to_json(a)::text as row from audit_log a where workspace_id = ${workspace.workspaceId}`;
    const stored = JSON.stringify([...rows, ...log]);
    for (const plain of [secret, ...codes, ...codes.map((code) => code.replaceAll("-", ""))]) {
      expect(stored).not.toContain(plain);
    }
  });

  test("new recovery codes replace the former, and turning it off ends the other sessions: each with a code", async ({
    workspace,
  }) => {
    const { codes, cookie, secret } = await enrol(workspace.owner);
    expect((await account("createRecoveryCodes", cookie, { code: "000000" })).said).toMatchObject({ ok: false });
    const renewed = Codes.parse((await account("createRecoveryCodes", cookie, { code: codeOf(secret) })).said).value;
    expect((await account("turnOffSecondFactor", cookie, { code: codes[0] ?? "" })).said).toMatchObject({ ok: false });
    const other = sessionOf(await giveCode(await passwordOnly(workspace.owner), renewed.codes[0] ?? ""));
    const off = await account("turnOffSecondFactor", cookie, { code: renewed.codes[1] ?? "" });
    expect(await opens(off.cookie ?? "", workspace)).toEqual(ALL);
    expect(await opens(other, workspace)).toEqual(NOTHING);
    expect(await opens(await passwordOnly(workspace.owner), workspace)).toEqual(ALL);
  });
});

describe("a lost device", () => {
  const remove = (workspace: TestWorkspace, userId: string, as: Sign) =>
    act("app/dashboard/settings/members/actions.ts#removeSecondFactor", {
      fields: { workspaceId: workspace.workspaceId, userId },
      as,
      path: "/dashboard/settings/members",
    });

  test("is removed by an owner, not by an admin, for oneself or of an account of two workspaces", async ({
    workspace,
    other,
  }) => {
    const { cookie } = await enrol(workspace.member);
    const userId = await userIdOf(workspace.member);
    expect((await remove(workspace, userId, workspace.admin)).said).toMatchObject({ ok: false });
    expect((await remove(workspace, await userIdOf(workspace.owner), workspace.owner)).said).toMatchObject({
      ok: false,
    });
    await sql`insert into members (workspace_id, user_id, role) values (${other.workspaceId}, ${userId}, 'member')`;
    expect((await remove(workspace, userId, workspace.owner)).said).toMatchObject({ ok: false });
    await sql`delete from members where workspace_id = ${other.workspaceId} and user_id = ${userId}`;
    expect((await remove(workspace, userId, workspace.owner)).said?.ok).toBe(true);
    expect(await opens(cookie, workspace)).toEqual(NOTHING);
    expect(await sessionIdsOf(workspace.member)).toEqual([]);
    expect(await opens(await passwordOnly(workspace.member), workspace)).toEqual(ALL);
  });

  test("is removed by the operator's command, for any account", async ({ workspace }) => {
    const { cookie } = await enrol(workspace.owner);
    const command = () =>
      runProgram([...SWITCHBOARD, "remove-second-factor", "--email", workspace.owner.email], serverEnvironment());
    expect(await command()).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("Olga Owner") });
    expect(await command()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("has no second factor") });
    expect(await opens(cookie, workspace)).toEqual(NOTHING);
    expect(await opens(await passwordOnly(workspace.owner), workspace)).toEqual(ALL);
  });
});

describe("a workspace that requires it", () => {
  test("is so by an owner who has one, and leads members without one to its set-up before anything else", async ({
    workspace,
  }) => {
    const { owner, member } = workspace;
    expect((await require2(workspace, await signIn(owner), true)).said).toMatchObject({ ok: false });
    const { cookie } = await enrol(owner);
    expect((await require2(workspace, await signIn(workspace.admin), true)).said).toMatchObject({ ok: false });
    expect((await require2(workspace, cookie, true)).said?.ok).toBe(true);
    const theirs = await signIn(member);
    expect(await opens(theirs, workspace)).toEqual([`307 ${SET_UP}`, 403, "session", SET_UP]);
    const elsewhere = await invitationInto(await provisionWorkspace());
    const path = `/invite/${elsewhere}`;
    const joining = await act("app/invite/[token]/actions.ts#join", {
      fields: { token: elsewhere },
      cookie: theirs,
      path,
    });
    expect(joining.goesTo).toBe(SET_UP);
    expect((await readAt("/docs/quickstart", theirs)).text).not.toContain(workspace.apiKey);
    const { secret, sealed } = await openSetUp(theirs);
    await turnOn(theirs, { sealed, code: codeOf(secret), current: member.password });
    expect(await opens(theirs, workspace)).toEqual(ALL);
    expect((await require2(workspace, cookie, false)).said?.ok).toBe(true);
    expect(await opens(await signIn(workspace.admin), workspace)).toEqual(ALL);
  });
});
