import { beforeEach, describe, expect } from "vitest";
import { testServers } from "../../support/environment";
import { awayFromWindowEdge, freshAddress } from "../../support/limits";
import { act, actOnMembers, deedsIn, invitationInto, rolesIn, userIdOf } from "../../support/people";
import { sql } from "../../support/rows";
import { readAs, readAt, signIn, signInByForm } from "../../support/session";
import { test } from "../../support/test";
import { provisionWorkspace, request } from "../../support/workspace";

const JOIN = "app/invite/[token]/actions.ts#join";
const JOIN_NEW = "app/invite/[token]/actions.ts#joinAsNewUser";

const newcomer = () => ({
  name: "Nina New",
  email: `nina-${crypto.randomUUID()}@example.test`,
  password: "a long sentence of hers",
});

const join = (token: string, fields: ReturnType<typeof newcomer> = newcomer()) =>
  act(JOIN_NEW, { fields: { token, ...fields }, path: `/invite/${token}` });

const page = (token: string, cookie = "", address = freshAddress()) =>
  request("GET", `${testServers().baseUrl}/invite/${token}`, { headers: { cookie, "x-forwarded-for": address } });

describe("an invitation", () => {
  test("makes an account that is signed in at once, in the role that was offered", async ({ workspace }) => {
    const [token, person] = [await invitationInto(workspace, { role: "admin" }), newcomer()];
    const { goesTo, cookie = "" } = await join(token, person);
    expect(goesTo).toBe("/dashboard");
    expect((await rolesIn(workspace))[person.email]).toBe("admin");
    const dashboard = await readAt("/dashboard", cookie);
    expect([dashboard.status, dashboard.text.includes("Nina New")]).toEqual([200, true]);
    expect(await signInByForm(person)).toContain("session-token");
    const deeds = (await deedsIn(workspace.workspaceId)).map(([action]) => action);
    expect(deeds).toEqual(["invitation.created", "member.added"]);
  });

  test("takes someone who has an account in with one click", async ({ workspace, other }) => {
    const token = await invitationInto(workspace);
    const path = `/invite/${token}`;
    expect((await page(token, await signIn(other.owner))).text).toContain("Join Test");
    expect((await act(JOIN, { fields: { token }, as: other.owner, path })).goesTo).toBe("/dashboard");
    expect((await rolesIn(workspace))[other.owner.email]).toBe("member");
  });

  test("works once: of five who use it at once one joins, and no account is left over", async ({ workspace }) => {
    const token = await invitationInto(workspace);
    const people = Array.from({ length: 5 }, newcomer);
    const outcomes = await Promise.all(people.map((person) => join(token, person)));
    expect(outcomes.filter(({ goesTo }) => goesTo === "/dashboard")).toHaveLength(1);
    expect(outcomes.filter(({ said }) => said?.ok === false)).toHaveLength(4);
    const emails = people.map(({ email }) => email);
    const made = await sql`select email from users where email in ${sql(emails)}`;
    expect(made).toHaveLength(1);
    expect(Object.keys(await rolesIn(workspace))).toHaveLength(4);
    expect((await page(token)).text).toContain("This invitation was used");
  });

  test("that is open can be revoked, however many others were made since", async ({ workspace }) => {
    await invitationInto(workspace);
    const [made] = await sql`select id from invitations where workspace_id = ${workspace.workspaceId}`;
    await sql`
      insert into invitations (workspace_id, id, token_hash, role, invited_by, expires_at, revoked_at, created_at)
      select workspace_id, 'inv_later' || n, sha256(convert_to(id || n, 'UTF8')), role, invited_by, expires_at, now(), now()
      from invitations, generate_series(1, 100) n where workspace_id = ${workspace.workspaceId}`;
    const { text } = await readAs(workspace.owner, "/dashboard/settings/members");
    expect(text).toContain(`value="${made?.id}"`);
  });

  test("for an address counts as no mail where the server sends none", async ({ workspace }) => {
    const fields = { role: "member", email: "nina@example.test", days: "7" };
    for (let made = 0; made < 31; made++)
      expect((await actOnMembers(workspace, "invite", { fields })).said, `${made}`).toMatchObject({ ok: true });
  });

  test("is not spent by reading it, however often", async ({ workspace }) => {
    const token = await invitationInto(workspace);
    for (const method of ["HEAD", "GET", "GET"]) {
      expect((await request(method, `${testServers().baseUrl}/invite/${token}`)).status).toBe(200);
    }
    expect((await join(token)).goesTo).toBe("/dashboard");
  });

  test("for an address takes in no other, and says so", async ({ workspace, other }) => {
    const wanted = newcomer();
    const token = await invitationInto(workspace, { email: wanted.email.toUpperCase() });
    expect((await join(token)).said).toMatchObject({ ok: false });
    const path = `/invite/${token}`;
    expect((await act(JOIN, { fields: { token }, as: other.owner, path })).said).toMatchObject({ ok: false });
    expect((await page(token, await signIn(other.owner))).text).toContain("you are signed in as");
    expect((await join(token, wanted)).goesTo).toBe("/dashboard");
  });

  test("that was revoked or has expired says so, and lets no one in", async ({ workspace }) => {
    const [revoked, expired] = [await invitationInto(workspace), await invitationInto(workspace)];
    const ids = await sql<{ id: string }[]>`
        select id from invitations where workspace_id = ${workspace.workspaceId} order by created_at, id`;
    const fields = { invitationId: ids[0]?.id ?? "" };
    expect((await actOnMembers(workspace, "revoke", { fields })).said).toMatchObject({ ok: true });
    expect((await actOnMembers(workspace, "revoke", { fields })).status).toBe(404);
    await sql`update invitations set expires_at = now() where id = ${ids[1]?.id ?? ""}`;
    expect((await page(revoked)).text).toContain("was revoked");
    expect((await page(expired)).text).toContain("has expired");
    expect((await join(revoked)).said).toMatchObject({ ok: false });
    expect((await join(expired)).said).toMatchObject({ ok: false });
    expect(Object.keys(await rolesIn(workspace))).toHaveLength(3);
  });

  test("gives nothing that its inviter may no longer give", async ({ workspace }) => {
    const token = await invitationInto(workspace, { role: "owner" });
    await sql`
        update members set role = 'admin' where workspace_id = ${workspace.workspaceId}
          and user_id = (select id from users where email = ${workspace.owner.email})`;
    expect((await join(token)).said).toMatchObject({ ok: false });
    expect((await page(token)).text).toContain("was revoked");
  });

  test("is kept as a hash: its token stands in no row and on no page", async ({ workspace }) => {
    const token = await invitationInto(workspace);
    const [row] = await sql`
        select to_json(i)::text as row, (select json_agg(a)::text from audit_log a where a.workspace_id = i.workspace_id)
          as log from invitations i where workspace_id = ${workspace.workspaceId}`;
    expect(`${row?.row}${row?.log}`).not.toContain(token);
    const list = await readAs(workspace.owner, "/dashboard/settings/members");
    expect(list.text).toContain("Anyone with the link");
    expect(list.text).not.toContain(token);
  });

  test("of an admin makes no owner", async ({ workspace }) => {
    const fields = { role: "owner", email: "", days: "7" };
    const { said } = await actOnMembers(workspace, "invite", { fields, as: "admin" });
    expect(said).toMatchObject({ ok: false, message: "You may not invite a member as owner." });
  });

  test("names the field at fault, and makes nothing of an address that has an account", async ({ workspace }) => {
    const { said } = await actOnMembers(workspace, "invite", { fields: { role: "member", email: "nina", days: "7" } });
    expect(said).toMatchObject({ ok: false, issues: { email: expect.any(String) } });
    const token = await invitationInto(workspace);
    const taken = await join(token, { ...newcomer(), email: workspace.owner.email });
    expect(taken.said).toMatchObject({ ok: false, issues: { email: expect.stringContaining("sign in instead") } });
    const short = await join(token, { ...newcomer(), password: "short" });
    expect(short.said).toMatchObject({ ok: false, issues: { password: expect.any(String) } });
    expect((await join(token)).goesTo).toBe("/dashboard");
  });
});

