import { describe, expect } from "vitest";
import { callAction } from "../../support/actions";
import { startInstance, testServers } from "../../support/environment";
import { forSuite } from "../../support/for-suite";
import { act, actOnMembers, userIdOf } from "../../support/people";
import { postToAuth, sessionIdsOf, signIn } from "../../support/session";
import { test } from "../../support/test";
import { type Answer, request, type TestWorkspace } from "../../support/workspace";

const other = forSuite(() => startInstance({}));

const get = (path: string, cookie: string, baseUrl = testServers().baseUrl): Promise<Answer> =>
  request("GET", `${baseUrl}${path}`, { headers: { cookie } });

/** What a cookie opens on each of two instances: a page, a route of the workspace, next-auth's own route and an action. */
const opens = async ({ workspaceId }: TestWorkspace, cookie: string) => {
  const seen = [];
  for (const baseUrl of [testServers().baseUrl, other.baseUrl]) {
    const session = await get("/api/auth/session", cookie, baseUrl);
    seen.push([
      (await get("/dashboard", cookie, baseUrl)).status,
      (await get(`/api/v1/workspaces/${workspaceId}/phone-numbers`, cookie, baseUrl)).status,
      session.text === "{}" ? "no session" : "session",
    ]);
  }
  const renamed = await callAction("app/dashboard/account/actions.ts#rename", {
    fields: { name: "By a copied cookie" },
    path: "/dashboard/account",
    headers: { cookie },
  });
  return [...seen, renamed.headers.get("x-action-redirect")?.split(";")[0] ?? "done"];
};

const ALL = [[200, 200, "session"], [200, 200, "session"], "done"];
const NOTHING = [[307, 401, "no session"], [307, 401, "no session"], "/sign-in"];

const ACCOUNT = "/dashboard/account";
const account = (name: string, cookie: string, fields: Record<string, string>) =>
  act(`app${ACCOUNT}/actions.ts#${name}`, { fields, cookie, path: ACCOUNT });

type Deed = (workspace: TestWorkspace, cookie: string) => Promise<unknown>;

const ENDINGS: [string, Deed][] = [
  ["signing out on a page", (_, cookie) => callAction("app/dashboard/actions.ts#signOut", { headers: { cookie } })],
  [
    "signing out through next-auth",
    async (_, cookie) => {
      expect((await postToAuth("signout", {}, { cookie })).status).toBe(200);
    },
  ],
  [
    "ending it from the list of sessions",
    async ({ member }) => {
      const here = await signIn(member);
      const [sessionId = ""] = await sessionIdsOf(member);
      expect((await account("endSession", here, { sessionId })).said?.ok).toBe(true);
    },
  ],
  [
    "signing out everywhere else",
    async ({ member }) => account("signOutEverywhere", await signIn(member), { sessions: "others" }),
  ],
  [
    "signing out everywhere",
    async ({ member }) => account("signOutEverywhere", await signIn(member), { sessions: "all" }),
  ],
  [
    "changing the password",
    async ({ member }) => {
      const fields = { current: member.password, password: "another long sentence" };
      expect((await account("setPassword", await signIn(member), fields)).said?.ok).toBe(true);
    },
  ],
  [
    "a change of the role",
    async (workspace) => {
      const fields = { userId: await userIdOf(workspace.member), role: "admin" };
      expect((await actOnMembers(workspace, "setRole", { fields })).said?.ok).toBe(true);
    },
  ],
  [
    "removal from the workspace",
    async (workspace) => {
      const fields = { userId: await userIdOf(workspace.member) };
      expect((await actOnMembers(workspace, "remove", { fields })).said?.ok).toBe(true);
    },
  ],
];

describe("a copied cookie opens nothing on any instance from the next request on, after", () => {
  test.for(ENDINGS)("%s", async ([_name, end], { workspace }) => {
    const copied = await signIn(workspace.member);
    expect(await opens(workspace, copied)).toEqual(ALL);
    await end(workspace, copied);
    expect(await opens(workspace, copied)).toEqual(NOTHING);
  });
});
