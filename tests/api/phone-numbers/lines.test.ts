import { setTimeout as sleep } from "node:timers/promises";
import { test as base, describe, expect } from "vitest";
import { actingAs, doneBy, freshAccount, refusalBy, workspaceOfAccount } from "../../support/line-actions";
import type { ScriptedAnswer } from "../../support/platform";
import { auditEntries, sql } from "../../support/rows";
import { expectSent, TEXT } from "../../support/sends";
import { readAs } from "../../support/session";
import { accountWebhook } from "../../support/webhooks";
import {
  deliver,
  graphError,
  platformRequests,
  provisionWorkspace,
  scriptMessages,
  scriptPlatform,
  type TestWorkspace,
} from "../../support/workspace";

const test = base.extend("workspace", () => workspaceOfAccount());

const lineRow = async ({ workspaceId }: TestWorkspace, id: string) => {
  const [row] = await sql`select * from phone_numbers where workspace_id = ${workspaceId} and id = ${id}`;
  return row ?? {};
};

/** The last entry of the log that a person made. */
const lastAudit = async ({ workspaceId }: TestWorkspace) =>
  (await auditEntries(workspaceId)).filter(({ actor }) => actor.startsWith("user ")).at(-1);

const asOwner = async (workspace: TestWorkspace) => {
  const act = await actingAs(workspace, workspace.owner);
  return (name: string, fields: Record<string, string> = {}) =>
    act(name, { phoneNumberId: workspace.phoneNumberId, ...fields });
};

const pageOf = async ({ owner }: TestWorkspace, path: string) => (await readAs(owner, path)).text;

describe("200: done", () => {
  test("a paused line refuses the next send, and a resumed one takes it", async ({ workspace }) => {
    const act = await asOwner(workspace);
    doneBy(await act("pauseLine"));
    const refused = await workspace.send({ ...TEXT, phoneNumberId: workspace.phoneNumberId });
    expect(refused.body.error).toBe("PHONE_NUMBER_INACTIVE");
    expect(await lastAudit(workspace)).toMatchObject({ action: "phoneNumber.paused", after: { isActive: false } });
    doneBy(await act("resumeLine"));
    expectSent(await workspace.send(TEXT));
    expect(await lastAudit(workspace)).toMatchObject({ action: "phoneNumber.resumed", after: { isActive: true } });
  });

  test("what changes nothing leaves no trace in the audit log", async ({ workspace }) => {
    const act = await asOwner(workspace);
    doneBy(await act("resumeLine"));
    doneBy(await act("renameLine", { label: "Line main" }));
    expect(await lastAudit(workspace)).toBeUndefined();
  });

  test("a line has a new name for people and the same id for callers", async ({ workspace }) => {
    doneBy(await (await asOwner(workspace))("renameLine", { label: "  Support  " }));
    expect(await lineRow(workspace, workspace.phoneNumberId)).toMatchObject({ label: "Support" });
    const change = { target_id: workspace.phoneNumberId, before: { label: "Line main" }, after: { label: "Support" } };
    expect(await lastAudit(workspace)).toMatchObject({ action: "phoneNumber.changed", ...change });
  });

  test("there is one default line of a mode, however many choose at once", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "a", isDefault: true }, { ref: "b" }, { ref: "c" }] });
    const act = await asOwner(workspace);
    const ids = ["a", "b", "c"].map((ref) => workspace.lines[ref]?.id ?? "");
    const choices = [...ids, ...ids, ...ids].map((phoneNumberId) => act("makeDefaultLine", { phoneNumberId }));
    // On a busy machine the last of them may wait in vain for the row, which changes nothing.
    await Promise.all(choices);
    doneBy(await act("makeDefaultLine", { phoneNumberId: ids[1] ?? "" }));
    const rows = await Promise.all(ids.map((id) => lineRow(workspace, id)));
    expect(rows.map(({ is_default }) => is_default)).toEqual([false, true, false]);
  });

  test("a replaced token is the one that the next send carries, and is shown nowhere", async ({ workspace }) => {
    const token = `EAAnew${workspace.workspaceId.slice(3)}`;
    const answer = await (await asOwner(workspace))("replaceLineToken", { accessToken: ` ${token} ` });
    doneBy(answer);
    expectSent(await workspace.send(TEXT));
    const [send] = await platformRequests(workspace.whatsappPhoneNumberId, "messages");
    expect(send?.headers.authorization).toBe(`Bearer ${token}`);
    const audit = await lastAudit(workspace);
    expect(audit).toMatchObject({ action: "phoneNumber.tokenReplaced", after: { accessToken: "hidden" } });
    expect(answer.text + JSON.stringify(audit)).not.toContain(token);
    expect(await lineRow(workspace, workspace.phoneNumberId)).toMatchObject({ token_problem: null });
  });

  test("subscribing calls WhatsApp, and counts for every line of the account", async ({ workspace }) => {
    doneBy(await (await asOwner(workspace))("subscribeLineApp"));
    const calls = await platformRequests(workspace.whatsappBusinessAccountId, "subscribed_apps");
    expect(calls.map(({ method, body }) => `${method} ${body}`)).toEqual(["POST {}"]);
    expect((await lineRow(workspace, workspace.phoneNumberId)).subscribed_at).toBeTypeOf("string");
    expect(await lastAudit(workspace)).toMatchObject({ action: "phoneNumber.subscribed" });
  });
});