describe("made-up links", () => {
  beforeEach(awayFromWindowEdge);

  test("reveal to no one whether an address has an account; neither do links that are not for it", async () => {
    const workspace = await provisionWorkspace();
    const forAnother = await invitationInto(workspace, { email: newcomer().email });
    const spent = await invitationInto(workspace);
    await join(spent);
    const known = { ...newcomer(), email: workspace.owner.email };
    for (const token of ["x", crypto.randomUUID().replaceAll("-", "").padEnd(43, "A"), forAnother, spent]) {
      const [ofKnown, ofUnknown] = [await join(token, known), await join(token)];
      expect(ofKnown.said).toEqual(ofUnknown.said);
      expect(ofKnown.said).toMatchObject({ ok: false, message: expect.stringContaining("can no longer be used") });
    }
  });

  test("lead nowhere, and are counted by address", async () => {
    const address = freshAddress();
    const token = () => crypto.randomUUID().replaceAll("-", "").padEnd(43, "A");
    expect((await page(token(), "", address)).status).toBe(404);
    expect((await page("short", "", address)).status).toBe(404);
    for (let i = 0; i < 58; i++) await page(token(), "", address);
    expect((await page(token(), "", address)).text).toContain("Too many attempts");
    expect((await page(token())).status).toBe(404);
  });
});

describe("the audit log", () => {
  test("names whom a change was about", async ({ workspace }) => {
    const userId = await userIdOf(workspace.member);
    await actOnMembers(workspace, "setRole", { fields: { userId, role: "admin" } });
    await actOnMembers(workspace, "setRole", { fields: { userId, role: "admin" } });
    await actOnMembers(workspace, "remove", { fields: { userId } });
    expect(await deedsIn(workspace.workspaceId)).toEqual([
      ["member.changed", userId],
      ["member.removed", userId],
    ]);
  });
});
