import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import type { KeyLimits } from "@/lib/core/principal";
import { limitKey } from "../../support/key-limits";
import { callListen } from "../../support/listener";
import { requestRows } from "../../support/request-rows";
import { keyIdOf, messageRows, planUnits, sql } from "../../support/rows";
import { expectError, expectNothingBound, expectSent, KEY, PHONE, TEXT } from "../../support/sends";
import { bodyOf, templateRecord } from "../../support/template-records";
import { test } from "../../support/test";
import {
  type Answer,
  platformRequests,
  provisionWorkspace,
  type TestWorkspace,
  type WorkspaceOptions,
} from "../../support/workspace";

const TEMPLATES = "/api/v1/public/templates";
const READY = templateRecord("ready", [bodyOf("Order {{1}} is ready.")]);
const OFFER = templateRecord("offer", [bodyOf("{{1}} off.")]);
const ORDER = { type: "template", phone: PHONE, templateVariables: { "1": "8812" } };
const template = (templateName: string) => ({ ...ORDER, templateName });

async function limited(limits: KeyLimits, options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const workspace = await provisionWorkspace(options);
  await limitKey(workspace, limits);
  return workspace;
}

const refused = (reason: string, words: string, more: object = {}) => ({
  status: 403,
  error: "FORBIDDEN",
  message: expect.stringMatching(new RegExp(`${words}.*Settings → API keys`)),
  details: { reason, ...more, retryable: false },
});

const from = (ip: string) => ({ "x-forwarded-for": ip });
const namesIn = (answer: Answer) => answer.body.data.templates.map(({ name }) => name);

describe("a key without limits", () => {
  test("keeps all rights after limits were removed", async () => {
    const workspace = await limited({ permissions: ["status"] });
    expect((await workspace.send(TEXT)).status).toBe(403);
    await limitKey(workspace, {});
    expectSent(await workspace.send(TEXT));
    const [row] =
      await sql`select limits from api_keys where api_key = ${workspace.apiKey} and workspace_id = ${workspace.workspaceId}`;
    expect(row).toEqual({ limits: null });
  });
});

describe("403, permission", () => {
  test.for([
    [["send"], { send: 201, status: 403, templates: 403 }],
    [["status"], { send: 403, status: 200, templates: 403 }],
    [["templates"], { send: 403, status: 403, templates: 200 }],
    [["send", "status"], { send: 201, status: 200, templates: 403 }],
  ] as const)("a key with %j does that and no more", async ([permissions, expected], { workspace }) => {
    const { id } = (await workspace.send(TEXT)).body.data;
    await limitKey(workspace, { permissions: [...permissions] });
    expect({
      send: (await workspace.send(TEXT)).status,
      status: (await workspace.status(id)).status,
      templates: (await workspace.call("GET", TEMPLATES)).status,
    }).toEqual(expected);
  });

  test("comes before the body is read, and binds nothing", async () => {
    const workspace = await limited({ permissions: ["status", "templates"] });
    for (const rawBody of [JSON.stringify(TEXT), "{", '{"type":"nonsense"}']) {
      const answer = await workspace.call("POST", "/api/v1/public/messages/send", { rawBody, headers: KEY });
      const words = "This key may read the status of messages and list templates only\\.";
      expectError(answer, refused("permission", words));
      expect(answer.headers.get("x-mode")).toBe("live");
    }
    await expectNothingBound(workspace);
  });

  test("comes after the key's rate limit has counted the call", async () => {
    const workspace = await limited({ permissions: ["status"] });
    const remaining = async () => Number((await workspace.send(TEXT)).headers.get("ratelimit-remaining"));
    const first = await remaining();
    expect(await remaining()).toBe(first - 1);
  });
});