describe("200: a check keeps what WhatsApp says", () => {
  const check = async (workspace: TestWorkspace) => {
    const checks = doneBy(await (await asOwner(workspace))("runLineCheck"));
    return (checks as { name: string; state: string; words: string }[]).map(({ name, state }) => `${name} ${state}`);
  };

  /** A check that has come to the subscriptions of the account, which WhatsApp answers so. */
  const whileChecking = async (workspace: TestWorkspace, answer: ScriptedAnswer) => {
    const { whatsappBusinessAccountId } = workspace;
    await scriptPlatform(whatsappBusinessAccountId, "subscribed_apps", [answer]);
    const checking = check(workspace);
    await expect.poll(() => platformRequests(whatsappBusinessAccountId, "subscribed_apps")).toHaveLength(1);
    return { checking };
  };

  test("of a line that is well", async ({ workspace }) => {
    await (await asOwner(workspace))("subscribeLineApp");
    expect(await check(workspace)).toEqual([
      "token passed",
      "expiry passed",
      "scopes passed",
      "account passed",
      "number passed",
      "subscription passed",
    ]);
    expect(await lineRow(workspace, workspace.phoneNumberId)).toMatchObject({
      quality_rating: "GREEN",
      throughput: "STANDARD",
      messaging_limit: "TIER_2K",
      verified_name: "Sandbox Shop",
      token_checked_at: expect.any(String),
      token_expires_at: null,
      token_problem: null,
      subscribed_at: expect.any(String),
    });
  });

  test("of the time when it began: access that was removed during the check is not taken for proven", async () => {
    const workspace = await workspaceOfAccount();
    const { whatsappBusinessAccountId: account } = workspace;
    const { checking } = await whileChecking(workspace, { delayMs: 2_500, json: { data: [] } });
    await sleep(1_000);
    const value = { event: "PARTNER_REMOVED", waba_info: { waba_id: account } };
    await deliver(accountWebhook(workspace, "account_update", value, Math.floor(Date.now() / 1_000)));
    expect(await checking).toContain("account passed");
    const page = await pageOf(workspace, `/dashboard/phone-numbers/${workspace.phoneNumberId}`);
    expect(page).toContain("Our access to this line’s business account was removed");
  });

  test("of the time when it began: a subscription that is made during it stays", async ({ workspace }) => {
    const { checking } = await whileChecking(workspace, { delayMs: 1_500, json: { data: [] } });
    doneBy(await (await asOwner(workspace))("subscribeLineApp"));
    expect(await checking).toContain("subscription warning");
    expect((await lineRow(workspace, workspace.phoneNumberId)).subscribed_at).toBeTypeOf("string");
  });

  test.each([true, false])(
    "of the time when it began: what WhatsApp reports during it stays (subscriptions read: %s)",
    async (isRead) => {
      const workspace = await workspaceOfAccount();
      const { display_phone_number: number } = await lineRow(workspace, workspace.phoneNumberId);
      const answer = isRead ? { json: { data: [] } } : { status: 503, text: "no" };
      const { checking } = await whileChecking(workspace, { delayMs: 2_500, ...answer });
      await sleep(1_000);
      const time = Math.floor(Date.now() / 1_000);
      const about = { display_phone_number: number.replace(/\D/g, "") };
      const limit = { ...about, event: "UPGRADE", current_limit: "TIER_10K" };
      const faster = { ...about, event: "THROUGHPUT_UPGRADE", max_daily_conversations_per_business: "TIER_10K" };
      const name = { ...about, decision: "APPROVED", requested_verified_name: "New Shop" };
      await deliver(accountWebhook(workspace, "phone_number_quality_update", limit, time));
      await deliver(accountWebhook(workspace, "phone_number_quality_update", faster, time));
      await deliver(accountWebhook(workspace, "phone_number_name_update", name, time));
      expect(await checking).toContain("number passed");
      expect(await lineRow(workspace, workspace.phoneNumberId)).toMatchObject({
        quality_rating: "GREEN",
        messaging_limit: "TIER_10K",
        throughput: "HIGH",
        verified_name: "New Shop",
      });
    },
  );

  test.each([
    ["an expired token", { accessToken: "expired-token-1" }, "token failed", /refuses this line.s token/],
    ["a missing subscription", {}, "subscription warning", /not subscribed/],
  ])("of %s, and the page says it in one sentence", async (_, line, expected, sentence) => {
    const workspace = await workspaceOfAccount(line);
    expect(await check(workspace)).toContain(expected);
    expect(await pageOf(workspace, `/dashboard/phone-numbers/${workspace.phoneNumberId}`)).toMatch(sentence);
  });

  test("of a yellow number with a token of six days", async () => {
    const workspace = await workspaceOfAccount({ ...freshAccount("000220"), accessToken: "week-long-token" });
    expect(await check(workspace)).toContain("expiry warning");
    const text = await pageOf(workspace, `/dashboard/phone-numbers/${workspace.phoneNumberId}`);
    expect(text).toMatch(/The token expires in 6 days/);
    expect(text).toMatch(/quality is medium/);
    // The list has room for the worst alone.
    expect(await pageOf(workspace, "/dashboard/phone-numbers")).toMatch(/not subscribed/);
  });

  test("of a token of one day, in the words of the line's page", async () => {
    const workspace = await workspaceOfAccount({ accessToken: "day-long-token" });
    const checks = doneBy(await (await asOwner(workspace))("runLineCheck"));
    expect(checks).toContainEqual(
      expect.objectContaining({ name: "expiry", words: "The token expires in 24 h: it is temporary" }),
    );
    const page = await pageOf(workspace, `/dashboard/phone-numbers/${workspace.phoneNumberId}`);
    expect(page).toContain("The token expires in 24 h;");
  });

  test("of nothing, where WhatsApp does not answer: an outage is no refused token", async ({ workspace }) => {
    const { whatsappBusinessAccountId: account, whatsappPhoneNumberId: number } = workspace;
    for (const id of [account, number]) await scriptPlatform(id, "", [{ status: 503, text: "no" }]);
    await scriptPlatform(account, "subscribed_apps", [{ status: 503, text: "no" }]);
    expect(await check(workspace)).toContain("account failed");
    const unchanged = { token_problem: null, quality_rating: null };
    expect(await lineRow(workspace, workspace.phoneNumberId)).toMatchObject(unchanged);
  });

  test("of a test line only its number", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    expect(await check(workspace)).toEqual(["number passed"]);
  });

  test("the webhook's own address answers, and http is named as what WhatsApp does not deliver to", async () => {
    const workspace = await provisionWorkspace();
    const act = await actingAs(workspace, workspace.admin);
    expect(doneBy(await act("runWebhookCheck"))).toMatchObject([
      { name: "callback", state: "passed" },
      { name: "reachability", state: "warning" },
    ]);
  });
});

