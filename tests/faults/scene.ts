import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql, TransactionSql } from "postgres";
import { provisionWorkspace, statusWebhook, type TestWorkspace } from "../support/workspace";
import { askOnce, type Outgoing, PICTURE, sendWithRetries } from "./client";
import {
  type Change,
  type ClientAnswer,
  checkHistory,
  type History,
  judgedIn,
  type MessageRow,
  type Violation,
} from "./history";
import type { LoggedCall } from "./platform";
import type { Instance, World } from "./world";

/** What a fault has shown: how often it was produced, the slowest recovery, and all that went wrong. */
export type Finding = { runs: number; recoveryMs: number | null; faults: string[]; notes: string[] };

/** A workspace of its own, its clients, and what they and WhatsApp saw. */
export type Scene = {
  workspace: TestWorkspace;
  answers: ClientAnswer[];
  send: (instance: Instance, message: Outgoing) => Promise<ClientAnswer>;
  /** The same message with a picture. */
  withPicture: (message: Outgoing) => Outgoing;
  /** Over both instances, until an answer is final. */
  sendForSure: (message: Outgoing, instances?: Instance[]) => Promise<ClientAnswer | undefined>;
  calls: () => LoggedCall[];
  /**
   * WhatsApp tells of what it has accepted, all or one recipient's, until the server has taken it; answers with how
   * long that took.
   */
  tell: (instance: Instance, words?: string[], recipient?: string) => Promise<number>;
  /** The same for what it has not reported yet. */
  tellRest: (instance: Instance) => Promise<number>;
  /** What WhatsApp signs with from here on. */
  signWith: (secret: string) => void;
  /** Each key once more, or forty of them where there are more. */
  askAgain: (instance: Instance) => Promise<unknown>;
  rows: () => Promise<MessageRow[]>;
  /** As if every lease had run out: a minute of waiting, without the minute. */
  expireLeases: () => Promise<unknown>;
  /** Until the sweeper has settled every row whose lease has run out. */
  sweep: (instance: Instance) => Promise<void>;
  check: (options?: { isSwept: boolean }) => Promise<Violation[]>;
};

const KEYS_ASKED_AGAIN = 40;
const TELLERS = 8;
/** Only a plan with a limit counts in `usage`. */
const FAR_LIMIT = 1_000_000;

export const createScene = async (
  { platform, sql, environment, judged }: World,
  instances: Instance[],
  options: Parameters<typeof provisionWorkspace>[0] = {},
): Promise<Scene> => {
  const workspace = await provisionWorkspace({ templates: [PICTURE], messageLimit: FAR_LIMIT, ...options });
  const { workspaceId, apiKey, apiSecret } = workspace;
  const lineIds = Object.values(workspace.lines).map((line) => line.whatsappPhoneNumberId);
  const answers: ClientAnswer[] = [];
  const asked = new Map<string, Outgoing>();
  const reported = new Set<string>();
  let appSecret = environment.WHATSAPP_APP_SECRET ?? "";
  const calls = () => platform.calls.filter(({ lineId }) => lineIds.includes(lineId));

  const rows = async () => [...(await readRows(sql, workspaceId))];

  /** Read in one snapshot, because what a server still has to write may come between two queries. */
  const history = (isSwept: boolean): Promise<History> =>
    sql.begin("isolation level repeatable read read only", async (tx) => {
      const changes = await tx<Change[]>`
        select id, attempt, phase, status from observed_changes where workspace_id = ${workspaceId} order by serial`;
      const [usage] = await tx<{ used: number }[]>`
        select coalesce(sum(used), 0)::int as used from usage where workspace_id = ${workspaceId}`;
      return {
        calls: calls(),
        reported: [...reported],
        rows: [...(await readRows(tx, workspaceId))],
        changes: [...changes],
        answers,
        usedUnits: usage?.used ?? 0,
        isSwept,
      };
    });

  const tellOf = async (accepted: LoggedCall[], instance: Instance, words = ["sent", "delivered"]) => {
    const startedAtMs = performance.now();
    const queue = [...accepted];
    const work = async () => {
      for (let call = queue.shift(); call; call = queue.shift()) {
        const { lineId, messageId, whatsappMessageId, recipient } = call;
        const line = Object.values(workspace.lines).find((one) => one.whatsappPhoneNumberId === lineId);
        if (!line) continue;
        const items = words.map((status) => ({
          id: whatsappMessageId ?? "",
          status,
          ...(messageId === null ? {} : { biz_opaque_callback_data: messageId }),
        }));
        await postSigned(instance.baseUrl, statusWebhook(line, items), appSecret);
        reported.add(recipient);
      }
    };
    await Promise.all(Array.from({ length: TELLERS }, work));
    return performance.now() - startedAtMs;
  };

  const send = async (instance: Instance, message: Outgoing) => {
    if (!asked.has(message.key)) asked.set(message.key, message);
    const answer = await askOnce(instance.baseUrl, { apiKey, apiSecret }, message);
    answers.push(answer);
    return answer;
  };

  return {
    workspace,
    answers,
    calls,
    rows,
    send,
    withPicture: (message) => ({ ...message, pictureLink: platform.newPicture() }),
    sendForSure: async (message, over = instances) => {
      asked.set(message.key, message);
      const all = await sendWithRetries(
        over.map(({ baseUrl }) => baseUrl),
        { apiKey, apiSecret },
        message,
      );
      answers.push(...all);
      return all.at(-1);
    },
    tell: (instance, words, only) =>
      tellOf(
        calls().filter(({ isAccepted, recipient }) => isAccepted && recipient === (only ?? recipient)),
        instance,
        words,
      ),
    tellRest: (instance) =>
      tellOf(
        calls().filter(({ isAccepted, recipient }) => isAccepted && !reported.has(recipient)),
        instance,
      ),
    signWith: (secret) => {
      appSecret = secret;
    },
    askAgain: (instance) => {
      const all = [...asked.values()];
      const step = Math.max(1, Math.ceil(all.length / KEYS_ASKED_AGAIN));
      return Promise.all(all.filter((_, i) => i % step === 0).map((message) => send(instance, message)));
    },
    expireLeases: () =>
      sql`update messages set lease_expires_at = now() - interval '1 second'
        where workspace_id = ${workspaceId} and phase in ('ACCEPTED', 'DISPATCHING')`,
    sweep: async (instance) => {
      const headers = { authorization: `Bearer ${environment.CRON_SECRET}` };
      const isSwept = async () => {
        const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
        const { ok } = await fetch(`${instance.baseUrl}/api/cron/sweep`, { headers, signal }).catch((cause) => {
          throw new Error("a sweep was not answered", { cause });
        });
        const [left] = await sql`
          select from messages where workspace_id = ${workspaceId}
            and phase in ('ACCEPTED', 'DISPATCHING') and lease_expires_at < now() limit 1`;
        return ok && !left;
      };
      if ((await timeUntil(isSwept, SWEPT_WITHIN_MS)) === null) throw new Error("the sweeper left a row behind");
    },
    check: async ({ isSwept } = { isSwept: false }) => {
      const seen = await history(isSwept);
      for (const invariant of judgedIn(seen)) judged.add(invariant);
      return checkHistory(seen);
    },
  };
};

