import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { UNHANDLED_KINDS } from "@/db/schema";
import { provenWorkspaceId } from "@/lib/core/principal";
import { MEANINGS, meaningOf, UNUSED_FIELDS } from "@/lib/incoming/unhandled";
import { listUnhandledGroups, MAX_COUNTED } from "@/lib/incoming/unhandled-queries";
import { disconnectLine } from "@/lib/phone-numbers/change-line";
import { problemsOf } from "@/lib/phone-numbers/health";
import { listAllLines } from "@/lib/phone-numbers/queries";
import { WEBHOOK_FIELDS } from "@/lib/whatsapp/webhook-events";
import { command } from "@/lib/workspaces/record-audit";
import { printed, runCommand } from "../support/commands";
import { startOwnDatabase } from "../support/own-database";
import { UNUSED_WEBHOOKS } from "../support/programs";
import { sql } from "../support/rows";
import { readAs } from "../support/session";
import { accountWebhook, inboundWebhook } from "../support/webhooks";
import { postWebhook, provisionWorkspace, statusWebhook, type TestWorkspace } from "../support/workspace";

let own: Awaited<ReturnType<typeof startOwnDatabase>>;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own.stop());
beforeEach(() => sql`delete from unhandled_webhooks`);

const NUMBER = "442079460123";
const WRITER = "447700900456";

const post = async (...bodies: unknown[]) => {
  for (const body of bodies) {
    const answer = await postWebhook(body);
    expect(answer.status, answer.text).toBe(200);
  }
};
const call = (line: { whatsappPhoneNumberId: string; whatsappBusinessAccountId: string }) =>
  accountWebhook(line, "calls", {
    metadata: { display_phone_number: NUMBER, phone_number_id: line.whatsappPhoneNumberId },
    calls: [{ from: WRITER }],
  });
const flows = (account: { whatsappBusinessAccountId: string }) => accountWebhook(account, "flows", { event: "X" });
const security = (line: { whatsappBusinessAccountId: string }, event: string, seconds = 0) =>
  accountWebhook(
    line,
    "security",
    { display_phone_number: NUMBER, event, requester: "615" },
    Math.floor(Date.now() / 1_000) + seconds,
  );
const accountErrors = (line: { whatsappPhoneNumberId: string; whatsappBusinessAccountId: string }, code: number) =>
  accountWebhook(line, "messages", {
    metadata: { display_phone_number: NUMBER, phone_number_id: line.whatsappPhoneNumberId },
    errors: [{ code, title: "Payment issue", error_data: { details: `To ${WRITER}` } }],
  });

const groupsOf = async ({ workspaceId }: TestWorkspace) =>
  (await listUnhandledGroups(provenWorkspaceId(workspaceId))).map(({ kind, field, label, count }) => ({
    kind,
    field,
    label,
    count,
  }));
const pageOf = async (workspace: TestWorkspace, sign = workspace.owner) => {
  const answer = await readAs(sign, "/dashboard/webhooks/unused");
  return { ...answer, text: answer.text.replaceAll("<!-- -->", "") };
};
const lineOf = async ({ workspaceId }: TestWorkspace) => {
  const [line] = await listAllLines(provenWorkspaceId(workspaceId));
  if (!line) throw new Error("no line");
  return line;
};

