import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { z } from "zod";
import { EVENT_TYPES } from "@/lib/outgoing/events/event-types";
import { callAction, saidByAction } from "../../support/actions";
import { doneBy, refusalBy } from "../../support/line-actions";
import type { RawAnswer } from "../../support/raw-http";
import { addEndpoint, type Delivery, type Receiver, receiverOfTest, verified } from "../../support/receiver";
import { sharedWorkspace } from "../../support/refused-sends";
import { auditEntries, sql } from "../../support/rows";
import { noteSecrets } from "../../support/run-logs";
import { readAs, signIn } from "../../support/session";
import { testIn } from "../../support/test";
import type { Sign, TestWorkspace } from "../../support/workspace";

const test = testIn({ mode: "test" });
const ACTIONS = "app/dashboard/settings/webhooks/actions.ts";
const PAGE = "/dashboard/settings/webhooks";
const within = { timeout: 20_000 };

type Fields = Record<string, string | readonly string[]>;

/** From any other page the framework sends an action on, and its status is lost. */
function pageOf({ endpointId, deliveryId }: Fields): string {
  if (endpointId === undefined) return PAGE;
  return `${PAGE}/${endpointId}${deliveryId === undefined ? "" : `/deliveries/${deliveryId}`}`;
}

/** Calls an action on a workspace, from the page that has it. */
const call = async (
  { workspaceId }: TestWorkspace,
  name: string,
  fields: Fields,
  sign: Pick<Sign, "email">,
): Promise<RawAnswer> =>
  callAction(`${ACTIONS}#${name}`, {
    fields: { workspaceId, ...fields },
    headers: { cookie: await signIn(sign) },
    path: pageOf(fields),
  });

const as =
  (role: "owner" | "admin") =>
  (workspace: TestWorkspace, name: string, fields: Fields): Promise<RawAnswer> =>
    call(workspace, name, fields, workspace[role]);
const asOwner = as("owner");

const ENDPOINT = { url: "https://example.com/hook" };
const SETTINGS = { label: "production", url: "https://example.com/hook", events: ["message.failed", "message.read"] };

const Made = z.object({ id: z.string().startsWith("whe_"), secret: z.string().startsWith("whsec_") });

async function create(workspace: TestWorkspace, fields: Fields = {}, role: "owner" | "admin" = "owner") {
  const made = Made.parse(doneBy(await as(role)(workspace, "create", { ...SETTINGS, mode: "test", ...fields })));
  noteSecrets("a webhook secret", [made.secret]);
  return made;
}

async function rotate(workspace: TestWorkspace, endpointId: string) {
  const made = Made.parse(doneBy(await asOwner(workspace, "rotate", { endpointId, overlap: "1h" })));
  noteSecrets("a webhook secret", [made.secret]);
  return made.secret;
}

type Row = { id: string; url: string; label: string; events: string[]; mode: string; paused_by: string | null };
const endpointRows = ({ workspaceId }: TestWorkspace) => sql<Row[]>`
  select id, url, label, events, mode, paused_by from webhook_endpoints
  where workspace_id = ${workspaceId} and deleted_at is null order by created_at, id`;

const auditOf = async ({ workspaceId }: TestWorkspace) =>
  (await auditEntries(workspaceId)).filter(({ action }) => action.startsWith("webhookEndpoint."));

