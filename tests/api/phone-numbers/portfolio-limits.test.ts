import { describe, expect, test } from "vitest";
import { freshAccount, workspaceOfAccount } from "../../support/line-actions";
import { sql } from "../../support/rows";
import { readAs } from "../../support/session";
import { sweep } from "../../support/sweep";
import { accountWebhook } from "../../support/webhooks";
import { deliver, graphError, provisionWorkspace, scriptPlatform, type TestWorkspace } from "../../support/workspace";

const NOW_SECONDS = Math.floor(Date.now() / 1_000);

const pass = async () => expect((await sweep()).status).toBe(200);

const setLimit = ({ workspaceId }: TestWorkspace, tier: string) => sql`
  update phone_numbers set messaging_limit = ${tier}, token_checked_at = now(), subscribed_at = now()
  where workspace_id = ${workspaceId}`;
const limitsOf = async ({ workspaceId }: TestWorkspace) => {
  const rows = await sql<{ limit: string | null }[]>`
      select messaging_limit as limit from phone_numbers where workspace_id = ${workspaceId} order by label`;
  return rows.map(({ limit }) => limit);
};

const peopleOf = async ({ workspaceId }: TestWorkspace) => {
  const rows = await sql<{ people: number }[]>`
      select people_begun as people from template_reads where workspace_id = ${workspaceId}
      order by whatsapp_business_account_id`;
  return rows.map(({ people }) => people);
};

type Sends = {
  people: number;
  /** From which person on. */
  from?: number;
  lineId?: string | undefined;
  minutesAgo?: number;
  /** When each person last wrote. */
  wroteMinutesAgo?: number;
  type?: "template" | "text";
  status?: "SENT" | "FAILED" | "UNKNOWN";
  mode?: "live" | "test";
};

/** As if the workspace had sent one message to each of so many people. */
const sent = async (
  { workspaceId, phoneNumberId }: TestWorkspace,
  { people, from = 1, lineId = phoneNumberId, minutesAgo = 5, wroteMinutesAgo, ...message }: Sends,
) => {
  const { type = "template", status = "SENT", mode = "live" } = message;
  const last = from + people - 1;
  await sql`
      insert into contacts (workspace_id, id, phone)
      select ${workspaceId}, 'ct_p' || i, (447700200000 + i)::text from generate_series(${from}::int, ${last}::int) i
      on conflict do nothing`;
  if (wroteMinutesAgo !== undefined)
    await sql`
        update contacts set last_inbound_at = now() - make_interval(mins => ${wroteMinutesAgo})
        where workspace_id = ${workspaceId} and id in (select 'ct_p' || i from generate_series(${from}::int, ${last}::int) i)`;
  await sql`
      insert into messages (workspace_id, id, mode, phone_number_id, contact_id, phone, type, template_name, fingerprint, phase,
        lease_expires_at, status, created_at)
      select ${workspaceId}, 'msg_' || gen_random_uuid(), ${mode}, ${lineId}, 'ct_p' || i, (447700200000 + i)::text, ${type},
        case when ${type} = 'template' then 'sale' end, '\\x00', 'SENT', now(), ${status},
        now() - make_interval(mins => ${minutesAgo}) + i * interval '1 millisecond'
      from generate_series(${from}::int, ${last}::int) i`;
  // They are older than the last pass; what it has counted before is not counted twice.
  await sql`update template_reads set people_counted_until = null where workspace_id = ${workspaceId}`;
};

const limited = async (tier = "TIER_100", options: Parameters<typeof provisionWorkspace>[0] = {}) => {
  const workspace = await provisionWorkspace(options);
  await setLimit(workspace, tier);
  return workspace;
};