describe("403, line", () => {
  const TWO = { lines: [{ ref: "shop" }, { ref: "support" }] };
  const idOf = (workspace: TestWorkspace, ref: string) => workspace.lines[ref]?.id ?? "";
  const toShop = async (options: WorkspaceOptions = TWO) => {
    const workspace = await provisionWorkspace(options);
    await limitKey(workspace, { phoneNumberIds: [idOf(workspace, "shop")] });
    return workspace;
  };

  test("the only line of the key sends without being named, and another is refused", async () => {
    const workspace = await toShop();
    expectSent(await workspace.send(TEXT));
    const [row] = await sql`select phone_number_id from messages where workspace_id = ${workspace.workspaceId}`;
    expect(row?.phone_number_id).toBe(idOf(workspace, "shop"));
    const support = idOf(workspace, "support");
    const answer = await workspace.send({ ...TEXT, phoneNumberId: support });
    const words = `This key may not use line "Line support" \\(${support}\\)\\..*"${idOf(workspace, "shop")}"`;
    expectError(answer, refused("line", words, { field: "phoneNumberId" }));
    expect(await platformRequests(workspace.lines.support?.whatsappPhoneNumberId ?? "", "messages")).toEqual([]);
    expect(await planUnits(workspace)).toEqual({ used: 1, held: 1 });
  });

  test("of several lines one must be named, and only those of the key are listed", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "shop" }, { ref: "support" }, { ref: "third" }] });
    const own = [idOf(workspace, "shop"), idOf(workspace, "support")];
    await limitKey(workspace, { phoneNumberIds: own });
    const { status, body } = await workspace.send(TEXT);
    expect([status, body.error]).toEqual([400, "PHONE_NUMBER_REQUIRED"]);
    expect(body.message).toContain("This key may use 2 active lines.");
    const listed = body.details.phoneNumbers as { id: string }[];
    expect(listed.map(({ id }) => id).toSorted()).toEqual(own.toSorted());
  });

  test("a line that does not exist, another workspace's and one of the other mode stay a 400", async () => {
    const other = await provisionWorkspace();
    const workspace = await toShop({ lines: [...TWO.lines, { ref: "trial", mode: "test" }] });
    for (const phoneNumberId of ["pn_unknown", other.phoneNumberId, idOf(workspace, "trial")]) {
      const { body } = await workspace.send({ ...TEXT, phoneNumberId });
      expect(body.error).toBe("PHONE_NUMBER_NOT_FOUND");
    }
  });

  test("a message of another line is answered as one that does not exist", async () => {
    const workspace = await provisionWorkspace(TWO);
    const sent = await workspace.send({ ...TEXT, phoneNumberId: idOf(workspace, "support") });
    const own = await workspace.send({ ...TEXT, phoneNumberId: idOf(workspace, "shop") });
    await limitKey(workspace, { phoneNumberIds: [idOf(workspace, "shop")] });
    expect((await workspace.status(own.body.data.id)).status).toBe(200);
    const absentId = "msg_01m7w7dr16j57xj0jhk1qj5zzz";
    const [theirs, absent] = [await workspace.status(sent.body.data.id), await workspace.status(absentId)];
    const anonymous = ({ status, text }: Answer, id: string) =>
      `${status} ${text.replaceAll(id, "ID").replace(/req_\w+/g, "REQUEST")}`;
    expect(anonymous(theirs, sent.body.data.id)).toBe(anonymous(absent, absentId));
    expect(theirs.status).toBe(404);
  });

  test("the list of templates has those of the key's lines, and names only these", async () => {
    const account = "90000000000001";
    const workspace = await provisionWorkspace({
      lines: [{ ref: "shop" }, { ref: "support" }, { ref: "other", whatsappBusinessAccountId: account }],
      templates: [READY],
    });
    await sql`
        insert into templates (workspace_id, id, mode, whatsapp_business_account_id, whatsapp_template_id, name, language,
          category, status, components)
        select workspace_id, 'tpl_of_other', mode, ${account}, 'other', 'of_other', language, category, status, components
        from templates where workspace_id = ${workspace.workspaceId}`;
    const list = async (query = "") => workspace.call("GET", `${TEMPLATES}${query}`);
    expect(namesIn(await list())).toEqual(["of_other", "ready"]);
    await limitKey(workspace, { phoneNumberIds: [idOf(workspace, "shop")] });
    const [ready, ...more] = (await list()).body.data.templates;
    expect([ready?.name, ready?.phoneNumberIds, more]).toEqual(["ready", [idOf(workspace, "shop")], []]);
    expect((await list(`?phoneNumberId=${idOf(workspace, "other")}`)).body).toMatchObject({
      error: "FORBIDDEN",
      details: { reason: "line" },
    });
    await limitKey(workspace, {});
    expect((await list()).body.data.templates[1]?.phoneNumberIds).toHaveLength(2);
  });

  test("a key whose lines are all disconnected or paused says so, and gets no other by itself", async () => {
    const workspace = await toShop();
    const shop = idOf(workspace, "shop");
    for (const change of [
      () => sql`update phone_numbers set disconnected_at = now() where id = ${shop}`,
      () => sql`update phone_numbers set is_active = false, disconnected_at = null where id = ${shop}`,
    ]) {
      await change();
      expectError(await workspace.send(TEXT), {
        status: 400,
        error: "NO_PHONE_NUMBER",
        message: expect.stringContaining("None of the lines that this key may use is connected and active."),
        details: { reason: "line", retryable: false },
      });
    }
    expect(namesIn(await workspace.call("GET", TEMPLATES))).toEqual([]);
  });
});

