import { beforeAll, describe, expect } from "vitest";
import { sql } from "../../support/rows";
import { PHONE } from "../../support/sends";
import { readAs, readAt, signIn } from "../../support/session";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import {
  graphError,
  provisionWorkspace,
  scriptMessages,
  scriptPlatform,
  type TestWorkspace,
} from "../../support/workspace";

type Row = Record<string, string>;

const route = ({ workspaceId }: TestWorkspace, path: string) => `/api/v1/workspaces/${workspaceId}/messages/${path}`;

/** The rows of the export; no value of these tests holds a comma or a quote. */
const exported = async (
  workspace: TestWorkspace,
  cookie: string,
  query: Record<string, string> = {},
): Promise<Row[]> => {
  const address = route(workspace, `export?${new URLSearchParams({ mode: "live", ...query })}`);
  const { status, text, headers } = await readAt(address, cookie);
  expect([status, headers.get("content-type")], text).toEqual([200, "text/csv; charset=utf-8"]);
  const [heading = "", ...lines] = text.trimEnd().split("\r\n");
  const names = heading.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((cell, at) => [names[at] ?? "", cell])));
};

const idsOf = (rows: Row[]) => rows.map((row) => row.message_id);

const text = (content: string, more: object = {}) => ({ type: "text", phone: PHONE, content, ...more });