describe("business_capability_update", () => {
  type Told = [field: string, value: Record<string, unknown>, at: number];
  const capability = (limit: string | number, seconds: number): Told => [
    "business_capability_update",
    { max_daily_conversations_per_business: limit, max_phone_numbers_per_business: 20 },
    NOW_SECONDS + seconds,
  ];
  const ofNumber = (limit: string, seconds: number): Told => [
    "phone_number_quality_update",
    { display_phone_number: "442079460123", event: "UPGRADE", current_limit: limit },
    NOW_SECONDS + seconds,
  ];
  const post = async (workspace: TestWorkspace, events: Told[]) => {
    for (const [field, value, time] of events) await deliver(accountWebhook(workspace, field, value, time));
  };

  test("changes the limit of every line of the account, and of no other workspace's", async () => {
    const [workspace, neighbour] = await Promise.all([
      provisionWorkspace({ lines: [{ ref: "main" }, { ref: "second" }] }),
      limited("TIER_250"),
    ]);
    await post(workspace, [capability("TIER_10K", -60)]);
    expect(await limitsOf(workspace)).toEqual(["TIER_10K", "TIER_10K"]);
    expect(await limitsOf(neighbour)).toEqual(["TIER_250"]);
    await post(workspace, [capability(-1, -30)]);
    expect(await limitsOf(workspace)).toEqual(["TIER_UNLIMITED", "TIER_UNLIMITED"]);
    const [notice] = await sql`
        select number, event, detail, is_alarm from account_notices
        where workspace_id = ${workspace.workspaceId} and kind = 'capability'`;
    expect(notice).toEqual({
      number: "",
      event: "BUSINESS_CAPABILITY_UPDATE",
      detail: '{"limit":"TIER_UNLIMITED"}',
      is_alarm: false,
    });
  });

  test("and a number's own notices, in any order and repeated: the newest of all is the limit", async () => {
    const events = [
      capability("TIER_2K", -50),
      ofNumber("TIER_250", -40),
      capability("TIER_10K", -30),
      ofNumber("TIER_1K", -20),
      capability("TIER_100K", -10),
    ];
    const placed = (...order: number[]) => order.flatMap((place) => events.slice(place, place + 1));
    for (const given of [events, events.toReversed(), placed(2, 4, 0, 3, 1), placed(3, 1, 4, 2, 0)]) {
      const workspace = await provisionWorkspace();
      await post(workspace, given);
      await post(workspace, given.slice(0, 3));
      expect(await limitsOf(workspace)).toEqual(["TIER_100K"]);
    }
  });

  test("of before the last check changes nothing", async () => {
    const workspace = await limited("TIER_2K");
    await post(workspace, [capability("TIER_250", -600)]);
    expect(await limitsOf(workspace)).toEqual(["TIER_2K"]);
    // By then this file may have run for long.
    await post(workspace, [capability("TIER_250", Math.ceil(Date.now() / 1_000) - NOW_SECONDS)]);
    expect(await limitsOf(workspace)).toEqual(["TIER_250"]);
  });

  test("without a limit changes nothing", async () => {
    const workspace = await limited("TIER_2K");
    const [field, , time] = capability(0, Math.ceil(Date.now() / 1_000) - NOW_SECONDS);
    await post(workspace, [[field, { max_phone_numbers_per_business: 7 }, time]]);
    expect(await limitsOf(workspace)).toEqual(["TIER_2K"]);
  });
});

describe("the portfolio of an account", () => {
  const due = ({ whatsappBusinessAccountId: account }: { whatsappBusinessAccountId: string }) => sql`
    update jobs set due_at = now(), payload = payload || jsonb_build_object('wholeAt', now())
    where kind = 'templates' and payload ->> 'account' = ${account}`;
  const portfolioOf = ({ workspaceId }: TestWorkspace) =>
    sql`select portfolio_id as id, portfolio_name as name from template_reads where workspace_id = ${workspaceId}`;

  test("is read with the account's templates, and stays known while WhatsApp does not say", async () => {
    const account = freshAccount();
    const workspace = await workspaceOfAccount(account);
    const answers = [
      { json: { owner_business_info: { id: "5005", name: "Acme Group" }, id: account.whatsappBusinessAccountId } },
      graphError(10, "Application does not have permission for this action"),
      { json: { id: account.whatsappBusinessAccountId } },
    ];
    for (const answer of answers) {
      await scriptPlatform(account.whatsappBusinessAccountId, "", [answer]);
      await due(account);
      const isRead = async () => {
        await pass();
        const [row] = await sql`
            select due_at > now() and leased_until is null as is_read from jobs
            where workspace_id = ${workspace.workspaceId}`;
        return row?.is_read;
      };
      await expect.poll(isRead, { timeout: 15_000 }).toBe(true);
      await expect.poll(() => portfolioOf(workspace)).toEqual([{ id: "5005", name: "Acme Group" }]);
    }
  });
});

