import { describe, expect, test } from "vitest";
import { shownCalls } from "@/lib/docs/calls";
import { INTERACTIVE_KINDS } from "@/lib/docs/interactive-kinds";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { testServers } from "../../support/environment";
import { provisionWorkspace, request } from "../../support/workspace";

const demo = () => provisionWorkspace({ mode: "test", templates: [...FIXTURE_TEMPLATES] });

const ofTemplates = (origin: string) => shownCalls(origin).filter(({ form }) => form !== undefined);

describe("201", () => {
  test.each(ofTemplates(testServers().mediaUrl))("the call for $name by $form is taken", async ({ call }) => {
    const workspace = await demo();
    const answer = await workspace.send(call.body, { "Idempotency-Key": call.idempotencyKey ?? "" });
    expect(answer.status, answer.text).toBe(201);
  });

  test("each form of each kind of interactive message that the docs show is taken", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    for (const { id, short, full } of INTERACTIVE_KINDS) {
      for (const form of short ? [short, full] : [full]) {
        const content = JSON.stringify(form);
        const answer = await workspace.send({ type: "interactive", phone: "447700900301", content });
        expect(answer.status, `${id}: ${answer.text}`).toBe(201);
      }
    }
  });

  test("no two calls of the docs share an idempotency key, so that each can be pasted after the other", () => {
    const calls = shownCalls(testServers().baseUrl);
    const keys = calls.flatMap(({ call }) => call.idempotencyKey ?? []);
    expect(keys.length).toBeGreaterThan(5);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("the pictures that those calls link to are there", async () => {
    const links = JSON.stringify(shownCalls(testServers().baseUrl)).match(/http[^"]+\.png/g) ?? [];
    expect(links.length).toBeGreaterThan(2);
    for (const link of new Set(links)) expect((await request("GET", link)).status, link).toBe(200);
  });
});