describe("what WhatsApp sent without effect", () => {
  test("is counted by kind, field and line, with its first and last time", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "second" }] });
    const { main, second } = workspace.lines;
    if (!main || !second) throw new Error("no lines");
    const before = Date.now();
    await post(call(main), call(main), call(second), flows(main));
    await post(inboundWebhook(main, [{ from: WRITER, type: "edit" }]));
    await post(statusWebhook(main, [{ id: "wacid.1", status: "" }]));
    await post(accountWebhook(main, "account_update", {}));
    expect(await groupsOf(workspace)).toEqual(
      expect.arrayContaining([
        { kind: "unusedField", field: "calls", label: "Line main", count: 2 },
        { kind: "unusedField", field: "calls", label: "Line second", count: 1 },
        { kind: "unusedField", field: "flows", label: null, count: 1 },
        { kind: "unusedMessage", field: "messages", label: "Line main", count: 1 },
        { kind: "unusedStatus", field: "messages", label: "Line main", count: 1 },
        { kind: "unreadable", field: "account_update", label: null, count: 1 },
      ]),
    );
    const [, ...groups] = await listUnhandledGroups(provenWorkspaceId(workspace.workspaceId));
    expect(groups).toHaveLength(5);
    for (const { firstAt, lastAt } of groups) {
      expect(firstAt.getTime()).toBeGreaterThan(before - 5_000);
      expect(lastAt.getTime()).toBeGreaterThanOrEqual(firstAt.getTime());
    }
    const page = await pageOf(workspace);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Calls to and from a number. Switchboard does not use it.");
    expect(page.text).not.toContain(WRITER);
  });

  test("is seen by owners and admins alone, and never by another workspace", async () => {
    const account = "55500011100";
    const lines = [{ ref: "main", whatsappBusinessAccountId: account }];
    const [one, other, foreign] = [
      await provisionWorkspace({ lines }),
      await provisionWorkspace({ lines }),
      await provisionWorkspace(),
    ];
    const about = { whatsappPhoneNumberId: one.whatsappPhoneNumberId, whatsappBusinessAccountId: account };
    await post(call(about), flows(about));
    // Of the account they share, the other one sees what is about no number.
    const ofAccount = { kind: "unusedField", field: "flows", label: null, count: 1 };
    expect(await groupsOf(one)).toHaveLength(2);
    expect(await groupsOf(other)).toEqual([ofAccount]);
    expect(await groupsOf(foreign)).toEqual([]);
    expect((await pageOf(one, one.admin)).text).toContain("calls");
    expect((await pageOf(one, one.member)).status).toBe(404);
    expect((await pageOf(foreign)).text).toContain("Nothing in the last 7 days");
  });

  test("of a number that no one has connected is seen once it is, and no longer when it is disconnected", async () => {
    const whatsappPhoneNumberId = "77700011122";
    await post(statusWebhook({ whatsappPhoneNumberId, whatsappBusinessAccountId: "1" }, [{ id: "w", status: "sent" }]));
    const workspace = await provisionWorkspace({ lines: [{ ref: "main", whatsappPhoneNumberId }] });
    const { workspaceId, phoneNumberId } = workspace;
    expect(await groupsOf(workspace)).toEqual([{ kind: "notConnected", field: null, label: "Line main", count: 1 }]);
    await disconnectLine(provenWorkspaceId(workspaceId), phoneNumberId, command("test"));
    expect(await groupsOf(workspace)).toEqual([]);
  });

  test("of an unknown number is seen with its account, by the workspaces with a live line of it, until the number is known", async () => {
    const account = "55500011101";
    const whatsappPhoneNumberId = "77700011123";
    const lines = [{ ref: "main", whatsappBusinessAccountId: account }];
    const [one, other, foreign] = [
      await provisionWorkspace({ lines }),
      await provisionWorkspace({ lines }),
      await provisionWorkspace(),
    ];
    const unknown = { whatsappPhoneNumberId, whatsappBusinessAccountId: account };
    await post(inboundWebhook(unknown, [{ from: WRITER, text: { body: "Hello" } }]));
    await post(statusWebhook(unknown, [{ id: "wamid.unknown", status: "sent" }]));
    const ofAccount = { kind: "notConnected", field: null, label: null, count: 2 };
    expect([await groupsOf(one), await groupsOf(other), await groupsOf(foreign)]).toEqual([
      [ofAccount],
      [ofAccount],
      [],
    ]);
    expect((await pageOf(one)).text).not.toContain(whatsappPhoneNumberId);
    // The workspace that connects the number sees it alone, and no one does after it disconnects it.
    const owner = await provisionWorkspace({ lines: [{ ref: "late", ...unknown }] });
    expect(await groupsOf(owner)).toEqual([{ ...ofAccount, label: "Line late" }]);
    expect([await groupsOf(one), await groupsOf(other)]).toEqual([[], []]);
    await disconnectLine(provenWorkspaceId(owner.workspaceId), owner.phoneNumberId, command("test"));
    expect([await groupsOf(owner), await groupsOf(one)]).toEqual([[], []]);
  });

  test("is counted once if it is a message without an id, which opens its person's 24 hours all the same", async () => {
    const workspace = await provisionWorkspace();
    await post(inboundWebhook(workspace, [{ id: undefined, from: WRITER, text: { body: "Hello" } }]));
    await post(inboundWebhook(workspace, [{ id: undefined, from: WRITER, group_id: "g", text: { body: "Hello" } }]));
    expect(await groupsOf(workspace)).toEqual([
      { kind: "unusedMessage", field: "messages", label: "Line main", count: 1 },
    ]);
    const rows = await sql`
        select (select reason from unhandled_webhooks) as reason, last_inbound_at is not null as has_written
        from contacts where workspace_id = ${workspace.workspaceId}`;
    expect(rows).toEqual([{ reason: "a message without an id: no event reports it", has_written: true }]);
  });

  test("is counted to a limit for each kind, so a flood hides no other kind", async () => {
    const workspace = await provisionWorkspace();
    await post(inboundWebhook(workspace, [{ from: WRITER, type: "revoke" }]));
    await sql`
        insert into unhandled_webhooks (id, kind, reason, field, whatsapp_phone_number_id, body)
        select 'wh_flood' || n, 'unusedField', 'x', 'calls', ${workspace.whatsappPhoneNumberId}, 'x'
        from generate_series(1, 5000) n`;
    expect((await groupsOf(workspace)).map(({ kind, count }) => [kind, count])).toEqual([
      ["unusedField", MAX_COUNTED],
      ["unusedMessage", 1],
    ]);
    expect((await pageOf(workspace)).text).toContain("1,000 or more webhooks");
  });

  test("of the previous release, which noted no kind, is the operator's alone", async () => {
    const workspace = await provisionWorkspace();
    await sql`insert into unhandled_webhooks (id, reason, body) values ('wh_old', 'x', 'x')`;
    expect(await groupsOf(workspace)).toEqual([]);
    expect(printed(await runCommand(UNUSED_WEBHOOKS, ["--json"]))).toMatchObject([{ id: "wh_old", kind: "earlier" }]);
  });

  test("every kind and every field has a sentence; a field that is used has none", () => {
    expect(Object.keys(MEANINGS).toSorted()).toEqual(UNHANDLED_KINDS.toSorted());
    expect(Object.keys(UNUSED_FIELDS).filter((field) => WEBHOOK_FIELDS.includes(field))).toEqual([]);
    for (const field of [...Object.keys(UNUSED_FIELDS), "brand_new", "constructor", null])
      expect(meaningOf("unusedField", field).sentence).toMatch(/^[A-Z].*\. Switchboard does not use it\. Remove/);
  });
});

