import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startInstance, testServers } from "../../support/environment";
import { forSuite } from "../../support/for-suite";
import { actingAs, doneBy, freshAccount, refusalBy } from "../../support/line-actions";
import { auditEntries, sql } from "../../support/rows";
import { signIn } from "../../support/session";
import {
  graphError,
  platformRequests,
  provisionWorkspace,
  type Sign,
  scriptPlatform,
  type TestWorkspace,
} from "../../support/workspace";

const META = { META_APP_ID: "7040100200", META_CONFIG_ID: "8050300400" };

const on = forSuite(() => startInstance(META));

type Account = ReturnType<typeof freshAccount>;

const linesOf = ({ workspaceId }: TestWorkspace) =>
  sql`select * from phone_numbers where workspace_id = ${workspaceId} order by created_at, id`;

/** A workspace without any line, an account at Meta, and how an owner comes back from Meta's dialog. */
const emptyWorkspace = async () => {
  const workspace = await provisionWorkspace({ lines: [] });
  const account = freshAccount();
  const act = await actingAs(workspace, workspace.owner, on.baseUrl);
  const code = () => `AQB${randomUUID()}`;
  const signUp = (fields: Partial<Account & { code: string }> = {}) =>
    act("connectSignedUpLine", { code: code(), ...account, ...fields });
  return { workspace, account, signUp };
};

const number = (id: string, status: string) => ({ id, display_phone_number: "+44 20 7946 0123", status });

/** The number as Meta's dialog leaves it: verified, and not registered for sending. */
const unregistered = ({ whatsappBusinessAccountId, whatsappPhoneNumberId }: Account, times = 1) => {
  const answer = { json: { data: [number(whatsappPhoneNumberId, "PENDING")] } };
  return scriptPlatform(whatsappBusinessAccountId, "phone_numbers", Array(times).fill(answer));
};

const registrations = async ({ whatsappPhoneNumberId }: Account) =>
  (await platformRequests(whatsappPhoneNumberId, "register")).map(({ body, headers }) => ({
    ...JSON.parse(body),
    authorization: headers.authorization,
  }));

const exchangesOf = async (code: string) =>
  (await platformRequests("oauth", "access_token")).filter(({ body }) => JSON.parse(body).code === code);

const pageOf = async (sign: Sign, baseUrl: string) => {
  const response = await fetch(`${baseUrl}/dashboard/phone-numbers/new`, { headers: { cookie: await signIn(sign) } });
  return { html: await response.text(), policy: response.headers.get("content-security-policy") ?? "" };
};