describe("an endpoint made in the dashboard", () => {
  const word = "is the %s's to make, change, try, rotate, pause and delete";
  test.for(["owner", "admin"] as const)(word, async (role, { workspace }) => {
    const act = as(role);
    const partner = await receiverOfTest();
    const { id, secret } = await create(workspace, { url: partner.url }, role);
    const endpointId = id;
    const sendTest = async () => doneBy(await act(workspace, "sendTest", { endpointId }));

    const tried = z.object({ deliveryId: z.string() }).parse(await sendTest());
    await expect.poll(() => partner.received.length, within).toBe(1);
    const [first] = partner.received as [Delivery];
    expect([first.id, first.event.type]).toEqual([tried.deliveryId, "webhook.test"]);
    expect(verified(first, secret)).toEqual(first.event);

    const next = Made.parse(doneBy(await act(workspace, "rotate", { endpointId, overlap: "1h" }))).secret;
    noteSecrets("a webhook secret", [next]);
    await sendTest();
    await expect.poll(() => partner.received.length, within).toBe(2);
    for (const one of [secret, next]) expect(verified(partner.received[1] as Delivery, one)).toBeTruthy();

    expect(doneBy(await act(workspace, "replay", { endpointId, deliveryId: first.id }))).toEqual({ count: 1 });
    await expect.poll(() => partner.received.filter((one) => one.id === first.id).length, within).toBe(2);

    doneBy(await act(workspace, "pause", { endpointId }));
    await sendTest();
    await sleep(1_000);
    expect(partner.received).toHaveLength(3);
    doneBy(await act(workspace, "resume", { endpointId }));
    await expect.poll(() => partner.received.length, within).toBe(4);
    const settled = async () =>
      (await sql`select from webhook_deliveries where endpoint_id = ${id} and state = 'DELIVERED'`).length;
    await expect.poll(settled, within).toBe(3);
    const range = { endpointId, lastHours: "1" };
    expect(doneBy(await act(workspace, "replayRange", { ...range, isFailedOnly: "on" }))).toEqual({ count: 0 });
    expect(doneBy(await act(workspace, "replayRange", range))).toEqual({ count: 3 });

    doneBy(await act(workspace, "change", { endpointId, ...SETTINGS, url: `${partner.url}#part` }));
    expect(await endpointRows(workspace)).toEqual([
      {
        id,
        label: "production",
        url: partner.url,
        events: ["message.read", "message.failed"],
        mode: "test",
        paused_by: null,
      },
    ]);
    const removed = await act(workspace, "remove", { endpointId });
    expect(removed.headers.get("x-action-redirect")).toMatch(new RegExp(`^${PAGE}\\?mode=test;`));
    expect(await endpointRows(workspace)).toEqual([]);
    expect((await readAs(workspace[role], `${PAGE}/${id}`)).status).toBe(404);
  });

  test("takes one event, several, each once and in our order", async ({ workspace }) => {
    await create(workspace, { events: "message.failed" });
    await create(workspace, { events: ["template.paused", "message.sent", "message.sent"] });
    await create(workspace, { events: EVENT_TYPES.toReversed() });
    expect((await endpointRows(workspace)).map(({ events }) => events)).toEqual([
      ["message.failed"],
      ["message.sent", "template.paused"],
      [...EVENT_TYPES],
    ]);
  });

  test("is one of five in its mode; a sixth is refused in words", async ({ workspace }) => {
    for (let i = 0; i < 5; i++) await create(workspace);
    const { message } = refusalBy(await asOwner(workspace, "create", { ...SETTINGS, mode: "test" }));
    expect(message).toContain("This workspace has 5 test endpoints, which is the limit. Delete one first.");
    const { text } = await readAs(workspace.owner, `${PAGE}?mode=test`);
    expect(text).toContain("5 test endpoints are the limit. Delete one to add another.");
    await create(workspace, { mode: "live" });
  });
});