describe("200", () => {
  test("every id and every way to write a number finds the message", async ({ workspace }) => {
    const cookie = await signIn(workspace.member);
    const sent = await workspace.send(text("One"), { "Idempotency-Key": "order-8812" });
    await workspace.send(text("Other", { phone: "447700900777" }));
    const { id, chatMessageId } = sent.body.data;
    const requestId = sent.headers.get("x-request-id") ?? "";
    const [contact] = await sql<{ id: string }[]>`
        select id from contacts where workspace_id = ${workspace.workspaceId} and phone = ${PHONE}`;
    const held = [id, chatMessageId, requestId, "order-8812", contact?.id, `see https://x/messages/${id}?a=1`];
    const numbers = [PHONE, "+44 7700 900 123", "0044 7700 900123", "+44 (0)7700 900123", "44-7700-900-123"];
    for (const q of [...held, ...numbers])
      expect(idsOf(await exported(workspace, cookie, { q: q ?? "" })), q ?? "").toEqual([id]);
    for (const recipient of numbers) expect(idsOf(await exported(workspace, cookie, { recipient }))).toEqual([id]);
    for (const q of ["order-8813", "msg_nobody", "447700900999", `req_${"z".repeat(26)}`])
      expect(await exported(workspace, cookie, { q })).toEqual([]);
  });

  test("a word of the recipient's name finds it for all, a part of the number for who sees numbers whole", async () => {
    const workspace = await provisionWorkspace({ contacts: [{ ref: "a", phone: PHONE, name: "Ana Ruiz-Mora" }] });
    const { id } = (await workspace.send(text("One"))).body.data;
    await workspace.send(text("Other", { phone: "447700900777" }));
    const [owner, member] = await Promise.all([workspace.owner, workspace.member].map((who) => signIn(who)));
    const found = async (cookie: string | undefined, q: string) =>
      idsOf(await exported(workspace, cookie ?? "", { q }));
    for (const q of ["ana", "MORA", "ruiz ana"])
      expect([await found(owner, q), await found(member, q)], q).toEqual([[id], [id]]);
    for (const q of ["0123", "07700 900123"]) expect(await found(owner, q), q).toEqual([id]);
    expect([await found(member, "0123"), await found(owner, "uiz"), await found(owner, "ana b")]).toEqual([[], [], []]);
  });

  test("an id finds its message in either mode, because its holder need not know the mode", async ({ workspace }) => {
    const cookie = await signIn(workspace.member);
    const { id } = (await workspace.send(text("One"))).body.data;
    expect(idsOf(await exported(workspace, cookie, { q: id, mode: "test" }))).toEqual([id]);
    expect(await exported(workspace, cookie, { mode: "test" })).toEqual([]);
  });

  test("each filter narrows, and several narrow together", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "second" }], extraKeys: ["spare"] });
    const cookie = await signIn(workspace.owner);
    const [main, second] = [workspace.lines.main?.id, workspace.lines.second?.id];
    const one = (await workspace.send(text("One", { phoneNumberId: main }))).body.data.id;
    await scriptPlatform(workspace.lines.second?.whatsappPhoneNumberId ?? "", "messages", [graphError(131026)]);
    const refused = (await workspace.send(text("Two", { phoneNumberId: second }))).body.details.messageId;
    const three = (await workspace.send(text("Three", { phoneNumberId: second }), workspace.keys.spare)).body.data.id;
    const [key] = await sql<{ id: string }[]>`
        select id from api_keys where workspace_id = ${workspace.workspaceId} and label = 'spare'`;
    const today = new Date().toISOString().slice(0, 10);
    const found = async (query: Record<string, string>) => idsOf(await exported(workspace, cookie, query));
    expect(await found({})).toEqual([three, refused, one]);
    expect(await found({ status: "FAILED" })).toEqual([refused]);
    expect(await found({ code: "131026" })).toEqual([refused]);
    expect(await found({ line: second ?? "" })).toEqual([three, refused]);
    expect(await found({ line: second ?? "", status: "SENT" })).toEqual([three]);
    expect(await found({ key: key?.id ?? "" })).toEqual([three]);
    expect(await found({ type: "template" })).toEqual([]);
    expect(await found({ from: today, to: today })).toEqual([three, refused, one]);
    expect(await found({ to: "2020-01-01" })).toEqual([]);
    expect(await found({ status: "NONSENSE" })).toEqual([three, refused, one]);
  });

  test("members get masks for numbers, also where WhatsApp quotes or encodes one", async ({ workspace }) => {
    const [member, owner] = [await signIn(workspace.member), await signIn(workspace.owner)];
    const phone = "447911123456";
    const refusal = graphError(131009, `No account of +${phone}`);
    // Long enough for the number that real ones hold.
    const wamid = `wamid.${Buffer.from(`\u001d${phone}\u0015\u0002${workspace.workspaceId}`).toString("base64")}`;
    const accepted = { json: { messages: [{ id: wamid }] } };
    await scriptMessages(workspace, [refusal, accepted]);
    const refused = await workspace.send(text("One", { phone }));
    const sent = await workspace.send(text("Two", { phone }));
    const pages = ["/dashboard", "/dashboard/messages", `/dashboard/messages/${sent.body.data.id}`];
    const shownTo = async (cookie: string) => {
      const found = await exported(workspace, cookie, { recipient: "447915553456" });
      const addresses = [...pages, `/dashboard/messages/${refused.body.details.messageId}`];
      const answers = await Promise.all(addresses.map((path) => readAt(path, cookie)));
      const all = [JSON.stringify(await exported(workspace, cookie)), ...answers.map((answer) => answer.text)].join("");
      return [found.length, all.includes(phone), all.includes(wamid)];
    };
    expect(await shownTo(member)).toEqual([2, false, false]);
    expect(await shownTo(owner)).toEqual([0, true, true]);
  });

  test("members get no column and no filter of keys", async ({ workspace }) => {
    const [member, owner] = [await signIn(workspace.member), await signIn(workspace.owner)];
    await workspace.send(text("One"));
    const [masked] = await exported(workspace, member);
    expect(masked?.recipient).toBe("44770•••0123");
    expect(masked).not.toHaveProperty("api_key");
    const [whole] = await exported(workspace, owner);
    expect([whole?.recipient, whole?.api_key]).toEqual([PHONE, workspace.apiKey]);
    expect(await exported(workspace, member, { key: "key_00000000000000000000000000" })).toHaveLength(1);
  });

  test("each message is counted once where the hours of the workspace's clock begin at the half", async () => {
    const workspace = await provisionWorkspace();
    const { workspaceId } = workspace;
    await sql`update workspaces set time_zone = 'Asia/Kolkata' where id = ${workspaceId}`;
    for (const content of ["One", "Two", "Three"]) await workspace.send(text(content));
    // In a full hour of UTC that may be counted already, and in one of Kolkata that began before it.
    await sql`
        update messages set created_at = date_trunc('hour', now() - interval '1 hour', 'UTC') + interval '10 minutes'
        where workspace_id = ${workspaceId}`;
    await sql`delete from messages_by_quarter where workspace_id = ${workspaceId}`;
    await sweep();
    const { text: page } = await readAs(workspace.member, "/dashboard/messages?mode=live");
    expect(page.match(/(?:About )?[\d,]+ results?/)?.[0]).toBe("3 results");
  });

  test("what is newer than the first row of a list is counted, and what does not match is not", async () => {
    const workspace = await provisionWorkspace();
    const cookie = await signIn(workspace.member);
    const { id } = (await workspace.send(text("One"))).body.data;
    const [first] = await sql`select extract(epoch from created_at) * 1000 as ms from messages where id = ${id}`;
    const newer = async (query = "") => {
      const address = route(workspace, `newer?mode=live&since=${Math.round(Number(first?.ms))}-${id}${query}`);
      return JSON.parse((await readAt(address, cookie)).text).data.newer;
    };
    expect(await newer()).toBe(0);
    await workspace.send(text("Two"));
    await workspace.send(text("Three", { phone: "447700900777" }));
    expect([await newer(), await newer("&status=FAILED"), await newer("&q=447700900777")]).toEqual([2, 0, 1]);
  });
});