describe("errors of an account and security events", () => {
  test("stand on the page, on the line and nowhere else, without what they say of a recipient", async () => {
    const [workspace, foreign] = [await provisionWorkspace(), await provisionWorkspace()];
    await post(accountErrors(workspace, 131042), accountErrors(workspace, 130429), security(workspace, "PIN_CHANGED"));
    const { text } = await pageOf(workspace);
    for (const words of [
      "has a payment problem",
      "error 130429",
      "usually clears on its own",
      "PIN of this number’s two-step verification was set or changed",
    ])
      expect(text).toContain(words);
    expect(text).not.toContain(WRITER);
    expect((await pageOf(foreign)).text).toContain("None in the last 30 days");
    const problems = problemsOf(await lineOf(workspace), new Date());
    expect(problems.map(({ kind, tone }) => [kind, tone])).toEqual(
      expect.arrayContaining([
        ["account.error", "bad"],
        ["line.security", "caution"],
      ]),
    );
    expect(await groupsOf(workspace)).toEqual([]);
    const [kept] = await sql<
      { count: number }[]
    >`select count(*)::int as count from account_notices where detail like ${`%${WRITER}%`}`;
    expect(kept?.count).toBe(0);
  });

  test("in any order and however often, the latest event of a PIN stands", async () => {
    const events = ["PIN_RESET_REQUEST", "PIN_REQUEST_SUCCESS", "PIN_CHANGED"].map(
      (event, index) => [event, index - 10] as const,
    );
    const orders = fc.shuffledSubarray([...events, ...events], { minLength: 6 });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const workspace = await provisionWorkspace();
        const start = Math.floor(Date.now() / 1_000);
        for (const [event, seconds] of order)
          await post(accountWebhook(workspace, "security", { display_phone_number: NUMBER, event }, start + seconds));
        const { notices } = await lineOf(workspace);
        expect(notices.map(({ kind, event }) => [kind, event])).toEqual([["security", "PIN_CHANGED"]]);
      }),
      { numRuns: 6 },
    );
  });

  test("of a number that is not connected are stored with their account", async () => {
    const workspace = await provisionWorkspace();
    const { whatsappBusinessAccountId } = workspace;
    await post(
      accountWebhook({ whatsappBusinessAccountId }, "security", {
        display_phone_number: "15550100",
        event: "PIN_CHANGED",
      }),
    );
    expect(await groupsOf(workspace)).toEqual([{ kind: "notConnected", field: null, label: null, count: 1 }]);
  });
});