describe("200: connected", () => {
  test("the code becomes a token, the app is subscribed, the number registered, and its PIN returned once", async () => {
    const { workspace, account, signUp } = await emptyWorkspace();
    await unregistered(account);
    const code = `AQB${randomUUID()}`;
    const { id, pin } = doneBy(await signUp({ code })) as { id: string; pin: string };
    expect(pin).toMatch(/^\d{6}$/);
    expect(await registrations(account)).toEqual([
      { messaging_product: "whatsapp", pin, authorization: `Bearer ${code}` },
    ]);
    const subscribed = await platformRequests(account.whatsappBusinessAccountId, "subscribed_apps");
    expect(subscribed.filter(({ method }) => method === "POST")).toHaveLength(1);
    const lines = await linesOf(workspace);
    expect(lines).toMatchObject([
      { id, mode: "live", label: "+44 20 7946 0123", is_default: true, subscribed_at: expect.any(String) },
    ]);
    const audit = (await auditEntries(workspace.workspaceId)).at(-1);
    expect(audit).toMatchObject({ action: "phoneNumber.connected", target_id: id, after: { accessToken: "hidden" } });
    expect(JSON.stringify([lines, audit])).not.toContain(code);
    expect([lines[0], audit?.after].flatMap((row) => Object.values(row ?? {})).map(String)).not.toContain(pin);
  });

  test("the app secret is sent in the body of the exchange, to Meta only, and stands in no address", async () => {
    const { account, signUp } = await emptyWorkspace();
    const code = `AQB${randomUUID()}`;
    doneBy(await signUp({ code }));
    const secret = testServers().environment.WHATSAPP_APP_SECRET ?? "";
    const [exchange, ...more] = await exchangesOf(code);
    expect(more).toEqual([]);
    expect(exchange?.method).toBe("POST");
    expect(JSON.parse(exchange?.body ?? "")).toEqual({
      client_id: META.META_APP_ID,
      client_secret: secret,
      code,
      grant_type: "authorization_code",
    });
    expect(exchange?.headers).not.toHaveProperty("authorization");
    const seen = [exchange, ...(await platformRequests(account.whatsappBusinessAccountId))];
    for (const request of seen) for (const word of [secret, code]) expect(request?.path).not.toContain(word);
  });

  test("a number that can send already keeps its PIN: it is not registered again", async () => {
    const { workspace, account, signUp } = await emptyWorkspace();
    expect(doneBy(await signUp())).toEqual({ id: expect.any(String), pin: null });
    expect(await registrations(account)).toEqual([]);
    expect(await linesOf(workspace)).toMatchObject([{ label: "Sandbox Shop" }]);
  });

  test("a registration that WhatsApp refuses because it was done a moment ago is no failure", async () => {
    const { workspace, account, signUp } = await emptyWorkspace();
    await unregistered(account);
    await scriptPlatform(account.whatsappPhoneNumberId, "register", [graphError(133005, "Two step PIN mismatch")]);
    expect(doneBy(await signUp())).toMatchObject({ pin: null });
    expect(await linesOf(workspace)).toHaveLength(1);
  });

  test("of two owners who finish with one number at once, one gets that it is connected already", async () => {
    const { workspace, account, signUp } = await emptyWorkspace();
    await unregistered(account, 2);
    const answers = await Promise.all([signUp(), signUp()]);
    expect(answers.filter(({ text }) => text.includes("is connected already"))).toHaveLength(1);
    expect(await linesOf(workspace)).toHaveLength(1);
  });
});