describe("400", () => {
  test("newer than no place in the log", async ({ workspace }) => {
    const cookie = await signIn(workspace.member);
    const answer = await readAt(route(workspace, "newer?since=yesterday"), cookie);
    expect([answer.status, answer.body.error, answer.body.details.field]).toEqual([400, "VALIDATION_ERROR", "since"]);
  });
});

describe("a long log", () => {
  const HOURS = 400;
  let workspace: TestWorkspace;
  let cookie: string;

  // Three messages an hour, every hundredth of them failed, and the hours counted.
  beforeAll(async () => {
    workspace = await provisionWorkspace();
    cookie = await signIn(workspace.owner);
    const { id } = (await workspace.send(text("One"))).body.data;
    await sql`
      insert into messages (workspace_id, id, mode, api_key_id, phone_number_id, contact_id, phone, type, fingerprint,
        phase, lease_expires_at, status, failure_code, failure_reason, created_at)
      select workspace_id, 'msg_' || lpad(n::text, 26, '0'), mode, api_key_id, phone_number_id, contact_id, phone, type,
        fingerprint, 'SENT', now(), case when n % 100 = 0 then 'FAILED' else 'READ' end::message_status,
        case when n % 100 = 0 then 131026 end, case when n % 100 = 0 then 'Why' end,
        now() - interval '3 hours' - n * interval '20 minutes'
      from messages, generate_series(1, ${HOURS * 3}) n where workspace_id = ${workspace.workspaceId} and id = ${id}`;
    await sweep();
  });

  test("is read whole, newest first, each message once", async () => {
    const rows = await exported(workspace, cookie);
    expect(rows).toHaveLength(HOURS * 3 + 1);
    expect(new Set(idsOf(rows)).size).toBe(rows.length);
    const times = rows.map((row) => row.created_at ?? "");
    expect(times).toEqual(times.toSorted().reverse());
  });

  test("what is rare in it is found however far apart it lies", async () => {
    const failed = await exported(workspace, cookie, { status: "FAILED" });
    expect(failed).toHaveLength((HOURS * 3) / 100);
    expect(failed.every((row) => row.failure_code === "131026")).toBe(true);
    const [oldest, newest] = [failed.at(-1)?.created_at?.slice(0, 10), failed[0]?.created_at?.slice(0, 10)];
    const range = { from: oldest ?? "", to: newest ?? "" };
    expect(await exported(workspace, cookie, { status: "FAILED", ...range })).toEqual(failed);
  });

  test("a page has fifty, and leads to the older and back to the same newer ones", async () => {
    const rows = idsOf(await exported(workspace, cookie));
    const page = async (address: string) => {
      const { text } = await readAt(address, cookie);
      const ids = [
        ...new Set([...text.matchAll(/href="\/dashboard\/messages\/(msg_\w+)\?mode=live"/g)].map(([, id]) => id)),
      ];
      const linkTo = (place: string) =>
        text.match(new RegExp(`href="(/dashboard/messages\\?[^"]*${place}=[^"]+)"`))?.[1]?.replaceAll("&amp;", "&") ??
        "";
      return { text, ids, older: linkTo("older"), newer: linkTo("newer") };
    };
    const first = await page("/dashboard/messages?mode=live");
    expect(first.ids).toEqual(rows.slice(0, 50));
    expect(first.text).toContain("About 1,201 results");
    const second = await page(first.older);
    const third = await page(second.older);
    expect([second.ids, third.ids]).toEqual([rows.slice(50, 100), rows.slice(100, 150)]);
    expect((await page(third.newer)).ids).toEqual(second.ids);
    const failed = await page("/dashboard/messages?status=FAILED&mode=live");
    expect([failed.ids.length, failed.older]).toEqual([12, ""]);
  });
});
