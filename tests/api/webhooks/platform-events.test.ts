import fc from "fast-check";
import { describe, expect } from "vitest";
import { provenWorkspaceId } from "@/lib/core/principal";
import { problemsOf } from "@/lib/phone-numbers/health";
import { listAllLines } from "@/lib/phone-numbers/queries";
import { tablesHolding } from "../../support/databases";
import { actingAs, doneBy, workspaceOfAccount } from "../../support/line-actions";
import { sql } from "../../support/rows";
import { expectSent, PHONE } from "../../support/sends";
import { readAs } from "../../support/session";
import { bodyOf, templateRecord, templateWebhook } from "../../support/template-records";
import { test } from "../../support/test";
import { accountWebhook, inboundWebhook } from "../../support/webhooks";
import { deliver, postWebhook, provisionWorkspace, scriptPlatform, type TestWorkspace } from "../../support/workspace";

/** The same for the same seed. */
const shuffled = <T>(items: readonly T[], seed: number): T[] =>
  items
    .map((item, index) => ({ item, place: Math.sin((index + 1) * 7.31 + seed * 3.7) }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
const NOW_SECONDS = Math.floor(Date.now() / 1_000);

describe("templates", () => {
  const record = templateRecord("order", [bodyOf("Hi")]);
  const event = (workspace: TestWorkspace, word: string, more: object = {}, time = NOW_SECONDS) =>
    deliver(templateWebhook(workspace, { ...record, language: "en-US", ...more }, word, { atSeconds: time }));
  const send = (workspace: TestWorkspace) =>
    workspace.send({ type: "template", phone: PHONE, templateName: "order", templateVariables: {} });

  test("a template that is paused can no longer be sent, and one that is approved again can", async () => {
    const workspace = await provisionWorkspace({ templates: [record] });
    expectSent(await send(workspace));
    await event(workspace, "PAUSED");
    const refused = await send(workspace);
    expect([refused.status, refused.body.error]).toEqual([400, "TEMPLATE_NOT_APPROVED"]);
    await event(workspace, "REINSTATED", {}, NOW_SECONDS + 1);
    expectSent(await send(workspace));
  });

  test("an unknown id falls back on name and language; a known one never reaches its namesake", async () => {
    const workspace = await provisionWorkspace({
      templates: [record, templateRecord("namesake", [bodyOf("Hi")], { language: "de" })],
    });
    await event(workspace, "PAUSED", { id: "1" });
    await event(workspace, "DISABLED", { name: "namesake", language: "de" });
    const rows =
      await sql`select name, status from templates where workspace_id = ${workspace.workspaceId} order by name`;
    expect(rows).toEqual([
      { name: "namesake", status: "APPROVED" },
      { name: "order", status: "DISABLED" },
    ]);
  });

  test("an event of another account never reaches a template", async () => {
    const workspace = await provisionWorkspace({ templates: [record] });
    await event({ ...workspace, whatsappBusinessAccountId: "77" }, "DISABLED");
    expectSent(await send(workspace));
  });
});

describe("lines", () => {
  test("quality and name of a line reach it by its number, within its account", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "second" }] });
    const foreign = await provisionWorkspace();
    await sql`
        update phone_numbers set display_phone_number = '+1 (555) 010-0000'
        where workspace_id = ${workspace.workspaceId} and id = ${workspace.lines.second?.id ?? ""}`;
    const value = { display_phone_number: "442079460123" };
    await deliver(accountWebhook(workspace, "phone_number_quality_update", { ...value, event: "FLAGGED" }));
    const name = { display_phone_number: "15550100000", decision: "APPROVED", requested_verified_name: "Acme" };
    await deliver(accountWebhook(workspace, "phone_number_name_update", name));
    const lines = (of: TestWorkspace) =>
      sql`select verified_name from phone_numbers where workspace_id = ${of.workspaceId} order by label`;
    const notices = (of: TestWorkspace) =>
      sql`select number, event from account_notices where workspace_id = ${of.workspaceId} order by number`;
    expect(await lines(workspace)).toEqual([{ verified_name: null }, { verified_name: "Acme" }]);
    expect(await notices(workspace)).toEqual([
      { number: "15550100000", event: "NAME_APPROVED" },
      { number: "442079460123", event: "FLAGGED" },
    ]);
    expect([await lines(foreign), await notices(foreign)]).toEqual([[{ verified_name: null }], []]);
  });
});

