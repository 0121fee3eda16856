import { describe, expect } from "vitest";
import { messageRows, planUnits, sql } from "../../support/rows";
import {
  callsOf,
  countMessages,
  expectError,
  expectNothingBound,
  expectSent,
  KEY,
  PHONE,
  TEXT,
} from "../../support/sends";
import { bodyOf, templateRecord } from "../../support/template-records";
import { testIn } from "../../support/test";
import { accountWebhook } from "../../support/webhooks";
import {
  type Answer,
  deliver,
  graphError,
  provisionWorkspace,
  report,
  scriptMessages,
  type TestWorkspace,
} from "../../support/workspace";

const marketing = (name: string) => templateRecord(name, [bodyOf("Half price today.")], { category: "MARKETING" });
const TEMPLATES = {
  templates: [marketing("sale"), marketing("offer"), templateRecord("ready", [bodyOf("Your order is ready.")])],
};
const test = testIn(TEMPLATES);
const OTHER = "447700900124";
const STOPPED_AT = new Date("2026-11-20T09:14:05.000Z");

const templateTo = (phone: string, templateName = "sale") => ({
  type: "template",
  phone,
  templateName,
  templateVariables: {},
});
const SALE = templateTo(PHONE);

const ourRefusal = (code: number, title: string) => ({ code, subcode: null, title, details: null, fbtraceId: null });
const isOurs = (answer: Answer, code: number) => {
  expect([answer.status, answer.body.error], answer.text).toEqual([400, "CHAT_GRAPH_ERROR"]);
  return answer.body.details.refusedBy === "switchboard" && answer.body.details.platform?.code === code;
};

/** As WhatsApp reports it after it had accepted the message. */
const failByWebhook = async (
  workspace: TestWorkspace,
  sent: Answer,
  code: number,
  { at = Math.floor(Date.now() / 1_000) } = {},
) => {
  const errors = [{ code, title: "Refused" }];
  await report(workspace, { id: sent.body.data.chatMessageId ?? "", status: "failed", timestamp: `${at}`, errors });
};

const withhold = async (workspace: TestWorkspace, body: object = SALE, secondsAgo = 0): Promise<void> => {
  const sent = await workspace.send(body);
  expectSent(sent);
  await failByWebhook(workspace, sent, 131049, { at: Math.floor(Date.now() / 1_000) - secondsAgo });
};

const optOut = ({ workspaceId }: TestWorkspace, source = "whatsapp", phone = PHONE) => sql`
  insert into contacts (workspace_id, id, phone, marketing_opted_out_at, marketing_opt_out_source)
  values (${workspaceId}, ${`ct_${crypto.randomUUID()}`}, ${phone}, ${STOPPED_AT.toISOString()}, ${source})
      on conflict (workspace_id, phone) do update set
        marketing_opted_out_at = excluded.marketing_opted_out_at, marketing_opt_out_source = excluded.marketing_opt_out_source`;
const optIn = ({ workspaceId }: TestWorkspace) =>
  sql`update contacts set marketing_opted_out_at = null, marketing_opt_out_source = null
    where workspace_id = ${workspaceId}`;
const refuseOptedOut = ({ workspaceId }: TestWorkspace) =>
  sql`update workspaces set refuse_opted_out = true where id = ${workspaceId}`;

