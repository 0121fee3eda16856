import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { importContacts } from "@/lib/contacts/save-contacts";
import { provenWorkspaceId } from "@/lib/core/principal";
import { command } from "@/lib/workspaces/record-audit";
import { startInstance } from "../../support/environment";
import { forSuite } from "../../support/for-suite";
import { sql } from "../../support/rows";
import { expectSent, sentBodies, TEXT } from "../../support/sends";
import { expectStopped, saleTo, workspaceWithStops } from "../../support/stops";
import { accountWebhook, inboundWebhook } from "../../support/webhooks";
import { deliver, report, statusWebhook, type TestWorkspace } from "../../support/workspace";

const newPhone = () => `4479${randomInt(10_000_000, 99_999_999)}`;

/** Returns the present second, with most of it still to come: what is posted next is received in it. */
const thisSecond = async (): Promise<number> => {
  const ms = Date.now() % 1_000;
  if (ms > 500) await sleep(1_010 - ms);
  return Math.floor(Date.now() / 1_000);
};
const nextSecond = () => sleep(1_010 - (Date.now() % 1_000));

type Word = "stop" | "start";
/** A stop or start by a word, or in WhatsApp's settings; without a readable time if `at` is undefined. */
const saying = (workspace: TestWorkspace, phone: string, word: Word, at?: number, source = "word") => {
  const timestamp = at === undefined ? "soon" : `${at}`;
  if (source === "word") return inboundWebhook(workspace, [{ from: phone, timestamp, text: { body: word } }]);
  const value = word === "stop" ? "stop" : "resume";
  return accountWebhook(workspace, "user_preferences", {
    metadata: { phone_number_id: workspace.whatsappPhoneNumberId },
    // WhatsApp's own notices differ in their detail.
    user_preferences: [{ wa_id: phone, category: "marketing_messages", value, timestamp, detail: crypto.randomUUID() }],
  });
};
const moving = (workspace: TestWorkspace, from: string, to: string, at: number) =>
  inboundWebhook(workspace, [
    { from, timestamp: `${at}`, type: "system", system: { type: "user_changed_number", wa_id: to, body: "changed" } },
  ]);

const contactOf = async ({ workspaceId }: TestWorkspace, phone: string) => {
  const [row] = await sql<{ id: string; last_inbound_at: string }[]>`
    select id, last_inbound_at from contacts where workspace_id = ${workspaceId} and phone = ${phone}`;
  return row;
};

const SOURCES = ["word", "whatsapp"];

describe("400: marketing to a person whose last word was a stop", () => {
  test("of two notices without a time, between which it was allowed: the second may be no repetition", async () => {
    const [workspace, phone] = [await workspaceWithStops(), newPhone()];
    const notice = (value: string) =>
      accountWebhook(workspace, "user_preferences", {
        metadata: { phone_number_id: workspace.whatsappPhoneNumberId },
        user_preferences: [{ wa_id: phone, category: "marketing_messages", value }],
      });
    for (const value of ["stop", "resume", "stop"]) await deliver(notice(value));
    await expectStopped(workspace, { phone });
    // A start that may be a repetition does not count.
    await deliver(notice("resume"));
    await expectStopped(workspace, { phone });
  });

  test.each(SOURCES)("after a start that is dated ahead of our clock (%s)", async (source) => {
    for (const ahead of [60, 86_000]) {
      const [workspace, phone] = [await workspaceWithStops(), newPhone()];
      await deliver(saying(workspace, phone, "start", (await thisSecond()) + ahead, source));
      await deliver(saying(workspace, phone, "stop", await thisSecond(), source));
      await expectStopped(workspace, { phone });
    }
  });

  test.each(SOURCES)("in the second in which a start without a time was received (%s)", async (source) => {
    const [workspace, phone, second] = [await workspaceWithStops(), newPhone(), await thisSecond()];
    await deliver(saying(workspace, phone, "start", undefined, source));
    await deliver(saying(workspace, phone, "stop", second, source));
    await expectStopped(workspace, { phone });
  });

  test.each(SOURCES)("before WhatsApp repeats a start without a time, or dated ahead (%s)", async (source) => {
    const [workspace, phone] = [await workspaceWithStops(), newPhone()];
    const starts = [undefined, (await thisSecond()) + 3_600].map((at) => saying(workspace, phone, "start", at, source));
    for (const start of starts) await deliver(start);
    await deliver(saying(workspace, phone, "stop", await thisSecond(), source));
    await nextSecond();
    for (const start of starts) await deliver(start);
    await expectStopped(workspace, { phone });
  });
});

