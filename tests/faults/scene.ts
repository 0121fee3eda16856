import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { provisionWorkspace, statusWebhook, type TestWorkspace } from "../support/workspace";
import { askOnce, type Outgoing, sendWithRetries } from "./client";
import { type Change, type ClientAnswer, checkHistory, type History, type MessageRow, type Violation } from "./history";
import type { LoggedCall } from "./platform";
import type { Instance, World } from "./world";

/** What a fault has shown: how often it was produced, the slowest recovery, and all that went wrong. */
export type Finding = { runs: number; recoveryMs: number | null; faults: string[]; notes: string[] };

/** A workspace of its own, its clients, and what they and the platform saw. */
export type Scene = {
  workspace: TestWorkspace;
  answers: ClientAnswer[];
  send: (instance: Instance, message: Outgoing) => Promise<ClientAnswer>;
  /** Over both instances, until an answer is final. */
  sendForSure: (message: Outgoing, instances?: Instance[]) => Promise<ClientAnswer | undefined>;
  calls: () => LoggedCall[];
  /**
   * The platform tells of what it has accepted, all or one recipient's, until the server has taken it; answers with how
   * long that took.
   */
  tell: (instance: Instance, words?: string[], recipient?: string) => Promise<number>;
  rows: () => Promise<MessageRow[]>;
  /** As if every lease had run out: a minute of waiting, without the minute. */
  expireLeases: () => Promise<unknown>;
  sweep: (instance: Instance) => Promise<unknown>;
  history: () => Promise<History>;
  check: () => Promise<Violation[]>;
};

export const createScene = async (
  { platform, sql, environment }: World,
  instances: Instance[],
  options: Parameters<typeof provisionWorkspace>[0] = {},
): Promise<Scene> => {
  const workspace = await provisionWorkspace(options);
  const { workspaceId, apiKey, apiSecret } = workspace;
  const lineIds = Object.values(workspace.lines).map((line) => line.whatsappPhoneNumberId);
  const answers: ClientAnswer[] = [];
  const told = new Set<string>();
  const calls = () => platform.calls.filter(({ lineId }) => lineIds.includes(lineId));

  const rows = async () =>
    sql<MessageRow[]>`
      select id, phone as recipient, phase, status, extract(epoch from clock_timestamp() - created_at)::float8 as "ageSeconds"
      from messages where workspace_id = ${workspaceId} order by created_at, id`;

  const history = async (): Promise<History> => {
    const changes = await sql<Change[]>`
      select id, attempt, phase, status from observed_changes where workspace_id = ${workspaceId} order by serial`;
    const [usage] = await sql<{ used: number }[]>`
      select coalesce(sum(used), 0)::int as used from usage where workspace_id = ${workspaceId}`;
    return {
      ...{ calls: calls(), told: [...told], rows: [...(await rows())], changes: [...changes], answers },
      usedUnits: usage?.used ?? 0,
    };
  };

  return {
    ...{ workspace, answers, calls, rows, history },
    send: async (instance, message) => {
      const answer = await askOnce(instance.baseUrl, { apiKey, apiSecret }, message);
      answers.push(answer);
      return answer;
    },
    sendForSure: async (message, over = instances) => {
      const all = await sendWithRetries(
        over.map(({ baseUrl }) => baseUrl),
        { apiKey, apiSecret },
        message,
      );
      answers.push(...all);
      return all.at(-1);
    },
    tell: async (instance, words = ["sent", "delivered"], only) => {
      const accepted = calls().filter((call) => call.isAccepted && call.recipient === (only ?? call.recipient));
      const startedAtMs = performance.now();
      for (const call of accepted) {
        const line = Object.values(workspace.lines).find((one) => one.whatsappPhoneNumberId === call.lineId);
        if (!line) continue;
        const items = words.map((status) => ({
          ...{ id: call.whatsappMessageId ?? "", status },
          ...(call.messageId === null ? {} : { biz_opaque_callback_data: call.messageId }),
        }));
        await postSigned(instance.baseUrl, statusWebhook(line, items), environment.WHATSAPP_APP_SECRET ?? "");
        told.add(call.recipient);
      }
      return performance.now() - startedAtMs;
    },
    expireLeases: () =>
      sql`update messages set lease_expires_at = now() - interval '1 second'
        where workspace_id = ${workspaceId} and phase in ('ACCEPTED', 'DISPATCHING')`,
    sweep: (instance) =>
      fetch(`${instance.baseUrl}/api/cron/sweep`, { headers: { authorization: `Bearer ${environment.CRON_SECRET}` } }),
    check: async () => checkHistory(await history()),
  };
};

/** Repeated until it is taken, as the platform does; throws after 20 s. */
export const postSigned = async (baseUrl: string, body: unknown, secret: string): Promise<void> => {
  const raw = JSON.stringify(body);
  const signature = `sha256=${createHmac("sha256", secret).update(raw).digest("hex")}`;
  const deadlineMs = Date.now() + 20_000;
  for (let pauseMs = 100; ; pauseMs = Math.min(2_000, pauseMs * 2)) {
    const status = await fetch(`${baseUrl}/api/webhooks/whatsapp`, {
      method: "POST",
      body: raw,
      headers: { "content-type": "application/json", "x-hub-signature-256": signature },
    }).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    if (Date.now() > deadlineMs) throw new Error(`a webhook was answered ${status} for 20 s`);
    await sleep(pauseMs);
  }
};

/** All that is wrong with a scene, in words. */
export const faultsOf = async (scene: Scene, where: string): Promise<string[]> =>
  (await scene.check()).map(({ invariant, what }) => `${where}: ${invariant}: ${what}`);

/** Resolves with the milliseconds until `isTrue`; with null after `withinMs`. */
export const timeUntil = async (isTrue: () => Promise<boolean> | boolean, withinMs: number): Promise<number | null> => {
  const startedAtMs = performance.now();
  for (;;) {
    if (await isTrue()) return performance.now() - startedAtMs;
    if (performance.now() - startedAtMs > withinMs) return null;
    await sleep(10);
  }
};