const SWEPT_WITHIN_MS = 10_000;
/** Longer than any call takes: what is not answered by then never is, and is named instead of waited for. */
const ANSWERED_WITHIN_MS = 60_000;

const readRows = (sql: Sql | TransactionSql, workspaceId: string) => sql<MessageRow[]>`
  select id, phone as recipient, phase, status,
    extract(epoch from clock_timestamp() - created_at)::float8 as "ageSeconds"
  from messages where workspace_id = ${workspaceId} order by created_at, id`;

/** What a webhook that is signed with `secret` is answered; 0 where the connection broke. */
export const signedStatusOf = (baseUrl: string, body: unknown, secret: string): Promise<number> => {
  const raw = JSON.stringify(body);
  const signature = `sha256=${createHmac("sha256", secret).update(raw).digest("hex")}`;
  return fetch(`${baseUrl}/api/webhooks/whatsapp`, {
    method: "POST",
    body: raw,
    headers: { "content-type": "application/json", "x-hub-signature-256": signature },
    signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
  }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
};

/** Repeated until it is taken, as WhatsApp does; throws when it was not for 20 s, or as long as is said. */
export const postSigned = async (
  baseUrl: string,
  body: unknown,
  secret: string,
  { withinMs = 20_000, maxPauseMs = 2_000 }: { withinMs?: number; maxPauseMs?: number } = {},
): Promise<void> => {
  const deadlineMs = Date.now() + withinMs;
  for (let pauseMs = 100; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
    const status = await signedStatusOf(baseUrl, body, secret);
    if (status === 200) return;
    if (Date.now() > deadlineMs) throw new Error(`a webhook was answered ${status} for ${withinMs / 1_000} s`);
    await sleep(pauseMs * (0.5 + Math.random()));
  }
};

/** All that is wrong with a scene, in words. */
export const faultsOf = async (scene: Scene, where: string, options?: { isSwept: boolean }): Promise<string[]> =>
  (await scene.check(options)).map(({ invariant, what }) => `${where}: ${invariant}: ${what}`);

/**
 * How a scene ends: the leases run out and the sweeper comes, WhatsApp tells of everything, and every client asks
 * once more with its key. By then each invariant has something to classify.
 */
export const faultsAtEnd = async (scene: Scene, instance: Instance, where: string): Promise<string[]> => {
  await scene.expireLeases();
  await scene.sweep(instance);
  const swept = await faultsOf(scene, `${where}, swept`, { isSwept: true });
  await scene.tellRest(instance);
  await scene.askAgain(instance);
  await scene.tellRest(instance);
  return [...swept, ...(await faultsOf(scene, `${where}, at the end`))];
};

/** Resolves with the milliseconds until `isTrue`; with null after `withinMs`. */
export const timeUntil = async (isTrue: () => Promise<boolean> | boolean, withinMs: number): Promise<number | null> => {
  const startedAtMs = performance.now();
  for (;;) {
    if (await isTrue()) return performance.now() - startedAtMs;
    if (performance.now() - startedAtMs > withinMs) return null;
    await sleep(10);
  }
};