describe("marketing to a number that a person who stopped it has left", () => {
  const left = async () => {
    const [workspace, phone, next] = [await workspaceWithStops(), newPhone(), newPhone()];
    const second = await thisSecond();
    await deliver(saying(workspace, phone, "stop", second - 60));
    await deliver(moving(workspace, phone, next, second - 30));
    await expectStopped(workspace, { phone: next });
    return { workspace, phone, next };
  };

  test("400: as long as no one else was seen with it, whatever the workspace itself says of it", async () => {
    const { workspace, phone } = await left();
    await expectStopped(workspace, { phone });
    const texted = await workspace.send({ ...TEXT, phone });
    expectSent(texted);
    expect(texted.headers.get("warning")).toContain("has changed it");
    await expectStopped(workspace, { phone });
    const rows = [{ phone, name: "Somebody" }];
    await importContacts(provenWorkspaceId(workspace.workspaceId), rows, command("test"));
    await expectStopped(workspace, { phone });
  });

  test("201: to its next owner, until they stop it, too", async () => {
    const { workspace, phone, next } = await left();
    const written = { from: phone, from_user_id: "GB.next", timestamp: `${(await thisSecond()) - 20}` };
    await deliver(inboundWebhook(workspace, [written]));
    const sent = await workspace.send(saleTo({ phone }));
    expectSent(sent);
    expect(sent.headers.get("warning")).toBeNull();
    await expectStopped(workspace, { phone: next });
    await deliver(saying(workspace, phone, "stop", await thisSecond()));
    await expectStopped(workspace, { phone });
  });
});

describe("201: marketing to a person", () => {
  test.each(SOURCES)("who allowed it again after a stop that is dated ahead of our clock (%s)", async (source) => {
    const [workspace, phone] = [await workspaceWithStops(), newPhone()];
    await deliver(saying(workspace, phone, "stop", (await thisSecond()) + 3_600, source));
    await expectStopped(workspace, { phone });
    await nextSecond();
    await deliver(saying(workspace, phone, "start", await thisSecond(), source));
    expectSent(await workspace.send(saleTo({ phone })));
  });
});

describe("a message that is dated ahead of our clock", () => {
  test("opens no more than 24 hours", async () => {
    const [workspace, phone] = [await workspaceWithStops(), newPhone()];
    await deliver(inboundWebhook(workspace, [{ from: phone, timestamp: `${(await thisSecond()) + 80_000}` }]));
    expect(Date.parse((await contactOf(workspace, phone))?.last_inbound_at ?? "")).toBeLessThanOrEqual(Date.now());
  });

  test.each(["ahead", "without a time, and repeated"])(
    "(%s) does not hide that the person leaves its number afterwards",
    async (how) => {
      const [workspace, phone, next] = [await workspaceWithStops(), newPhone(), newPhone()];
      const timestamp = how === "ahead" ? `${(await thisSecond()) + 3_600}` : "soon";
      const written = inboundWebhook(workspace, [{ from: phone, timestamp }]);
      await deliver(written);
      const { id = "" } = (await contactOf(workspace, phone)) ?? {};
      await deliver(moving(workspace, phone, next, await thisSecond()));
      await nextSecond();
      await deliver(written);
      expectSent(await workspace.send(saleTo({ contactId: id })));
      expect(await sentBodies(workspace)).toEqual([expect.stringContaining(`+${next}`)]);
    },
  );
});

