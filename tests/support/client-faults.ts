import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { reaching } from "./awaiting";
import { type ClientSettings, failureOf, type TESTED_CLIENTS } from "./clients";
import { startInstance, testServers } from "./environment";
import { type FaultProxy, type ProxyFault, startFaultProxy } from "./fault-proxy";
import { startRefusingPostgres } from "./refusing-postgres";
import { countMessages, sentBodies } from "./sends";
import { graphError, provisionWorkspace, scriptMessages, type TestWorkspace, type WorkspaceOptions } from "./workspace";

vi.setConfig({ testTimeout: 60_000 });

export const TEXT = { type: "text", phone: "447700900123", content: "Zoë’s order ✓" } as const;

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A workspace, a faulty proxy before the server, and the settings of a client behind it. */
export const scene = async (options: WorkspaceOptions = {}, baseUrl = testServers().baseUrl) => {
  const workspace = await provisionWorkspace(options);
  const proxy = await startFaultProxy(baseUrl, workspace.clientAddress);
  open.push(proxy.close);
  const { apiKey, apiSecret } = workspace;
  return { workspace, proxy, settings: { origin: proxy.url, apiKey, apiSecret } satisfies ClientSettings };
};

export const expectSentOnce = async (workspace: TestWorkspace): Promise<void> => {
  expect(await sentBodies(workspace)).toHaveLength(1);
  expect(await countMessages(workspace)).toBe(1);
};

export const expectOneKey = ({ calls }: FaultProxy, attempts: number): void => {
  expect(calls).toHaveLength(attempts);
  const keys = new Set(calls.map(({ idempotencyKey }) => idempotencyKey));
  expect([...keys]).toEqual([expect.stringMatching(/^[\w-]{36}$/)]);
};