describe("403, template", () => {
  test("only the templates of the key are sent and listed, in every language, and nothing else", async () => {
    const workspace = await limited({ templateNames: ["ready"] }, { templates: [READY, OFFER] });
    expectSent(await workspace.send(template("ready")));
    for (const name of ["offer", "unknown"]) {
      const refusal = refused("template", `may not send template "${name}"`, { field: "templateName" });
      expectError(await workspace.send(template(name)), refusal);
    }
    expectError(await workspace.send(TEXT), refused("template", "certain templates only", { field: "type" }));
    const content = '{"type":"button","body":"Hi","buttons":[{"id":"a","title":"A"}]}';
    const interactive = await workspace.send({ type: "interactive", phone: PHONE, content });
    expectError(interactive, refused("template", "certain templates only", { field: "type" }));
    expect(namesIn(await workspace.call("GET", TEMPLATES))).toEqual(["ready"]);
    expect(namesIn(await workspace.call("GET", `${TEMPLATES}?name=offer`))).toEqual([]);
    expect(await platformRequests(workspace.whatsappPhoneNumberId, "messages")).toHaveLength(1);
    expect(await messageRows(workspace)).toHaveLength(1);
  });
});

describe("403, ip", () => {
  test("a call from elsewhere is refused with its address, and from the ranges answered", async () => {
    const workspace = await limited({ ipRanges: ["203.0.113.0/24", "2001:db8:7::/48"] });
    const list = (ip: string) => workspace.call("GET", TEMPLATES, { headers: from(ip) });
    for (const ip of ["203.0.113.7", "2001:db8:7:ffff::1", "::ffff:203.0.113.9", "::ffff:cb00:7109"]) {
      expect((await list(ip)).status, ip).toBe(200);
    }
    for (const [ip, shown] of [
      ["203.0.114.7", "203.0.114.7"],
      ["2001:db8:8::1", "2001:db8:8::1"],
      ["::ffff:203.0.114.7", "203.0.114.7"],
    ] as const) {
      const answer = await list(ip);
      expectError(answer, refused("ip", "is outside the IP ranges of this key", { ip: shown }));
      expect(answer.text).not.toMatch(/203\.0\.113|db8:7/);
    }
  });

  test("a range within a /64 tells two neighbors of one rate limit apart, also at once", async () => {
    const workspace = await limited({ ipRanges: ["2001:db8:9:1::7/128"] });
    const ips = ["2001:db8:9:1::7", "2001:db8:9:1::8"];
    const calls = Array.from({ length: 10 }, (_, i) => ips[i % 2] ?? "");
    const answers = await Promise.all(calls.map((ip) => workspace.call("GET", TEMPLATES, { headers: from(ip) })));
    expect(answers.map(({ status }) => status)).toEqual(calls.map((ip) => (ip === ips[0] ? 200 : 403)));
  });

  test("does not count against the key's rate limit, nor as a use of the key", async () => {
    const workspace = await limited({ ipRanges: ["203.0.113.0/24"] });
    const inside = () => workspace.call("GET", TEMPLATES, { headers: from("203.0.113.7") });
    await sql`update api_keys set last_used_at = null where api_key = ${workspace.apiKey}`;
    for (let i = 0; i < 5; i++) {
      const outside = await workspace.call("GET", TEMPLATES);
      expect(outside.status).toBe(403);
      expect(outside.headers.get("ratelimit-policy")).not.toContain("key");
    }
    const [row] = await sql`select last_used_at from api_keys where api_key = ${workspace.apiKey}`;
    expect(row?.last_used_at).toBeNull();
    const id = `rl:key:${await keyIdOf(workspace)}`;
    const counted = async () => {
      const [window] = await sql`select used from rate_windows where id = ${id}`;
      return window?.used ?? 0;
    };
    const before = await counted();
    expect((await inside()).status).toBe(200);
    expect(await counted()).toBe(before + 1);
  });

  test("stays the answer from elsewhere while the key is over its rate limit", async () => {
    const workspace = await limited({ ipRanges: ["203.0.113.0/24"] });
    const statusAt = async (ip: string) => (await workspace.call("GET", TEMPLATES, { headers: from(ip) })).status;
    expect(await statusAt("203.0.113.7")).toBe(200);
    await sql`update rate_windows set used = 300 where id = ${`rl:key:${await keyIdOf(workspace)}`}`;
    expect(await statusAt("203.0.113.7")).toBe(429);
    expect([await statusAt("198.51.100.7"), await statusAt("203.0.113.8")]).toEqual([403, 429]);
  });

  test("a wrong secret stays a 401 wherever it comes from", async () => {
    const workspace = await limited({ ipRanges: ["203.0.113.0/24"] });
    const key = { apiKey: workspace.apiKey, apiSecret: "sk_live_wrong" };
    for (const ip of ["203.0.113.7", "198.51.100.7"]) {
      expect((await workspace.call("GET", TEMPLATES, { key, headers: from(ip) })).status).toBe(401);
    }
  });

  test("an address that changes between two calls is judged at each", async () => {
    const workspace = await limited({ ipRanges: ["203.0.113.0/24"] });
    const send = (ip: string) => workspace.send(TEXT, { ...from(ip), "Idempotency-Key": "k" });
    expectSent(await send("203.0.113.7"));
    expect((await send("198.51.100.7")).status).toBe(403);
    expect((await send("203.0.113.8")).status).toBe(200);
    expect(await messageRows(workspace)).toHaveLength(1);
  });
});