describe("npm run unused-webhooks", () => {
  test("lists the whole deployment, newest first, by kind, as text and JSON, without bodies", async () => {
    const workspace = await provisionWorkspace();
    await sql`delete from account_notices`;
    await post(call(workspace), flows(workspace), `<html>${WRITER}`, security(workspace, "PIN_CHANGED", 60));
    type Row = { kind: string; id: string; at: string; field: string | null; account: string | null; meaning: string };
    const { stdout } = await runCommand(UNUSED_WEBHOOKS, ["--json"]);
    expect(stdout).not.toContain(WRITER);
    const rows: Row[] = JSON.parse(stdout);
    expect(rows.map(({ kind, field }) => [kind, field])).toEqual([
      ["security", "security"],
      ["unreadable", null],
      ["unusedField", "flows"],
      ["unusedField", "calls"],
    ]);
    expect(rows.every(({ meaning }) => meaning.length > 20)).toBe(true);
    expect(rows[3]).toMatchObject({
      account: workspace.whatsappBusinessAccountId,
      number: workspace.whatsappPhoneNumberId,
      reason: "a field that nothing here uses",
    });
    const one = printed<Row[]>(await runCommand(UNUSED_WEBHOOKS, ["--json", "--kind", "unusedField", "--limit", "1"]));
    expect(one.map(({ field }) => field)).toEqual(["flows"]);
    const text = (await runCommand(UNUSED_WEBHOOKS, [])).stdout;
    expect(text).toContain(`  unusedField  calls  account ${workspace.whatsappBusinessAccountId}`);
    expect(text).toContain("\nunusedField calls: Calls to and from a number.");
    expect(text).toContain("\nsecurity PIN_CHANGED: The PIN of");
    const body = await runCommand(UNUSED_WEBHOOKS, ["--body", rows[1]?.id ?? ""]);
    expect([body.exitCode, body.stdout]).toEqual([0, `<html>${WRITER}\n`]);
  });

  test("without any says so; a body that is gone is an error", async () => {
    await sql`delete from account_notices`;
    expect((await runCommand(UNUSED_WEBHOOKS, [])).stdout).toBe(
      "Nothing was stored without effect in the last 7 days.\n",
    );
    const gone = await runCommand(UNUSED_WEBHOOKS, ["--body", "wh_gone"]);
    expect([gone.exitCode, gone.stdout]).toEqual([1, ""]);
    expect(gone.stderr).toContain("There is no stored webhook wh_gone.");
  });

  test.each([
    [["--kind", "odd"], "--kind must be one of notStored,"],
    [["--limit", "0"], "--limit must be a whole number from 1 to 1000."],
    [["--limit", "1001"], "--limit must be"],
    [["surplus"], 'Unexpected argument "surplus".'],
  ])("%j is refused", async (args, words) => {
    const { exitCode, stderr } = await runCommand(UNUSED_WEBHOOKS, args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(words);
  });
});
