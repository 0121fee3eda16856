import { beforeEach, describe, expect, test } from "vitest";
import { type Options, Switchboard, SwitchboardError } from "@/lib/docs/client";
import { testServers } from "../../support/environment";
import { awayFromWindowEdge, callInParallel, statuses } from "../../support/limits";
import { scriptMessages } from "../../support/platform-answers";
import { countMessages, sentBodies } from "../../support/sends";
import { ORDER, templateRecord } from "../../support/template-records";
import { graphError, provisionWorkspace, request, type TestWorkspace } from "../../support/workspace";

const TEXT = { type: "text", phone: "447700900003", content: "Hi" } as const;

/** The client of a workspace, calling from its address; `seen` is the key of each try. */
const clientOf = (
  { apiKey, apiSecret, baseUrl, clientAddress }: TestWorkspace,
  { after = (answer) => answer, ...options }: Partial<Options> & { after?: (answer: Response) => Response } = {},
) => {
  const seen: (string | null)[] = [];
  const client = new Switchboard({
    apiKey,
    apiSecret,
    origin: baseUrl,
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers);
      seen.push(headers.get("idempotency-key"));
      headers.set("x-forwarded-for", clientAddress);
      return after(await fetch(url, { ...init, headers }));
    },
    ...options,
  });
  return { client, seen };
};

const refusalOf = async (call: Promise<unknown>): Promise<SwitchboardError> => {
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof SwitchboardError) return failure;
  throw new Error(`no refusal of the API: ${failure}`);
};

describe("200", () => {
  test("/docs/client.ts is the file that is tested here, with this deployment's address", async () => {
    const { status, headers, text } = await request("GET", `${testServers().baseUrl}/docs/client.ts`);
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(text).toContain(`const ORIGIN = "${testServers().baseUrl}";`);
    expect(text).toContain("export class Switchboard {");
  });

  test("an option or a filter that is undefined is as one that is not given", async () => {
    const workspace = await provisionWorkspace({ templates: [ORDER] });
    const unset = { maxRetries: undefined, maxWaitSeconds: undefined } as unknown as Partial<Options>;
    const { client, seen } = clientOf(workspace, {
      ...unset,
      after: (answer) => (answer.status === 201 ? new Response("", { status: 503 }) : answer),
    });
    const filter = { language: undefined } as unknown as Parameters<typeof client.listTemplates>[0];
    expect(await client.listTemplates(filter)).toHaveLength(1);
    // The first try is sent, and each further one finds it.
    await client.send(TEXT);
    expect(seen.length).toBeLessThanOrEqual(1 + 1 + 3);
    expect(
      () => new Switchboard({ apiKey: "a", apiSecret: "b", origin: undefined } as unknown as Options),
    ).not.toThrow();
  });

  test("a message is sent, waited for and read", async () => {
    const { client } = clientOf(await provisionWorkspace({ mode: "test" }));
    const sent = await client.send(TEXT);
    expect(sent).toMatchObject({ status: "SENT", idempotentReplay: false });
    const read = await client.waitFor(sent.id, { until: "READ", timeout: 20 });
    expect(read).toMatchObject({ id: sent.id, status: "READ" });
    expect(await client.getMessage(sent.id)).toEqual(read);
  });

  test("waiting ends at a failure, and at its time with the message as it stands", async () => {
    const { client } = clientOf(await provisionWorkspace({ mode: "test" }));
    const [failing, silent] = await Promise.all([
      client.send({ ...TEXT, phone: "447700900126" }),
      client.send({ ...TEXT, phone: "447700900001" }),
    ]);
    const [failed, waiting] = await Promise.all([
      client.waitFor(failing.id, { until: "DELIVERED" }),
      client.waitFor(silent.id, { until: "DELIVERED", timeout: 6 }),
    ]);
    expect([failed.status, failed.failureReason]).toEqual(["FAILED", expect.stringMatching(/^131026: /)]);
    expect(waiting).toMatchObject({ id: silent.id, status: "SENT" });
  });

  test("templates are listed over all their pages", async () => {
    const many = Array.from({ length: 101 }, (_, i) => templateRecord(`many_${i}`, ORDER.components));
    const { client, seen } = clientOf(await provisionWorkspace({ templates: many }));
    const names = (await client.listTemplates({ language: "en_US" })).map(({ name }) => name);
    expect([new Set(names).size, names.length, seen.length]).toEqual([101, 101, 2]);
  });

  test("an answer that is lost on its way is asked for again under the same key, and nothing is sent twice", async () => {
    const workspace = await provisionWorkspace();
    let answers = 0;
    const { client, seen } = clientOf(workspace, {
      after: (answer) => {
        answers += 1;
        if (answers === 1) throw new TypeError("the connection broke");
        return answer;
      },
    });
    expect(await client.send(TEXT)).toMatchObject({ status: "SENT", idempotentReplay: true });
    expect([seen.length, new Set(seen).size, typeof seen[0]]).toEqual([2, 1, "string"]);
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toHaveLength(1);
    expect(await countMessages(workspace)).toBe(1);
  });

  test("what may be retried is, after the seconds that the answer asks for", async () => {
    const workspace = await provisionWorkspace();
    await scriptMessages(workspace, [graphError(130429)]);
    const { client, seen } = clientOf(workspace);
    const startedAtMs = performance.now();
    expect(await client.send(TEXT, { idempotencyKey: "order-8812" })).toMatchObject({ status: "SENT" });
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(1_000);
    expect(seen).toEqual(["order-8812", "order-8812"]);
  });
});

describe("400", () => {
  test("a refusal that no retry fixes is reported at once, with its code and what to do", async () => {
    const workspace = await provisionWorkspace();
    const { client, seen } = clientOf(workspace);
    const { status, code, details } = await refusalOf(client.send({ ...TEXT, phone: "not a number" }));
    expect([status, code, details.field, seen.length]).toEqual([400, "VALIDATION_ERROR", "phone", 1]);
    expect(details.docsUrl).toBe(`${workspace.baseUrl}/docs/errors/VALIDATION_ERROR`);
  });
});

describe("409", () => {
  test("a key that was used for another message is a conflict, and is not tried again", async () => {
    const { client, seen } = clientOf(await provisionWorkspace());
    await client.send(TEXT, { idempotencyKey: "order-8812" });
    const again = client.send({ ...TEXT, content: "Ho" }, { idempotencyKey: "order-8812" });
    expect(await refusalOf(again)).toMatchObject({ status: 409, code: "IDEMPOTENCY_CONFLICT" });
    expect(seen).toHaveLength(2);
  });
});

describe("429", () => {
  beforeEach(awayFromWindowEdge);

  test("a wait beyond the caller's patience is reported at once instead of being slept through", async () => {
    const workspace = await provisionWorkspace();
    const calls = await callInParallel(100, () => workspace.call("GET", "/api/v1/public/nothing", { key: null }));
    expect(statuses(calls)).toEqual({ 404: 100 });
    const { client, seen } = clientOf(workspace, { maxWaitSeconds: 1 });
    const { status, code, details } = await refusalOf(client.getMessage("msg_1"));
    expect([status, code, details.scope, seen.length]).toEqual([429, "RATE_LIMIT_EXCEEDED", "ip", 1]);
    expect(details.retryAfterSeconds).toBeGreaterThan(1);
  });
});