describe("401", () => {
  test("a key works until its last day ends, and again once it gets a later one", async ({ workspace }) => {
    await limitKey(workspace, {}, { expiresAt: new Date(Date.now() + 1_500) });
    expectSent(await workspace.send(TEXT));
    await sleep(1_600);
    expect((await workspace.send(TEXT)).status).toBe(401);
    await limitKey(workspace, {}, { expiresAt: new Date(Date.now() + 60_000) });
    expectSent(await workspace.send(TEXT));
  });
});

describe("limits that change under way", () => {
  test("apply from the next call on, and each call sees those before or those after", async ({ workspace }) => {
    const racers = Array.from({ length: 15 }, () => workspace.send(TEXT));
    await limitKey(workspace, { permissions: ["status"] });
    const later = await Promise.all(Array.from({ length: 5 }, () => workspace.send(TEXT)));
    expect(later.map(({ status }) => status)).toEqual(Array(5).fill(403));
    const statuses = (await Promise.all(racers)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 201 && status !== 403)).toEqual([]);
    expect(await messageRows(workspace)).toHaveLength(statuses.filter((status) => status === 201).length);
  });

  test("of changes at the same time each is made whole, or refused and not in the audit log", async ({ workspace }) => {
    const caps = [11, 12, 13, 14, 15, 16];
    const changes = await Promise.allSettled(caps.map((monthlyCap) => limitKey(workspace, { monthlyCap })));
    const made = changes.filter(({ status }) => status === "fulfilled").length;
    expect(made).toBeGreaterThan(0);
    const rows = await sql<{ before: { monthlyCap: number | null }; after: { monthlyCap: number } }[]>`
        select before, after from audit_log
        where workspace_id = ${workspace.workspaceId} and action = 'apiKey.limitsChanged'`;
    expect(rows).toHaveLength(made);
    const [stored] = await sql`select limits from api_keys where api_key = ${workspace.apiKey}`;
    // From no cap to the stored one, each change begins where another ended.
    let cap: number | null = null;
    for (const _ of rows) cap = rows.find(({ before }) => before.monthlyCap === cap)?.after.monthlyCap ?? null;
    expect(stored?.limits).toEqual({ monthlyCap: cap });
  });

  test("a key repeats what it sent before it was limited, and another key only within its limits", async () => {
    const lines = [{ ref: "shop" }, { ref: "support" }];
    const workspace = await provisionWorkspace({ lines, extraKeys: ["limited"] });
    const [shop, support] = [workspace.lines.shop?.id ?? "", workspace.lines.support?.id ?? ""];
    const key = workspace.keys.limited ?? workspace;
    const send = (idempotencyKey: string, phoneNumberId: string | undefined, { apiKey, apiSecret } = key) =>
      workspace.send({ ...TEXT, phoneNumberId }, { "Idempotency-Key": idempotencyKey, apiKey, apiSecret });
    expectSent(await send("own", support));
    expectSent(await send("theirs", support, workspace));
    expectSent(await send("shared", shop, workspace));
    await limitKey(workspace, { phoneNumberIds: [shop] }, { apiKey: key.apiKey });
    await limitKey(workspace, { phoneNumberIds: [support] });
    expectSent(await send("unnamed", undefined, workspace));
    expect((await send("own", support)).status).toBe(200);
    expect((await send("shared", shop)).status).toBe(200);
    expect((await send("theirs", support)).body).toMatchObject({ error: "FORBIDDEN", details: { reason: "line" } });
    const refusal = refused("line", "belongs to a message of a line", { field: "idempotencyKey" });
    expectError(await send("unnamed", undefined), refusal);
    expect(await messageRows(workspace)).toHaveLength(4);
  });
});