describe("a refusal names the field", () => {
  const HTTPS = "The URL must begin with https://. To receive test events on your computer, use listen.";

  const workspace = sharedWorkspace({ mode: "test" });

  test.each([
    ["label", { label: "   " }, "Enter a label, such as “Orders, production”."],
    ["label", { label: "x".repeat(51) }, "A label has at most 50 characters."],
    ["url", { url: "example.com/hook" }, "Enter a full URL, such as https://example.com/webhooks."],
    ["url", { url: `https://example.com/${"x".repeat(1_981)}` }, "The URL has more than 2000 characters."],
    ["url", { url: "http://127.0.0.1:9/hook", mode: "live" }, HTTPS],
    ["url", { url: "https://169.254.169.254/latest" }, "The URL must lead to a public internet address."],
    ["events", { events: [] }, "Choose at least one event."],
    ["events", { events: ["message.read", "message.gone"] }, "Choose at least one event."],
  ])("%s of %j: %s", async (field, fields, words) => {
    const given = { ...SETTINGS, mode: "test", ...fields };
    const before = await endpointRows(workspace());
    const created = refusalBy(await asOwner(workspace(), "create", given));
    const once = { message: "One field needs a change.", issues: { [field]: words } };
    expect(created).toMatchObject(once);
    const mode = given.mode === "live" ? "live" : "test";
    const { id } = await addEndpoint(workspace(), { url: "https://example.com/before", mode });
    const changed = refusalBy(await asOwner(workspace(), "change", { endpointId: id, ...given }));
    expect(changed).toMatchObject(once);
    await sql`delete from webhook_endpoints where id = ${id} and url = 'https://example.com/before'`;
    expect(await endpointRows(workspace())).toEqual(before);
  });

  test("all fields at once", async ({ workspace }) => {
    const { message, issues } = refusalBy(await asOwner(workspace, "create", { mode: "test", url: "x" }));
    expect([message, Object.keys(issues).toSorted()]).toEqual(["2 fields need a change.", ["events", "label"]]);
  });

  test("an overlap or a range that is none", async () => {
    const { id } = await addEndpoint(workspace(), ENDPOINT);
    for (const [name, fields] of [
      ["rotate", { overlap: "2h" }],
      ["replayRange", { lastHours: "720" }],
    ] as const) {
      const { issues } = refusalBy(await asOwner(workspace(), name, { endpointId: id, ...fields }));
      expect(Object.keys(issues)).toEqual(Object.keys(fields));
    }
  });
});

describe("a replay between two times", () => {
  test("reads them by the workspace's clock, the last minute included, and without an end goes on until now", async ({
    workspace,
  }) => {
    await sql`update workspaces set time_zone = 'Asia/Kathmandu' where id = ${workspace.workspaceId}`;
    const { id } = await addEndpoint(workspace, ENDPOINT);
    doneBy(await asOwner(workspace, "pause", { endpointId: id }));
    // From 10:00:30 to 10:09:30 there, which is 5:45 ahead.
    await sql`
        insert into webhook_deliveries (
          workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state, settled_at, attempts, created_at)
        select ${workspace.workspaceId}, 'whd_k' || n, ${id}, 'webhook.test', 'whd_k' || n, 1, '{}', now(), 'DELIVERED', now(), 1,
          '2026-11-20T04:15:30Z'::timestamptz + n * interval '1 minute' from generate_series(0, 9) n`;
    const replay = async (from: string, to: string) =>
      doneBy(await asOwner(workspace, "replayRange", { endpointId: id, lastHours: "between", from, to }));
    expect(await replay("2026-11-20T10:02", "2026-11-20T10:04")).toEqual({ count: 3 });
    expect(await replay("2026-11-20T10:08", "")).toEqual({ count: 2 });
    const [entry] = (await auditOf(workspace)).filter(({ action }) => action === "webhookEndpoint.replayed");
    expect(entry?.after).toMatchObject({
      deliveries: 3,
      since: "2026-11-20T04:17:00.000Z",
      until: "2026-11-20T04:20:00.000Z",
    });
  });

  test("that are none or in the wrong order are refused beside their field", async ({ workspace }) => {
    const { id } = await addEndpoint(workspace, ENDPOINT);
    for (const [times, issues] of [
      [{ from: "yesterday", to: "" }, { from: "Enter the date and time of the first event." }],
      [{ from: "2026-11-20T10:00", to: "later" }, { to: "Enter a date and time, or leave it empty for now." }],
      [{ from: "2026-11-20T10:00", to: "2026-11-20T09:59" }, { to: "The end must not be before the start." }],
    ] as const) {
      const range = { endpointId: id, lastHours: "between", ...times };
      const refused = refusalBy(await asOwner(workspace, "replayRange", range));
      expect(refused).toMatchObject({ message: "One field needs a change.", issues });
    }
  });
});