describe("200: refused, and nothing changes", () => {
  test("a token that is refused or none is not taken, and the old one stays", async ({ workspace }) => {
    const { access_token: before } = await lineRow(workspace, workspace.phoneNumberId);
    for (const [accessToken, words] of [
      ["expired-one", /refuses the token.*Session has expired/],
      ["narrow-one", /lacks whatsapp_business_management/],
      ["two words", /no spaces/],
      ["", /Paste the token/],
    ] as const) {
      const refusal = refusalBy(await (await asOwner(workspace))("replaceLineToken", { accessToken }));
      expect(refusal.issues.accessToken).toMatch(words);
    }
    expect((await lineRow(workspace, workspace.phoneNumberId)).access_token).toBe(before);
  });

  test("a name is 1 to 100 characters on one line", async ({ workspace }) => {
    const act = await asOwner(workspace);
    for (const label of ["  ", "x".repeat(101), "a\u0007b"]) {
      expect(refusalBy(await act("renameLine", { label })).issues.label).toBeTruthy();
    }
  });

  test("a subscription that WhatsApp refuses is reported in its words, without the token", async ({ workspace }) => {
    const token = workspace.lines.main?.accessToken ?? "";
    const refusal = graphError(200, `Permissions error for ${token}`);
    await scriptPlatform(workspace.whatsappBusinessAccountId, "subscribed_apps", [refusal]);
    const { message } = refusalBy(await (await asOwner(workspace))("subscribeLineApp"));
    expect(message).toMatch(/not subscribed.*Permissions error for \[token\]/);
  });

  test("a test line takes no token", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const refusal = refusalBy(await (await asOwner(workspace))("replaceLineToken", { accessToken: "EAA1" }));
    expect(refusal.issues.accessToken).toMatch(/built-in sandbox/);
  });
});