describe("200: refused with the step that failed, and nothing is stored", () => {
  test.each(["refused-1", "used"])("a code that Meta refuses: %s", async (word) => {
    const { workspace, account, signUp } = await emptyWorkspace();
    const code = `${word}-${randomUUID()}`;
    if (word === "used") await (await emptyWorkspace()).signUp({ code });
    const { issues } = refusalBy(await signUp({ code }));
    expect(issues.code).toMatch(/^Meta’s code could not be exchanged\. WhatsApp said: 100: .+ Start again: /);
    expect(await platformRequests(account.whatsappBusinessAccountId)).toEqual([]);
    expect(await linesOf(workspace)).toEqual([]);
  });

  test("a number of another account, which the browser claimed", async () => {
    const { workspace, account, signUp } = await emptyWorkspace();
    const stranger = freshAccount();
    const { whatsappPhoneNumberId } = stranger;
    expect(refusalBy(await signUp({ whatsappPhoneNumberId })).issues.whatsappPhoneNumberId).toMatch(/not one of/);
    expect(await registrations(stranger)).toEqual([]);
    expect(await platformRequests(account.whatsappBusinessAccountId, "subscribed_apps")).toEqual([]);
    expect(await linesOf(workspace)).toEqual([]);
  });

  test("an account that the token cannot access, which the browser claimed", async () => {
    const { workspace, account, signUp } = await emptyWorkspace();
    const refusal = graphError(100, "Object does not exist", { error_subcode: 33 });
    await scriptPlatform(account.whatsappBusinessAccountId, "", [refusal]);
    expect(refusalBy(await signUp()).issues.whatsappBusinessAccountId).toMatch(/cannot access the business account/);
    expect(await linesOf(workspace)).toEqual([]);
  });

  test("a subscription that fails; the next sign-up connects", async () => {
    const { workspace, account, signUp } = await emptyWorkspace();
    await unregistered(account, 2);
    const answers = [{ json: { data: [] } }, graphError(200, "Permissions error")];
    await scriptPlatform(account.whatsappBusinessAccountId, "subscribed_apps", answers);
    expect(refusalBy(await signUp()).issues.accessToken).toMatch(/could not be subscribed.*Permissions error/);
    expect(await registrations(account)).toEqual([]);
    expect(await linesOf(workspace)).toEqual([]);
    expect(doneBy(await signUp())).toMatchObject({ pin: expect.any(String) });
  });

  test("a registration that fails; the next sign-up connects", async () => {
    const { workspace, account, signUp } = await emptyWorkspace();
    await unregistered(account, 2);
    await scriptPlatform(account.whatsappPhoneNumberId, "register", [graphError(133006, "Verify the number first")]);
    const unverified = { json: number(account.whatsappPhoneNumberId, "UNVERIFIED") };
    await scriptPlatform(account.whatsappPhoneNumberId, "", [unverified]);
    const { issues } = refusalBy(await signUp());
    expect(issues.whatsappPhoneNumberId).toMatch(/^The number could not be registered\. .*133006.*Then start again/);
    expect(await linesOf(workspace)).toEqual([]);
    expect(doneBy(await signUp())).toMatchObject({ pin: expect.any(String) });
  });

  test("a number that is connected already: it is not registered with a PIN that no one would ever see", async () => {
    const { account, signUp } = await emptyWorkspace();
    doneBy(await signUp());
    await unregistered(account);
    expect(refusalBy(await signUp()).issues.whatsappPhoneNumberId).toMatch(/is connected already, as the line/);
    expect(await registrations(account)).toEqual([]);
  });

  test("an exchange without an answer", async () => {
    const { workspace, signUp } = await emptyWorkspace();
    await scriptPlatform("oauth", "access_token", [{ hangUp: "before" }]);
    expect(refusalBy(await signUp()).message).toMatch(/could not be exchanged\. We could not reach WhatsApp/);
    expect(await linesOf(workspace)).toEqual([]);
  });
});

test("a member without the right to manage lines is refused before Meta is asked", async () => {
  const workspace = await provisionWorkspace({ lines: [] });
  const code = `AQB${randomUUID()}`;
  const act = await actingAs(workspace, workspace.member, on.baseUrl);
  refusalBy(await act("connectSignedUpLine", { code, ...freshAccount() }));
  expect(await exchangesOf(code)).toEqual([]);
});

describe("the Connect page", () => {
  test("offers Meta's dialog with the ids of the app, and loads nothing from Meta by itself", async () => {
    const { owner } = await provisionWorkspace({ lines: [] });
    const { html, policy } = await pageOf(owner, on.baseUrl);
    expect(html).toContain("Connect with Facebook");
    expect(html).toContain(META.META_CONFIG_ID);
    expect(html).not.toMatch(/<(script|link|iframe)[^>]+facebook/);
    expect(policy).not.toContain("facebook");
    expect(html).not.toContain(testServers().environment.WHATSAPP_APP_SECRET);
  });

  test("off: no button, no host of Meta, and the action is 404 before Meta is asked", async () => {
    const workspace = await provisionWorkspace({ lines: [] });
    const { html, policy } = await pageOf(workspace.owner, testServers().baseUrl);
    expect(html).toContain("Access token");
    expect(html).not.toMatch(/Connect with Facebook|connect\.facebook\.net/);
    expect(policy).not.toContain("facebook");
    const code = `AQB${randomUUID()}`;
    const act = await actingAs(workspace, workspace.owner);
    expect((await act("connectSignedUpLine", { code, ...freshAccount() })).status).toBe(404);
    expect(await exchangesOf(code)).toEqual([]);
  });
});