describe("a second rotation", () => {
  const tryEvent = async (workspace: TestWorkspace, endpointId: string, partner: Receiver): Promise<Delivery> => {
    const before = partner.received.length;
    doneBy(await asOwner(workspace, "sendTest", { endpointId }));
    await expect.poll(() => partner.received.length, within).toBe(before + 1);
    return partner.received[before] as Delivery;
  };
  const refusedRotation = async (workspace: TestWorkspace, endpointId: string, overlap: string) =>
    refusalBy(await asOwner(workspace, "rotate", { endpointId, overlap })).issues;

  test("is refused until the secret that was promised to work has ended", async ({ workspace }) => {
    const partner = await receiverOfTest();
    const { id, secret } = await create(workspace, { url: partner.url });
    const next = await rotate(workspace, id);
    for (const overlap of ["15m", "1h", "24h"]) {
      expect(await refusedRotation(workspace, id, overlap)).toEqual({
        overlap: expect.stringMatching(/^The previous secret works until \d+ \w+ 20\d\d, \d\d:\d\d UTC\./),
      });
    }
    const delivery = await tryEvent(workspace, id, partner);
    for (const one of [secret, next]) expect(verified(delivery, one)).toBeTruthy();
    const rotations = (await auditOf(workspace)).filter(({ action }) => action === "webhookEndpoint.secretRotated");
    expect(rotations).toHaveLength(1);
    await sql`update webhook_endpoints set previous_secret_ends_at = now() where id = ${id}`;
    await rotate(workspace, id);
  });

  test("with 0 minutes, for a leaked secret, ends both at once, and the audit log says so", async ({ workspace }) => {
    const partner = await receiverOfTest();
    const { id, secret } = await create(workspace, { url: partner.url });
    const next = await rotate(workspace, id);
    const { text } = await readAs(workspace.owner, `${PAGE}/${id}`);
    expect(text).toContain("works until");
    const last = Made.parse(doneBy(await asOwner(workspace, "rotate", { endpointId: id, overlap: "now" }))).secret;
    noteSecrets("a webhook secret", [last]);
    const delivery = await tryEvent(workspace, id, partner);
    expect(verified(delivery, last)).toBeTruthy();
    for (const one of [secret, next]) expect(() => verified(delivery, one)).toThrow();
    const [first, second] = (await auditOf(workspace)).filter(({ action }) => action.endsWith("secretRotated"));
    expect(first?.before).toBeNull();
    expect(second?.before).toEqual({ previousSecretEndsAt: first?.after?.previousSecretEndsAt });
    expect(second?.after).toEqual({ overlap: "now", previousSecretEndsAt: null });
  });

  test("of several at once, one is done", async ({ workspace }) => {
    const { id } = await create(workspace);
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => asOwner(workspace, "rotate", { endpointId: id, overlap: "24h" })),
    );
    const said = answers.map(({ text }) => saidByAction(text));
    for (const one of said) if (one?.ok) noteSecrets("a webhook secret", [Made.parse(one.value).secret]);
    expect(said.filter((one) => one?.ok)).toHaveLength(1);
  });
});

const OF_AN_ENDPOINT: [string, Fields][] = [
  ["change", SETTINGS],
  ["rotate", { overlap: "now" }],
  ["pause", {}],
  ["resume", {}],
  ["sendTest", {}],
  ["replay", { deliveryId: "whd_none" }],
  ["replayRange", { lastHours: "1" }],
  ["remove", {}],
];

describe("those who may not", () => {
  test("a stranger finds nothing, in this workspace or by an id in their own", async ({
    workspace,
    other: stranger,
  }) => {
    const { id } = await addEndpoint(workspace, ENDPOINT);
    const before = await endpointRows(workspace);
    for (const [name, fields] of OF_AN_ENDPOINT) {
      for (const where of [workspace, stranger]) {
        const { status } = await call(where, name, { endpointId: id, ...fields }, stranger.owner);
        expect(status, name).toBe(404);
      }
    }
    const created = await call(workspace, "create", { ...SETTINGS, mode: "test" }, stranger.owner);
    expect([created.status, saidByAction(created.text)]).toEqual([404, undefined]);
    expect((await readAs(stranger.owner, `${PAGE}/${id}`)).status).toBe(404);
    expect(await endpointRows(workspace)).toEqual(before);
    expect(await endpointRows(stranger)).toEqual([]);
  });
});