describe("400: a marketing template that WhatsApp withheld from a person", () => {
  test("twice is refused for 24 hours, with WhatsApp's code, and says when it may be tried again", async () => {
    const workspace = await provisionWorkspace(TEMPLATES);
    await withhold(workspace);
    await withhold(workspace);
    const [units, rows] = [await planUnits(workspace), await countMessages(workspace)];
    const refused = await workspace.send(SALE, KEY);
    const { retryAt = "", retryAfterSeconds = 0 } = refused.body.details;
    expectError(refused, {
      status: 400,
      error: "CHAT_GRAPH_ERROR",
      message: `WhatsApp withheld template "sale" from this person 2 times within 24 h, so Switchboard did not send it again. Retry after ${retryAt} with the same Idempotency-Key.`,
      details: {
        outcome: "not_sent",
        refusedBy: "switchboard",
        retryable: true,
        retryAt,
        retryAfterSeconds,
        platform: ourRefusal(131049, "WhatsApp withheld the marketing message"),
      },
    });
    expect(refused.headers.get("retry-after")).toBe(`${retryAfterSeconds}`);
    expect(retryAfterSeconds).toBeGreaterThan(86_400 - 120);
    expect(retryAfterSeconds).toBeLessThanOrEqual(86_400);
    expect(await callsOf(workspace)).toHaveLength(2);
    expect([await planUnits(workspace), await countMessages(workspace)]).toEqual([units, rows]);
  });

  test("by a refused call and by a webhook count alike", async ({ workspace }) => {
    await scriptMessages(workspace, [graphError(131049)]);
    expect((await workspace.send(SALE)).body.details.refusedBy).toBeUndefined();
    await withhold(workspace);
    expect(isOurs(await workspace.send(SALE), 131049)).toBe(true);
  });

  test("twice under one idempotency key is not tried a third time, and the message keeps its key", async () => {
    const workspace = await provisionWorkspace(TEMPLATES);
    await scriptMessages(workspace, [graphError(131049), graphError(131049)]);
    const first = await workspace.send(SALE, KEY);
    expect((await workspace.send(SALE, KEY)).body.details.refusedBy).toBeUndefined();
    const third = await workspace.send(SALE, KEY);
    expect(isOurs(third, 131049)).toBe(true);
    expect(third.body.details.messageId).toBe(first.body.details.messageId);
    expect(await callsOf(workspace)).toHaveLength(2);
    const [row] = await messageRows(workspace);
    expect(row).toMatchObject({ status: "FAILED", phase: "REFUSED_RETRYABLE" });
    // A day after the first try the same key sends it.
    await sql`update messages set withheld_before_at = withheld_before_at - interval '24 hours'
      where workspace_id = ${workspace.workspaceId}`;
    expectSent(await workspace.send(SALE, KEY));
  });

  test("is withheld once where the tries before it under its key were throttled, and is sent again", async () => {
    const workspace = await provisionWorkspace(TEMPLATES);
    await scriptMessages(workspace, [graphError(131016), graphError(131016), graphError(131049)]);
    for (const status of [502, 502, 400]) expect((await workspace.send(SALE, KEY)).status).toBe(status);
    expectSent(await workspace.send(SALE, KEY));
    expect(await callsOf(workspace)).toHaveLength(4);
  });

  test("under one key counts also after a later try of it was throttled, for 24 hours of its own", async () => {
    const workspace = await provisionWorkspace(TEMPLATES);
    await scriptMessages(workspace, [graphError(131049), graphError(131016)]);
    for (const status of [400, 502]) expect((await workspace.send(SALE, KEY)).status).toBe(status);
    await sql`update messages set withheld_before_at = withheld_before_at - interval '1 hour'
        where workspace_id = ${workspace.workspaceId}`;
    await withhold(workspace);
    const refused = await workspace.send(SALE);
    expect(isOurs(refused, 131049)).toBe(true);
    expect(refused.body.details.retryAfterSeconds).toBeLessThanOrEqual(23 * 3_600);
  });

  test("is refused by every name of the person, also after two contacts were merged", async () => {
    const workspace = await provisionWorkspace({ ...TEMPLATES, contacts: [{ ref: "ana", phone: OTHER }] });
    await withhold(workspace);
    await withhold(workspace);
    const { workspaceId, contacts } = workspace;
    await sql`update contacts set phone = null, merged_into = ${contacts.ana ?? ""}
      where workspace_id = ${workspaceId} and phone = ${PHONE}`;
    await sql`update contact_names set contact_id = ${contacts.ana ?? ""} where workspace_id = ${workspaceId}`;
    const byContact = { ...SALE, phone: undefined, contactId: workspace.contacts.ana };
    for (const body of [SALE, byContact, templateTo(OTHER)])
      expect(isOurs(await workspace.send(body), 131049)).toBe(true);
  });
});