describe("the request log", () => {
  test("has the refused call, its key, its limit and the address whole", async () => {
    const workspace = await limited({ ipRanges: ["203.0.113.0/24"] });
    await workspace.call("GET", TEMPLATES);
    const [row] = await requestRows(workspace, 1);
    expect(row).toMatchObject({ status: 403, error_code: "FORBIDDEN", api_key_id: await keyIdOf(workspace) });
    expect(JSON.parse(row?.answer ?? "{}").details).toMatchObject({ reason: "ip", ip: workspace.clientAddress });
  });
});

describe("listen", () => {
  test("needs a key that reads every status of the workspace, from its ranges", async () => {
    for (const [limits, status] of [
      [{ permissions: ["send"] }, 403],
      [{ phoneNumberIds: [] }, 403],
      [{ ipRanges: ["203.0.113.0/24"] }, 403],
      [{ permissions: ["status"], templateNames: ["ready"] }, 200],
    ] as [KeyLimits, number][]) {
      const workspace = await provisionWorkspace({ mode: "test" });
      const own = limits.phoneNumberIds ? { phoneNumberIds: [workspace.phoneNumberId] } : limits;
      await limitKey(workspace, own);
      expect((await callListen(workspace, {})).status, JSON.stringify(limits)).toBe(status);
    }
  });
});