describe("the audit log", () => {
  test("has every change with its author, and what did not change has no row", async ({ workspace }) => {
    const { id: endpointId } = await create(workspace, ENDPOINT);
    const change = { endpointId, ...SETTINGS, url: "https://example.com/hook", label: "warehouse" };
    for (const _ of [1, 2]) doneBy(await asOwner(workspace, "change", change));
    for (const name of ["pause", "pause", "resume"]) doneBy(await asOwner(workspace, name, { endpointId }));
    await rotate(workspace, endpointId);
    await asOwner(workspace, "remove", { endpointId });
    const rows = await auditOf(workspace);
    expect(rows.map(({ action }) => action)).toEqual([
      "webhookEndpoint.created",
      "webhookEndpoint.changed",
      "webhookEndpoint.paused",
      "webhookEndpoint.resumed",
      "webhookEndpoint.secretRotated",
      "webhookEndpoint.deleted",
    ]);
    expect(new Set(rows.map(({ target_id }) => target_id))).toEqual(new Set([endpointId]));
    expect(rows.every(({ actor }) => actor.startsWith("user usr_"))).toBe(true);
    const [created, changed] = rows;
    expect(created?.after).toEqual({
      mode: "test",
      url: "https://example.com/hook",
      label: "production",
      events: ["message.read", "message.failed"],
    });
    expect([changed?.before, changed?.after]).toEqual([{ label: "production" }, { label: "warehouse" }]);
    const { text } = await readAs(workspace.owner, "/dashboard/settings/audit-log?thing=webhookEndpoint");
    expect(text).toContain("rotated the secret of webhook warehouse; the old secret works until");
    expect(text).not.toContain("created the workspace");
  });
});

describe("a secret", () => {
  test("is in no page, no row of the log and no column as it is", async ({ workspace }) => {
    const partner = await receiverOfTest();
    const { id, secret } = await create(workspace, { url: partner.url });
    const next = await rotate(workspace, id);
    const tried = doneBy(await asOwner(workspace, "sendTest", { endpointId: id }));
    const { deliveryId } = z.object({ deliveryId: z.string() }).parse(tried);
    await expect.poll(() => partner.received.length, within).toBe(1);
    const delivery = `${PAGE}/${id}/deliveries/${deliveryId}`;
    await expect
      .poll(async () => (await readAs(workspace.owner, delivery)).text.includes(">Response body<"), within)
      .toBe(true);
    const pages = await Promise.all(
      [`${PAGE}?mode=test`, `${PAGE}/${id}`, delivery, "/dashboard/settings/audit-log", "/dashboard"].map(
        async (path) => {
          const { status, text } = await readAs(workspace.owner, path);
          expect(status, path).toBe(200);
          return text;
        },
      ),
    );
    const [row] = await sql`select * from webhook_endpoints where id = ${id}`;
    const everywhere = [...pages, JSON.stringify(row), JSON.stringify(await auditOf(workspace))].join("\n");
    for (const one of [secret, next]) expect(everywhere).not.toContain(one.slice("whsec_".length));
    const signature = partner.received[0]?.headers["webhook-signature"]?.split(" ")[0] ?? "v1,";
    expect(everywhere).not.toContain(signature);
    expect(everywhere).not.toContain("whsec_");
  });
});

describe("the Overview", () => {
  test("names an endpoint that we paused to those who can resume it", async ({ workspace }) => {
    const { id } = await addEndpoint(workspace, ENDPOINT);
    const words = "Webhook Test returned 410 Gone and is paused.";
    const shown = async (mode: string, role: "owner" | "admin" | "member") =>
      (await readAs(workspace[role], `/dashboard?mode=${mode}`)).text.includes(words);
    expect(await shown("test", "owner")).toBe(false);
    await sql`update webhook_endpoints set paused_at = now(), paused_by = 'gone' where id = ${id}`;
    expect([await shown("test", "owner"), await shown("test", "admin")]).toEqual([true, true]);
    expect([await shown("live", "owner"), await shown("test", "member")]).toEqual([false, false]);
  });
});