/** Each fault of a network, a proxy and a gateway, and how a client behaves: it sends once, or says what it does not know. */
export const describeFaultsOf = ({ name, client, isSkipped }: (typeof TESTED_CLIENTS)[number]): void => {
  describe(`the client in ${name}`, () => {
    const it = test.skipIf(isSkipped);

    it("repeats a send whose connection was cut before the server had all of it, and sends it once", async () => {
      const { workspace, proxy, settings } = await scene();
      proxy.next("cut-before", "cut-half-request");
      const message = await client.send(settings, TEXT);
      expect(message).toMatchObject({ status: "SENT", idempotentReplay: false });
      expectOneKey(proxy, 3);
      await expectSentOnce(workspace);
    });

    test.skipIf(isSkipped).each<ProxyFault>(["cut-after", "cut-half-response", "gateway-timeout"])(
      "gets the first message when its response was lost (%s), and sends it once",
      async (fault) => {
        const { workspace, proxy, settings } = await scene();
        proxy.next(fault);
        expect(await client.send(settings, TEXT)).toMatchObject({ status: "SENT", idempotentReplay: true });
        expectOneKey(proxy, 2);
        await expectSentOnce(workspace);
      },
    );

    it("gives up an attempt without a response, repeats it, and sends it once", async () => {
      const { workspace, proxy, settings } = await scene();
      proxy.next("silence");
      const message = await client.send({ ...settings, timeoutSeconds: 2 }, TEXT);
      expect(message).toMatchObject({ status: "SENT", idempotentReplay: true });
      expectOneKey(proxy, 2);
      await expectSentOnce(workspace);
    });

    it("gets the message of a send that was cut after its claim, while WhatsApp was called", async () => {
      const { workspace, proxy, settings } = await scene();
      await scriptMessages(workspace, [{ delayMs: 1_500 }]);
      proxy.next("cut-at-work");
      const { id, idempotentReplay } = await client.send(settings, TEXT);
      expect(idempotentReplay).toBe(true);
      await reaching(workspace, id, "SENT");
      expectOneKey(proxy, 2);
      await expectSentOnce(workspace);
    });

    it("reports a refusal whose response was lost as a message that failed", async () => {
      const { workspace, proxy, settings } = await scene();
      await scriptMessages(workspace, [graphError(131026)]);
      proxy.next("cut-after");
      const message = await client.send(settings, TEXT);
      expect(message).toMatchObject({ status: "FAILED", failureReason: expect.stringMatching(/^131026: /) });
      await expectSentOnce(workspace);
    });

    it("never repeats an unknown outcome by itself, and reads it again under its key", async () => {
      const { workspace, proxy, settings } = await scene();
      await scriptMessages(workspace, [{ hangUp: "before" }]);
      const failure = await failureOf(client.send(settings, TEXT));
      expect(failure).toMatchObject({
        name: "ChatGraphError",
        code: "CHAT_GRAPH_ERROR",
        status: 502,
        details: { outcome: "unknown", retryable: false, messageId: expect.stringMatching(/^msg_/) },
      });
      expectOneKey(proxy, 1);
      const again = await client.send(settings, TEXT, failure.idempotencyKey);
      expect(again).toMatchObject({ id: failure.details?.messageId, status: "UNKNOWN", idempotentReplay: true });
      expectOneKey(proxy, 2);
      await expectSentOnce(workspace);
    });

    it("repeats a 502 that was not sent and may be retried, after the seconds it asks for", async () => {
      const { workspace, proxy, settings } = await scene();
      await scriptMessages(workspace, [graphError(130429)]);
      expect(await client.send(settings, TEXT)).toMatchObject({ status: "SENT", idempotentReplay: false });
      expectOneKey(proxy, 2);
      const [first, second] = proxy.calls;
      expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1_000);
      expect(await sentBodies(workspace)).toHaveLength(2);
      expect(await countMessages(workspace)).toBe(1);
    });

    it("waits for Retry-After between the attempts of a 429, and reports the last", async () => {
      const { workspace, proxy, settings } = await scene({ mode: "test" });
      const limited = { ...TEXT, phone: "447700900429" };
      const failure = await failureOf(client.send({ ...settings, maxRetries: 1 }, limited));
      expect(failure).toMatchObject({ name: "RateLimitExceededError", status: 429, details: { scope: "key" } });
      expectOneKey(proxy, 2);
      const [first, second] = proxy.calls;
      expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1_000);
      expect(await countMessages(workspace)).toBe(0);
    });

    it("reports a wait beyond its deadline at once", async () => {
      const { proxy, settings } = await scene({ mode: "test" });
      const limited = { ...TEXT, phone: "447700900429" };
      const failure = await failureOf(client.send({ ...settings, deadlineSeconds: 1 }, limited));
      expect(failure).toMatchObject({ status: 429, idempotencyKey: proxy.calls[0]?.idempotencyKey });
      expect(proxy.calls).toHaveLength(1);
    });

    it("repeats a 503 of a database that was unavailable, and sends it once", async () => {
      const postgres = await startRefusingPostgres(testServers().environment.DATABASE_URL ?? "");
      const instance = await startInstance({ DATABASE_URL: postgres.url }, "API");
      onTestFinished(async () => {
        await instance.stop();
        await postgres.stop();
      });
      const { workspace, proxy, settings } = await scene({}, instance.baseUrl);
      postgres.refuse({ at: "statement", severity: "ERROR", code: "53300" });
      const sending = client.send({ ...settings, maxRetries: 5 }, TEXT);
      await vi.waitFor(() => expect(proxy.calls[0]?.status).toBe(503), { timeout: 20_000 });
      postgres.heal();
      expect(await sending).toMatchObject({ status: "SENT", idempotentReplay: false });
      expect(proxy.calls.length).toBeGreaterThanOrEqual(2);
      expectOneKey(proxy, proxy.calls.length);
      await expectSentOnce(workspace);
    });

    it.each([400, 401, 404, 409])("does not repeat a %i", async (status) => {
      const { workspace, proxy, settings } = await scene();
      await client.send(settings, TEXT, "order-1 ✓");
      const calls: Record<number, () => Promise<unknown>> = {
        400: () => client.send(settings, { ...TEXT, phone: "not a number" }),
        401: () => client.send({ ...settings, apiSecret: "sk_live_wrong" }, TEXT),
        404: () => client.getMessage(settings, "msg_unknown"),
        409: () => client.send(settings, { ...TEXT, content: "Another" }, "order-1 ✓"),
      };
      const names = { 400: "ValidationError", 401: "UnauthorizedError", 404: "NotFoundError" };
      const name = { ...names, 409: "IdempotencyConflictError" }[status];
      expect(await failureOf(calls[status]?.() ?? Promise.resolve())).toMatchObject({ name, status });
      expect(proxy.calls).toHaveLength(2);
      await expectSentOnce(workspace);
    });
  });
};