describe("what is wrong with a line, on the Overview and on its page", () => {
  const HOUR = 3_600;
  type Told = [field: string, value: Record<string, unknown>, at: number];
  const update = (value: object, seconds: number): Told => ["account_update", { ...value }, NOW_SECONDS + seconds];
  const restriction = (expiration: number, seconds: number) => {
    const restriction_info = [{ restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING", expiration }];
    return update({ event: "ACCOUNT_RESTRICTION", restriction_info }, seconds);
  };
  const ban = (state: string, seconds: number) =>
    update({ event: "DISABLED_UPDATE", ban_info: { waba_ban_state: state, waba_ban_date: "April 17, 2026" } }, seconds);
  const tell = async (workspace: TestWorkspace, events: Told[]) => {
    for (const [field, value, time] of events) await deliver(accountWebhook(workspace, field, value, time));
  };
  const pageText = async (workspace: TestWorkspace, path: string) => {
    const { text } = await readAs(workspace.owner, path);
    return text.replace(/<script[\s\S]*?<\/script>/g, "");
  };
  const pages = async (workspace: TestWorkspace) => [
    await pageText(workspace, "/dashboard"),
    await pageText(workspace, `/dashboard/phone-numbers/${workspace.phoneNumberId}`),
  ];
  const expectOnBoth = async (workspace: TestWorkspace, sentence: RegExp) => {
    for (const page of await pages(workspace)) expect(page).toMatch(sentence);
  };
  const expectOnNeither = async (workspace: TestWorkspace, sentence: RegExp) => {
    for (const page of await pages(workspace)) expect(page).not.toMatch(sentence);
  };

  test("what was banned, restricted, deleted and rejected is all reported, the worst first", async ({ workspace }) => {
    const until = NOW_SECONDS + 48 * HOUR;
    const alert_info = { alert_type: "PROFILE_PICTURE_LOST", alert_severity: "CRITICAL", alert_status: "ACTIVE" };
    await tell(workspace, [
      update({ event: "ACCOUNT_VIOLATION", violation_info: { violation_type: "SCAM" } }, -9),
      ban("SCHEDULE_FOR_DISABLE", -8),
      restriction(until, -7),
      update({ event: "ACCOUNT_DELETED" }, -6),
      ["account_review_update", { decision: "REJECTED" }, NOW_SECONDS - 5],
      ["account_alerts", { entity_id: "1", alert_info }, NOW_SECONDS - 4],
    ]);
    for (const sentence of [
      /will disable this line’s business account on April 17, 2026/,
      /cannot start conversations/,
      /was deleted at WhatsApp/,
      /in its review/,
      /WhatsApp alert: profile picture lost/,
      /violated its policy \(scam\)/,
    ]) {
      await expectOnBoth(workspace, sentence);
    }
  });

  test("a restriction ends by itself at its own time", async ({ workspace }) => {
    await tell(workspace, [restriction(NOW_SECONDS + HOUR, 0)]);
    await expectOnBoth(workspace, /cannot start conversations/);
    const other = await provisionWorkspace();
    await tell(other, [restriction(NOW_SECONDS - 1, 0)]);
    await expectOnNeither(other, /cannot start conversations/);
  });

  test("whatever order they come in, the event with the latest time of each kind stands", async () => {
    const flag = (event: string, seconds: number): Told => [
      "phone_number_quality_update",
      { display_phone_number: "442079460123", event, current_limit: event === "FLAGGED" ? "TIER_1K" : "TIER_10K" },
      NOW_SECONDS + seconds,
    ];
    const name = (decision: string, requested: string, seconds: number): Told => [
      "phone_number_name_update",
      { display_phone_number: "442079460123", decision, requested_verified_name: requested },
      NOW_SECONDS + seconds,
    ];
    const events = [
      ban("SCHEDULE_FOR_DISABLE", -50),
      ban("DISABLE", -40),
      ban("REINSTATE", -30),
      flag("FLAGGED", -50),
      flag("UNFLAGGED", -40),
      update({ event: "PARTNER_REMOVED" }, -50),
      update({ event: "PARTNER_ADDED" }, -40),
      update({ event: "AD_ACCOUNT_LINKED" }, -20),
      name("APPROVED", "Old", -50),
      name("APPROVED", "New", -40),
      // Of one second: the bad news stays.
      update({ event: "ACCOUNT_OFFBOARDED" }, -10),
      update({ event: "ACCOUNT_RECONNECTED" }, -10),
    ];
    const orders = [events, events.toReversed(), ...[1, 2].map((seed) => shuffled(events, seed))];
    const ends = [];
    for (const order of orders) {
      const workspace = await provisionWorkspace();
      await tell(workspace, order);
      await tell(workspace, order.slice(0, 5));
      ends.push(
        await sql`
            select n.kind, n.event, n.detail, n.occurred_at, p.verified_name, p.messaging_limit
            from account_notices n join phone_numbers p using (workspace_id)
            where workspace_id = ${workspace.workspaceId} order by n.kind`,
      );
      if (order !== events) continue;
      await expectOnNeither(workspace, /has disabled|will disable|flagged this number|access to this line/);
      await expectOnBoth(workspace, /disconnected from the WhatsApp API/);
    }
    for (const end of ends) expect(JSON.stringify(end)).toBe(JSON.stringify(ends[0]));
    expect(ends[0]?.[0]).toMatchObject({ verified_name: "New", messaging_limit: "TIER_10K" });
  });

  test("a check knows the end of earlier events, and a later one still counts", async () => {
    const workspace = await workspaceOfAccount({}, {});
    const act = await actingAs(workspace, workspace.owner);
    const number = workspace.whatsappPhoneNumberId;
    type Check = { name: string; state: string };
    const check = async (status: string) => {
      const json = { id: number, display_phone_number: "+44 20 7946 0123", status, quality_rating: "GREEN" };
      await scriptPlatform(number, "", [{ json }]);
      return doneBy(await act("runLineCheck", { phoneNumberId: workspace.phoneNumberId })) as Check[];
    };
    doneBy(await act("subscribeLineApp", { phoneNumberId: workspace.phoneNumberId }));
    await tell(workspace, [update({ event: "PARTNER_REMOVED" }, -10)]);
    await expectOnBoth(workspace, /access to this line/);
    for (const [status, state, sentence] of [
      ["RESTRICTED", "warning", /can still reply to customers/],
      ["FLAGGED", "warning", /flagged this number/],
      ["BANNED", "failed", /reports this number as banned/],
    ] as const) {
      expect((await check(status)).find(({ name }) => name === "number")?.state).toBe(state);
      await expectOnBoth(workspace, sentence);
    }
    expect((await check("CONNECTED")).find(({ name }) => name === "number")?.state).toBe("passed");
    await expectOnNeither(workspace, /calls this number|flagged this number|access to this line/);
    const flagged = { display_phone_number: "442079460123", event: "FLAGGED" };
    await tell(workspace, [["phone_number_quality_update", flagged, NOW_SECONDS - HOUR]]);
    await expectOnNeither(workspace, /flagged this number/);
    await tell(workspace, [["phone_number_quality_update", flagged, NOW_SECONDS + HOUR]]);
    await expectOnBoth(workspace, /flagged this number/);
  });
});

describe("inbound messages", () => {
  const contactsOf = ({ workspaceId }: TestWorkspace) =>
    sql<{ phone: string | null; name: string | null; user: string | null; at: number }[]>`
        select phone, name, whatsapp_user_id as user, extract(epoch from last_inbound_at)::int as at
        from contacts where workspace_id = ${workspaceId} order by phone`;
  const from = (phone: string, seconds = NOW_SECONDS) => ({ from: phone, timestamp: `${seconds}` });
  const profile = (phone: string, name: string, user?: string) => ({
    wa_id: phone,
    profile: { name },
    ...(user ? { user_id: user } : {}),
  });

  test("make and update contacts: the latest time counts, a name that is there stays", async () => {
    const workspace = await provisionWorkspace({ contacts: [{ ref: "ada", phone: PHONE, name: "Ada" }] });
    const messages = [from(PHONE, NOW_SECONDS), from(PHONE, NOW_SECONDS - 50), from("447700900999")];
    const profiles = [profile(PHONE, "Nickname", "US.1"), profile("447700900999", "Neu")];
    await deliver(inboundWebhook(workspace, messages, profiles));
    await deliver(inboundWebhook(workspace, [from(PHONE, NOW_SECONDS - 100)]));
    expect(await contactsOf(workspace)).toEqual([
      { phone: PHONE, name: "Ada", user: "US.1", at: NOW_SECONDS },
      { phone: "447700900999", name: "Neu", user: null, at: NOW_SECONDS },
    ]);
    const [line] = await sql`
        select last_webhook_at > now() - interval '1 minute' as is_heard from phone_numbers
        where workspace_id = ${workspace.workspaceId}`;
    expect(line).toEqual({ is_heard: true });
  });

  test("8 parallel bodies about the same 30 people, each in its own order, all succeed", async ({ workspace }) => {
    const people = Array.from({ length: 30 }, (_, index) => `4477009${10_000 + index}`);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, round) => {
        const order = people.map((_phone, index) => people[(index * 7 + round) % 30] ?? "");
        return postWebhook(
          inboundWebhook(
            workspace,
            order.flatMap((phone) => [from(phone), { from_user_id: `US.${phone}`, timestamp: `${NOW_SECONDS}` }]),
            order.map((phone) => profile(phone, "Name", `US.${phone}`)),
          ),
        );
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await contactsOf(workspace)).toHaveLength(30);
  });
});

describe("errors of an account and security events", () => {
  const NUMBER = "442079460123";
  const RECIPIENT = "447700900456";
  const security = (line: { whatsappBusinessAccountId: string }, event: string, seconds = 0) =>
    accountWebhook(line, "security", { display_phone_number: NUMBER, event }, NOW_SECONDS + seconds);
  const accountErrors = (line: TestWorkspace, code: number) =>
    accountWebhook(line, "messages", {
      metadata: { display_phone_number: NUMBER, phone_number_id: line.whatsappPhoneNumberId },
      errors: [{ code, title: "Payment issue", error_data: { details: `To ${RECIPIENT}` } }],
    });
  const lineOf = async ({ workspaceId }: TestWorkspace) => {
    const [line] = await listAllLines(provenWorkspaceId(workspaceId));
    if (!line) throw new Error("no line");
    return line;
  };

  test("errors of an account and a changed PIN stand at the line and nowhere else, without what they say of a recipient", async () => {
    const [workspace, foreign] = [await provisionWorkspace(), await provisionWorkspace()];
    await deliver(accountErrors(workspace, 131042));
    await deliver(accountErrors(workspace, 130429));
    await deliver(security(workspace, "PIN_CHANGED"));
    const { text } = await readAs(workspace.owner, `/dashboard/phone-numbers/${workspace.phoneNumberId}`);
    expect(text).toContain("has a payment problem");
    expect(text).toContain("If your team did not do this, review who has access");
    expect(text).not.toContain(RECIPIENT);
    expect((await lineOf(foreign)).notices).toEqual([]);
    expect(problemsOf(await lineOf(workspace), new Date()).map(({ kind, tone }) => [kind, tone])).toEqual(
      expect.arrayContaining([
        ["account.error", "bad"],
        ["line.security", "caution"],
      ]),
    );
    expect(await tablesHolding([RECIPIENT])).not.toContain("account_notices");
  });

  test("in any order and however often, the latest event of a PIN stands", async () => {
    const events = ["PIN_RESET_REQUEST", "PIN_REQUEST_SUCCESS", "PIN_CHANGED"].map(
      (event, index) => [event, index - 10] as const,
    );
    const orders = fc.shuffledSubarray([...events, ...events], { minLength: 6 });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const workspace = await provisionWorkspace();
        for (const [event, seconds] of order) await deliver(security(workspace, event, seconds));
        const { notices } = await lineOf(workspace);
        expect(notices.map(({ kind, event }) => [kind, event])).toEqual([["security", "PIN_CHANGED"]]);
      }),
      { numRuns: 6 },
    );
  });
});