describe("201: beside a template that WhatsApp withheld", () => {
  test("other templates, other people, texts and other workspaces are sent", async () => {
    const [workspace, neighbour] = await Promise.all([provisionWorkspace(TEMPLATES), provisionWorkspace(TEMPLATES)]);
    for (const one of [1, 2]) await withhold(workspace, SALE, one);
    for (const body of [templateTo(PHONE, "offer"), templateTo(PHONE, "ready"), templateTo(OTHER), TEXT])
      expectSent(await workspace.send(body));
    expectSent(await neighbour.send(SALE));
  });

  test.each([
    ["a try of 24 hours ago counts no more", 86_400, 201],
    ["a try within them counts", 86_400 - 120, 400],
  ])("%s", async (_, secondsAgo, status) => {
    const workspace = await provisionWorkspace(TEMPLATES);
    await withhold(workspace, SALE, secondsAgo);
    await withhold(workspace);
    expect((await workspace.send(SALE)).status).toBe(status);
  });

  test("failures of another code do not count, nor do utility templates", async ({ workspace }) => {
    for (const body of [SALE, SALE, SALE]) {
      const sent = await workspace.send(body);
      expectSent(sent);
      await failByWebhook(workspace, sent, 131026);
    }
    expectSent(await workspace.send(SALE));
    for (const one of [1, 2, 3]) await withhold(workspace, templateTo(PHONE, "ready"), one);
  });
});

describe("400: a marketing template to a person who stopped them", () => {
  test.each([
    ["whatsapp", "in WhatsApp"],
    ["word", "with a stop word"],
  ])("(%s) is refused before WhatsApp is called, and says when and how", async (source, how) => {
    const workspace = await provisionWorkspace(TEMPLATES);
    await refuseOptedOut(workspace);
    await optOut(workspace, source);
    expectError(await workspace.send(SALE, KEY), {
      status: 400,
      error: "CHAT_GRAPH_ERROR",
      message: `The recipient stopped marketing messages, so Switchboard did not send this one. The person stopped them ${how} at ${STOPPED_AT.toISOString()}. Nothing was sent. Send this recipient no marketing templates.`,
      details: {
        outcome: "not_sent",
        refusedBy: "switchboard",
        retryable: false,
        optedOutAt: STOPPED_AT.toISOString(),
        optOutSource: source,
        platform: ourRefusal(131050, "The recipient stopped marketing messages"),
      },
    });
    await expectNothingBound(workspace);
    // The key is still free, and the person may allow marketing again.
    await optIn(workspace);
    expectSent(await workspace.send(SALE, KEY));
  });

  test("is refused as soon as WhatsApp's notice has its 200, until the person allows it again", async () => {
    const workspace = await provisionWorkspace(TEMPLATES);
    await refuseOptedOut(workspace);
    expectSent(await workspace.send(SALE));
    const seconds = Math.floor(Date.now() / 1_000);
    const notice = async (value: string, timestamp: number) => {
      const preference = { wa_id: PHONE, category: "marketing_messages", value, timestamp };
      const body = accountWebhook(
        workspace,
        "user_preferences",
        {
          messaging_product: "whatsapp",
          metadata: { display_phone_number: "442079460123", phone_number_id: workspace.whatsappPhoneNumberId },
          contacts: [{ wa_id: PHONE }],
          user_preferences: [preference],
        },
        seconds,
      );
      await deliver(body);
    };
    await notice("stop", seconds - 60);
    const refused = await workspace.send(SALE);
    expect(isOurs(refused, 131050)).toBe(true);
    expect(refused.body.details).toMatchObject({
      optedOutAt: new Date((seconds - 60) * 1_000).toISOString(),
      optOutSource: "whatsapp",
    });
    await notice("resume", seconds);
    expectSent(await workspace.send(SALE));
  });

  test("an opt-out that is stored before the claim wins, also over a retry of the same key", async ({ workspace }) => {
    await refuseOptedOut(workspace);
    await scriptMessages(workspace, [graphError(131016)]);
    const first = await workspace.send(SALE, KEY);
    expect(first.status, first.text).toBe(502);
    await optOut(workspace);
    const again = await workspace.send(SALE, KEY);
    expect(isOurs(again, 131050)).toBe(true);
    expect(again.body.details.messageId).toBe(first.body.details.messageId);
    expect(await callsOf(workspace)).toHaveLength(1);
  });

  test("sends at the moment of the opt-out: none that begins after it reaches WhatsApp", async ({ workspace }) => {
    await refuseOptedOut(workspace);
    const racing = Array.from({ length: 20 }, async (_, index) => {
      if (index === 10) await optOut(workspace);
      return await workspace.send(SALE);
    });
    for (const answer of await Promise.all(racing))
      if (answer.status !== 201) expect(isOurs(answer, 131050)).toBe(true);
    const { length } = await callsOf(workspace);
    const after = await Promise.all(Array.from({ length: 20 }, () => workspace.send(SALE)));
    for (const answer of after) expect(isOurs(answer, 131050)).toBe(true);
    expect(await callsOf(workspace)).toHaveLength(length);
  });
});

