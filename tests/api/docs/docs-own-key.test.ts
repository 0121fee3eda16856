import { beforeAll, describe, expect, test } from "vitest";
import { WORKSPACE_COOKIE } from "@/lib/auth/choice-cookies";
import { userIdOf } from "../../support/people";
import { sql } from "../../support/rows";
import { readAt, signIn } from "../../support/session";
import { type Answer, provisionWorkspace, type TestWorkspace } from "../../support/workspace";

let workspace: TestWorkspace;
let stranger: TestWorkspace;

beforeAll(async () => {
  workspace = await provisionWorkspace({ mode: "test" });
  stranger = await provisionWorkspace({ mode: "test" });
});

/** Every key id that an answer names, and whether its calls read the key from the environment. */
const keysOn = ({ status, text }: Answer) => ({
  status,
  ids: [...new Set(text.match(/pk_(test|live)_\w+/g))],
  isFromEnvironment: text.includes("$CHAT_API_KEY"),
});

const WITHOUT_ID = { status: 200, ids: [], isFromEnvironment: true };

describe("200", () => {
  const path = "/docs/quickstart";

  test("a visitor reads calls that take the key from the environment", async () => {
    expect(keysOn(await readAt(path))).toEqual(WITHOUT_ID);
    expect(keysOn(await readAt(path, "next-auth.session-token=made-up"))).toEqual(WITHOUT_ID);
  });

  test.each(["owner", "admin"] as const)(
    "an %s reads the id of the workspace's test key, and never a secret",
    async (role) => {
      const answer = await readAt(path, await signIn(workspace[role]));
      expect(keysOn(answer)).toEqual({ status: 200, ids: [workspace.apiKey], isFromEnvironment: false });
      expect(answer.text).toContain("$CHAT_API_SECRET");
      expect(answer.text).not.toContain(workspace.apiSecret);
    },
  );

  test("a member reads what a visitor reads", async () => {
    expect(keysOn(await readAt(path, await signIn(workspace.member)))).toEqual(WITHOUT_ID);
  });

  test("no cache keeps the page, for any reader", async () => {
    for (const cookie of ["", await signIn(workspace.owner)]) {
      const kept = (await readAt(path, cookie)).headers.get("cache-control");
      expect([kept?.includes("private"), kept?.includes("no-store")], kept ?? "").toEqual([true, true]);
    }
  });

  test("a request that names another workspace reads its own key's id", async () => {
    const cookie = `${await signIn(workspace.owner)}; ${WORKSPACE_COOKIE}=${stranger.workspaceId}`;
    expect(keysOn(await readAt(path, cookie)).ids).toEqual([workspace.apiKey]);
    expect(keysOn(await readAt(`${path}?workspace=${stranger.workspaceId}`, cookie)).ids).toEqual([workspace.apiKey]);
  });
});

describe("200", () => {
  test("of two workspaces the chosen one counts, with the role that the reader has there", async () => {
    const [own, other] = [await provisionWorkspace({ mode: "test" }), await provisionWorkspace({ mode: "test" })];
    const userId = await userIdOf(own.owner);
    await sql`insert into members (workspace_id, user_id, role) values (${other.workspaceId}, ${userId}, 'member')`;
    const session = await signIn(own.owner);
    const idsIn = async ({ workspaceId }: TestWorkspace) =>
      keysOn(await readAt("/docs/quickstart", `${session}; ${WORKSPACE_COOKIE}=${workspaceId}`)).ids;
    expect([await idsIn(own), await idsIn(other)]).toEqual([[own.apiKey], []]);
    await sql`update members set role = 'admin' where workspace_id = ${other.workspaceId} and user_id = ${userId}`;
    expect(await idsIn(other)).toEqual([other.apiKey]);
  });

  test("a key that opens nothing any more is not shown", async () => {
    const { apiKey, owner } = await provisionWorkspace({ mode: "test" });
    await sql`update api_keys set revoked_at = now() where api_key = ${apiKey}`;
    expect(keysOn(await readAt("/docs/quickstart", await signIn(owner)))).toEqual(WITHOUT_ID);
  });

  test("someone who is a member nowhere reads what a visitor reads", async () => {
    const { workspaceId, admin } = await provisionWorkspace({ mode: "test" });
    const session = await signIn(admin);
    await sql`delete from members where workspace_id = ${workspaceId}`;
    expect(keysOn(await readAt("/docs/quickstart", session))).toEqual(WITHOUT_ID);
  });
});