describe("people that were messaged first in the last 24 hours", () => {
  test("are counted once each, by templates outside of their 24 hours", async () => {
    const workspace = await limited();
    await sent(workspace, { people: 5, minutesAgo: 30 });
    await sent(workspace, { people: 5, minutesAgo: 5 });
    await pass();
    expect(await peopleOf(workspace)).toEqual([5]);
    await sent(workspace, { people: 3, from: 4, minutesAgo: 2 });
    await pass();
    expect(await peopleOf(workspace)).toEqual([6]);
  });

  test("are not those who had written within 24 hours, to whom it failed, or who got free text", async () => {
    const workspace = await limited();
    await sent(workspace, { people: 3, from: 1, wroteMinutesAgo: 60 });
    await sent(workspace, { people: 3, from: 11, wroteMinutesAgo: 24 * 60 - 5 });
    await sent(workspace, { people: 3, from: 21, status: "FAILED" });
    await sent(workspace, { people: 3, from: 31, type: "text" });
    await pass();
    expect(await peopleOf(workspace)).toEqual([0]);
    // Those who wrote longer ago, who answered since, or whose outcome is unknown.
    await sent(workspace, { people: 1, from: 41, wroteMinutesAgo: 25 * 60 });
    await sent(workspace, { people: 1, from: 51, wroteMinutesAgo: 2 });
    await sent(workspace, { people: 1, from: 61, status: "UNKNOWN" });
    await pass();
    expect(await peopleOf(workspace)).toEqual([3]);
  });

  test("are of the last 24 hours only, and the count falls by itself", async () => {
    const workspace = await limited();
    await sent(workspace, { people: 2, from: 1, minutesAgo: 25 * 60 });
    await sent(workspace, { people: 3, from: 11, minutesAgo: 23 * 60 });
    await pass();
    expect(await peopleOf(workspace)).toEqual([3]);
    await sql`
        update conversation_starts set started_at = started_at - interval '1 hour' where workspace_id = ${workspace.workspaceId}`;
    await pass();
    expect(await peopleOf(workspace)).toEqual([0]);
    const [left] = await sql`
        select count(*)::int as rows from conversation_starts where workspace_id = ${workspace.workspaceId}`;
    await pass();
    expect(left?.rows).toBeLessThanOrEqual(3);
  });

  test("are counted all in one pass, also where thousands were messaged", async () => {
    const workspace = await limited("TIER_100K");
    await sent(workspace, { people: 2_345 });
    await expect.poll(async () => [await pass(), await peopleOf(workspace)][1], { timeout: 30_000 }).toEqual([2_345]);
  });

  test("are not counted for a portfolio without a limit", async () => {
    const workspace = await limited("TIER_UNLIMITED");
    await sent(workspace, { people: 5 });
    await pass();
    expect(await peopleOf(workspace)).toEqual([0]);
    const [row] = await sql`
        select count(*)::int as rows from conversation_starts where workspace_id = ${workspace.workspaceId}`;
    expect(row).toEqual({ rows: 0 });
  });

  test("of two accounts are counted by account, and once where one portfolio owns both", async () => {
    const [first = "", second = ""] = [freshAccount(), freshAccount()]
      .map((one) => one.whatsappBusinessAccountId)
      .sort();
    const workspace = await limited("TIER_100", {
      lines: [
        { ref: "one", whatsappBusinessAccountId: first },
        { ref: "two", whatsappBusinessAccountId: second },
      ],
    });
    await sent(workspace, { people: 5, from: 1, lineId: workspace.lines.one?.id });
    await sent(workspace, { people: 5, from: 4, lineId: workspace.lines.two?.id });
    await pass();
    expect(await peopleOf(workspace)).toEqual([5, 5]);
    await sql`update template_reads set portfolio_id = '5005' where workspace_id = ${workspace.workspaceId}`;
    await pass();
    expect(await peopleOf(workspace)).toEqual([8, 8]);
  });

  test("of two workspaces with one account are each workspace's own, on its pages, too", async () => {
    const account = freshAccount();
    const [workspace, neighbour] = [await workspaceOfAccount(account), await workspaceOfAccount(account)];
    for (const one of [workspace, neighbour]) {
      await setLimit(one, "TIER_250");
      await sql`update template_reads set portfolio_id = '5005' where workspace_id = ${one.workspaceId}`;
    }
    await sent(workspace, { people: 111 });
    await sent(neighbour, { people: 7 });
    await pass();
    expect([await peopleOf(workspace), await peopleOf(neighbour)]).toEqual([[111], [7]]);
    for (const [one, own, other] of [
      [workspace, "111 of 250 people", "7 of 250 people"],
      [neighbour, "7 of 250 people", "111 of 250 people"],
    ] as const) {
      for (const path of ["/dashboard?mode=live", "/dashboard/phone-numbers"]) {
        const { text } = await readAs(one.owner, path);
        expect(text).toContain(own);
        expect(text.replaceAll(own, "")).not.toContain(other);
      }
    }
  });
});

describe("a warning", () => {
  const alertsOf = ({ workspaceId }: TestWorkspace) => sql`
    select level, tone, sentence, closed_at is not null as is_over from alerts
    where workspace_id = ${workspaceId} and kind = 'account.limit' order by opened_at`;
  /** Another file may hold the watch. */
  const passUntil = async (workspace: TestWorkspace, expected: object[]) =>
    expect
      .poll(async () => [await pass(), (await alertsOf(workspace)).map((row) => ({ ...row }))][1], { timeout: 15_000 })
      .toMatchObject(expected);

  test("opens at 80 %, not at 79, becomes worse at 100 %, and is over below", async () => {
    const workspace = await limited("TIER_100");
    const id = workspace.whatsappBusinessAccountId;
    await sent(workspace, { people: 79 });
    for (const _ of [1, 2]) await pass();
    expect(await peopleOf(workspace)).toEqual([79]);
    expect(await alertsOf(workspace)).toEqual([]);

    await sent(workspace, { people: 1, from: 80 });
    const used = (people: number) => `${people} of 100 people were messaged first in the last 24 hours`;
    await passUntil(workspace, [{ level: 80, tone: "caution", is_over: false }]);
    expect((await alertsOf(workspace))[0]?.sentence).toContain(used(80));

    await sent(workspace, { people: 20, from: 81 });
    await passUntil(workspace, [{ level: 100, tone: "bad", is_over: false }]);
    expect((await alertsOf(workspace))[0]?.sentence).toContain(`${used(100)}. WhatsApp refuses more`);

    await sql`
        update conversation_starts set started_at = now() - interval '25 hours'
        where workspace_id = ${workspace.workspaceId} and whatsapp_business_account_id = ${id}`;
    await passUntil(workspace, [{ is_over: true }]);
  });
});
