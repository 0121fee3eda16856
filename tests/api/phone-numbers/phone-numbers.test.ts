import { encode } from "next-auth/jwt";
import { describe, expect } from "vitest";
import { expectApiHeaders } from "../../support/edge-headers";
import { testServers } from "../../support/environment";
import { userIdOf } from "../../support/people";
import { sql } from "../../support/rows";
import { expectError, expectSent, TEXT } from "../../support/sends";
import { endSessionsOf, readAt, SESSION_COOKIE, sessionIdsOf, signIn, submitSignIn } from "../../support/session";
import { test } from "../../support/test";
import { type Answer, provisionWorkspace, type Sign } from "../../support/workspace";

const list = (workspaceId: string, cookie: string): Promise<Answer> =>
  readAt(`/api/v1/workspaces/${workspaceId}/phone-numbers`, cookie);

/** A session token as next-auth makes it, with whatever a test wants in it. */
const tokenFor = async (
  token: Record<string, unknown>,
  { secret = testServers().environment.NEXTAUTH_SECRET ?? "", maxAge = 3_600 } = {},
) => `${SESSION_COOKIE}=${await encode({ token, secret, maxAge })}`;

/** The id of a session that an owner has open. */
const sessionOf = async (owner: Sign): Promise<string> => {
  await signIn(owner);
  return (await sessionIdsOf(owner)).at(-1) ?? "";
};

const expectNoSession = (answer: Answer) =>
  expectError(answer, {
    status: 401,
    error: "UNAUTHORIZED",
    message: "This route needs a dashboard session: sign in at /sign-in first.",
    details: {},
  });

const expectNoWorkspace = (answer: Answer, workspaceId: string) =>
  expectError(answer, {
    status: 404,
    error: "NOT_FOUND",
    message: `No workspace "${workspaceId}" among those that you are a member of.`,
    details: {},
  });

describe("200", () => {
  test("owner, admin and member see every line with its id, active or not, of both modes", async () => {
    const workspace = await provisionWorkspace({
      lines: [
        { ref: "main", isDefault: true },
        { ref: "paused", isActive: false },
        { ref: "trial", mode: "test" },
      ],
    });
    const lineOf = (ref: string, more: object) => ({
      id: workspace.lines[ref]?.id,
      label: `Line ${ref}`,
      mode: "live",
      displayPhoneNumber: "+44 20 7946 0123",
      verifiedName: null,
      isActive: true,
      isDefault: false,
      qualityRating: null,
      whatsappPhoneNumberId: workspace.lines[ref]?.whatsappPhoneNumberId,
      whatsappBusinessAccountId: workspace.whatsappBusinessAccountId,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      ...more,
    });
    for (const role of ["owner", "admin", "member"] as const) {
      const answer = await list(workspace.workspaceId, await signIn(workspace[role]));
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body).toEqual({ success: true, data: { phoneNumbers: expect.any(Array) } });
      expect(answer.body.data.phoneNumbers.toSorted(byLabel)).toEqual([
        lineOf("main", { isDefault: true }),
        lineOf("paused", { isActive: false }),
        lineOf("trial", { mode: "test" }),
      ]);
      expectApiHeaders(answer);
    }
  });

  test("an id of the list is what a send takes", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "second" }] });
    const { phoneNumbers } = (await list(workspace.workspaceId, await signIn(workspace.member))).body.data;
    for (const { id } of phoneNumbers) {
      expectSent(await workspace.send({ ...TEXT, phoneNumberId: id }));
    }
  });

  test("no answer holds an access token, plain or sealed", async ({ workspace }) => {
    const answer = await list(workspace.workspaceId, await signIn(workspace.owner));
    expect(answer.status).toBe(200);
    expect(answer.text).not.toMatch(/token|v1\./i);
    expect(answer.text).not.toContain(workspace.lines.main?.accessToken);
  });

  test("a member of two workspaces sees each with the same session", async ({ workspace: one, other: two }) => {
    const userId = await userIdOf(one.member);
    await sql`insert into members (workspace_id, user_id, role) values (${two.workspaceId}, ${userId}, 'member')`;
    const cookie = await signIn(one.member);
    expect(idsOf(await list(one.workspaceId, cookie))).toEqual([one.phoneNumberId]);
    expect(idsOf(await list(two.workspaceId, cookie))).toEqual([two.phoneNumberId]);
  });
});