describe("404", () => {
  const OF_ONE_LINE = [
    ...["renameLine", "pauseLine", "resumeLine", "makeDefaultLine"],
    ...["replaceLineToken", "subscribeLineApp", "runLineCheck", "removeLine"],
  ];

  test("another workspace's line answers as one that no one has, and a disconnected one too", async () => {
    const [own, other] = [await workspaceOfAccount(), await workspaceOfAccount()];
    const act = await asOwner(own);
    doneBy(await act("removeLine"));
    for (const name of OF_ONE_LINE) {
      for (const phoneNumberId of [other.phoneNumberId, "pn_none", own.phoneNumberId]) {
        const answer = await act(name, { phoneNumberId, label: "Mine", accessToken: "EAA1" });
        expect(answer.status, `${name} ${phoneNumberId}`).toBe(404);
      }
    }
    expect(await lineRow(other, other.phoneNumberId)).toMatchObject({ label: "Line main", disconnected_at: null });
  });
});

describe("a send shows how the token stands", () => {
  const problemOf = async (workspace: TestWorkspace) =>
    (await lineRow(workspace, workspace.phoneNumberId)).token_problem;
  const EXPIRED = graphError(190, "Error validating access token: Session has expired.", { error_subcode: 463 });

  test("a refused credential marks the line, and the next accepted message clears it", async ({ workspace }) => {
    await scriptMessages(workspace, [EXPIRED]);
    expect((await workspace.send(TEXT)).status).toBe(502);
    await expect.poll(() => problemOf(workspace), { timeout: 10_000 }).toMatch(/^190: .*Session has expired/);
    expectSent(await workspace.send(TEXT));
    await expect.poll(() => problemOf(workspace), { timeout: 10_000 }).toBeNull();
  });

  test("any other end marks nothing", async ({ workspace }) => {
    for (const answer of [
      graphError(131026, "Undeliverable"),
      graphError(10, "Permission denied"),
      { hangUp: "before" as const },
      { status: 500, text: "<html>" },
    ]) {
      await scriptMessages(workspace, [answer]);
      await workspace.send(TEXT);
      expectSent(await workspace.send(TEXT));
      expect(await problemOf(workspace)).toBeNull();
    }
  });
});