describe("beside it", () => {
  test("200: a repeat of a message that was sent before the opt-out returns it", async ({ workspace }) => {
    await refuseOptedOut(workspace);
    const first = await workspace.send(SALE, KEY);
    expectSent(first);
    await optOut(workspace);
    const again = await workspace.send(SALE, KEY);
    expect([again.status, again.body.data.id], again.text).toEqual([200, first.body.data.id]);
  });

  test("201: where the workspace did not ask for it, to others, and what is no marketing", async () => {
    const [asks, doesNot] = await Promise.all([provisionWorkspace(TEMPLATES), provisionWorkspace(TEMPLATES)]);
    await refuseOptedOut(asks);
    for (const workspace of [asks, doesNot]) await optOut(workspace);
    expectSent(await doesNot.send(SALE));
    for (const body of [templateTo(OTHER), templateTo(PHONE, "ready"), TEXT]) expectSent(await asks.send(body));
  });
});

describe("WhatsApp's own 131050", () => {
  test("400: names the opt-out and when it came, and the row keeps it", async ({ workspace }) => {
    await optOut(workspace, "word");
    await scriptMessages(workspace, [graphError(131050)]);
    const refused = await workspace.send(SALE, KEY);
    expect([refused.status, refused.body.error], refused.text).toEqual([400, "CHAT_GRAPH_ERROR"]);
    expect(refused.body.message).toContain(`The person stopped them with a stop word at ${STOPPED_AT.toISOString()}.`);
    expect(refused.body.details).toMatchObject({
      optedOutAt: STOPPED_AT.toISOString(),
      optOutSource: "word",
      retryable: false,
      platform: { code: 131050 },
    });
    expect(refused.body.details.refusedBy).toBeUndefined();
    const again = await workspace.send(SALE, KEY);
    expect(again.body.data.failureReason, again.text).toMatch(/^131050: .*stopped them with a stop word at 2026/);
  });

  test("by a webhook names it also where the message's contact was merged into another", async () => {
    const workspace = await provisionWorkspace({ ...TEMPLATES, contacts: [{ ref: "ana", phone: OTHER }] });
    const sent = await workspace.send(SALE);
    expectSent(sent);
    await optOut(workspace, "word", OTHER);
    await sql`update contacts set phone = null, merged_into = ${workspace.contacts.ana ?? ""}
        where workspace_id = ${workspace.workspaceId} and phone = ${PHONE}`;
    await failByWebhook(workspace, sent, 131050);
    const [row] = await messageRows(workspace);
    expect(row?.failure_reason).toBe(
      `131050: Refused. The person stopped them with a stop word at ${STOPPED_AT.toISOString()}.`,
    );
  });

  test("by a webhook is the message's reason, and a repeat changes nothing, also after the person allows it again", async () => {
    const workspace = await provisionWorkspace(TEMPLATES);
    const [stopped, unknown] = [await workspace.send(SALE), await workspace.send(templateTo(OTHER))];
    await optOut(workspace);
    const at = Math.floor(Date.now() / 1_000);
    const rowsAfter = async (repeats: number) => {
      for (let times = 0; times < repeats; times++)
        for (const sent of [stopped, unknown]) await failByWebhook(workspace, sent, 131050, { at });
      return await sql`select failure_reason, updated_at from messages
          where workspace_id = ${workspace.workspaceId} order by phone`;
    };
    const rows = await rowsAfter(1);
    expect(rows).toMatchObject([
      { failure_reason: `131050: Refused. The person stopped them in WhatsApp at ${STOPPED_AT.toISOString()}.` },
      { failure_reason: "131050: Refused" },
    ]);
    expect(await rowsAfter(2)).toEqual(rows);
    await optIn(workspace);
    expect(await rowsAfter(1)).toEqual(rows);
  });
});