describe("401", () => {
  test("a token that is forged, expired, of an ended or no session, or under another name", async () => {
    const { workspaceId, owner } = await provisionWorkspace();
    const sessionId = await sessionOf(owner);
    for (const cookie of [
      await tokenFor({ sessionId }, { secret: "x".repeat(43) }),
      await tokenFor({ sessionId }, { maxAge: -60 }),
      await signIn(owner, { minutesAgo: 8 * 60 }),
      await tokenFor({ sessionId: "ses_01m7w7dr16j57xj0jhk1qj5zzz" }),
      await tokenFor({ userId: "usr_1", sessionVersion: 1, signedInAt: Date.now() / 1_000 }),
      await tokenFor({}),
      await tokenFor({ sessionId: 1 }),
      `${SESSION_COOKIE}=e30.e30.e30`,
      `${SESSION_COOKIE}=`,
      (await tokenFor({ sessionId })).replace("next-auth", "next_auth"),
    ]) {
      expectNoSession(await list(workspaceId, cookie));
    }
    // The same token without its fault is a session.
    expect((await list(workspaceId, await tokenFor({ sessionId }))).status).toBe(200);
  });

  test("a token with one changed character", async ({ workspace }) => {
    const cookie = await signIn(workspace.owner);
    const at = cookie.indexOf(SESSION_COOKIE) + SESSION_COOKIE.length + 60;
    const changed = `${cookie.slice(0, at)}${cookie[at] === "A" ? "B" : "A"}${cookie.slice(at + 1)}`;
    expectNoSession(await list(workspace.workspaceId, changed));
  });

  test("a session whose row is gone; signing in again works", async ({ workspace }) => {
    const cookie = await signIn(workspace.admin);
    expect((await list(workspace.workspaceId, cookie)).status).toBe(200);
    await endSessionsOf(workspace.admin);
    expectNoSession(await list(workspace.workspaceId, cookie));
    expect((await list(workspace.workspaceId, await signIn(workspace.admin))).status).toBe(200);
  });

  test("a wrong password, an unknown address and no password get one answer, in our shape, and no session", async () => {
    const { owner } = await provisionWorkspace();
    const signs = [
      { ...owner, password: "not the password" },
      { ...owner, password: "" },
      { ...owner, password: "x".repeat(2_000) },
      { email: "nobody@example.test", password: owner.password },
    ];
    for (const sign of signs) {
      const answer = await submitSignIn(sign);
      expectError(answer, {
        status: 401,
        error: "UNAUTHORIZED",
        message: "This e-mail and password do not match an account.",
        details: {},
      });
      expectApiHeaders(answer);
      expect(answer.headers.getSetCookie().join()).not.toContain("session-token=ey");
    }
  });
});

describe("404", () => {
  test("someone who was removed from the workspace", async ({ workspace, other }) => {
    const userId = await userIdOf(workspace.member);
    await sql`insert into members (workspace_id, user_id, role) values (${other.workspaceId}, ${userId}, 'member')`;
    const cookie = await signIn(workspace.member);
    await sql`delete from members where workspace_id = ${workspace.workspaceId} and user_id = ${userId}`;
    expectNoWorkspace(await list(workspace.workspaceId, cookie), workspace.workspaceId);
  });
});

const byLabel = (one: Record<string, unknown>, other: Record<string, unknown>) =>
  String(one.label).localeCompare(String(other.label));
const idsOf = (answer: Answer): unknown[] => answer.body.data.phoneNumbers.map(({ id }) => id);