describe("property: whatever is said, repeated, imported and moved, in any order", () => {
  test("the last word counts, a stop in the same second, and what is received is never later than now", async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constantFrom("stop", "start"),
          source: fc.constantFrom(...SOURCES),
          at: fc.constantFrom(-200, -100, 0, 900, undefined),
        }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("repeat"), place: fc.nat(9) }) },
      { weight: 2, arbitrary: fc.constantFrom({ kind: "import" }, { kind: "move" }, { kind: "second" }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 10 }), async (steps) => {
        const workspace = await workspaceWithStops();
        const numbers = [newPhone()];
        const bodies: { body: object; countsAgain: boolean }[] = [];
        const said: { word: string; at: number }[] = [];
        for (const one of steps) {
          const second = await thisSecond();
          const phone = numbers[0] ?? "";
          if (one.kind === "stop" || one.kind === "start") {
            const { at, source } = one as { at?: number; source: string };
            const body = saying(workspace, phone, one.kind, at === undefined ? undefined : second + at, source);
            said.push({ word: one.kind, at: second + Math.min(0, at ?? 0) });
            // A second notice of a stop without a time looks like the first one's repetition, so each counts.
            bodies.push({ body, countsAgain: one.kind === "stop" && source === "whatsapp" && at === undefined });
            await deliver(body);
            // On a busy machine one without a time may be received in a later second than this model's.
            fc.pre(at !== undefined || Math.floor(Date.now() / 1_000) === second);
          } else if ("place" in one) {
            const again = bodies[one.place % Math.max(1, bodies.length)];
            if (again) await deliver(again.body);
            if (again?.countsAgain) said.push({ word: "stop", at: second });
            fc.pre(!again?.countsAgain || Math.floor(Date.now() / 1_000) === second);
          } else if (one.kind === "import") {
            const rows = numbers.map((number) => ({ phone: number, name: null }));
            await importContacts(provenWorkspaceId(workspace.workspaceId), rows, command("test"));
          } else if (one.kind === "second") await nextSecond();
          else {
            // A notice tells of a person who has written.
            if (bodies.length === 0) continue;
            const next = newPhone();
            await deliver(moving(workspace, phone, next, second));
            numbers.unshift(next);
            await nextSecond();
          }
          const newest = Math.max(0, ...said.map(({ at }) => at));
          const isStopped = said.some(({ word, at }) => at === newest && word === "stop");
          const answer = await workspace.send(saleTo({ phone: numbers[0] ?? "" }));
          expect(answer.status, `after ${JSON.stringify(one)}: ${answer.text}`).toBe(isStopped ? 400 : 201);
        }
        const contacts =
          await sql`select from contacts where workspace_id = ${workspace.workspaceId} and merged_into is null`;
        expect(contacts).toHaveLength(1);
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});

describe("property: two servers at once", () => {
  const second = forSuite(() => startInstance({}, "API"));

  test("whatever is said through two numbers of a person while they are imported, linked and merged: the newest word counts", async () => {
    const word = fc.record({ kind: fc.constantFrom<Word>("stop", "start"), source: fc.constantFrom(...SOURCES) });
    const other = fc.record({ kind: fc.constantFrom("import", "link", "text"), source: fc.constant("") });
    const step = fc.record({
      what: fc.oneof({ weight: 3, arbitrary: word }, other),
      form: fc.nat(1),
      on: fc.nat(1),
      twice: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 8, maxLength: 16 }),
        fc.infiniteStream(fc.nat()),
        async (steps, order) => {
          const workspace = await workspaceWithStops();
          const end = randomInt(10_000_000, 99_999_999);
          const numbers = [`5255${end}`, `52155${end}`] as const;
          const sent = await workspace.send({ type: "text", phone: numbers[0], content: "Hello" });
          const linked = { id: sent.body.data.chatMessageId ?? "", status: "delivered", recipient_id: numbers[1] };
          const now = await thisSecond();
          const said: { at: number; word: string }[] = [];
          const acts = steps.flatMap(({ what, form, on, twice }, index): (() => Promise<unknown>)[] => {
            const phone = numbers[form as 0 | 1];
            const toServer = (body: object) => () => deliver(body, on === 0 ? undefined : second.baseUrl);
            if (what.kind === "import") {
              const rows = [{ phone, name: null }];
              return [() => importContacts(provenWorkspaceId(workspace.workspaceId), rows, command("test"))];
            }
            if (what.kind === "link") return [toServer(statusWebhook(workspace, [linked]))];
            if (what.kind === "text") return [() => workspace.send({ ...TEXT, phone })];
            // No two in one second, and in no order.
            const at = now - 30 - ((index * 7) % 17);
            said.push({ at, word: what.kind });
            const say = toServer(saying(workspace, phone, what.kind as Word, at, what.source));
            return twice ? [say, say] : [say];
          });
          const shuffled = acts
            .map((act) => ({ act, place: order.next().value }))
            .toSorted((a, b) => a.place - b.place);
          await Promise.all(shuffled.map(({ act }) => act()));
          await report(workspace, linked);
          const newest = said.toSorted((a, b) => b.at - a.at)[0]?.word;
          for (const phone of numbers) {
            const answer = await workspace.send(saleTo({ phone }));
            expect(answer.status, answer.text).toBe(newest === "stop" ? 400 : 201);
          }
          const { workspaceId } = workspace;
          const contacts = await sql`
              select from contacts where workspace_id = ${workspaceId} and merged_into is null`;
          expect(contacts).toHaveLength(1);
        },
      ),
      { numRuns: 15 },
    );
  }, 120_000);
});
