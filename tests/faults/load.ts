import { setTimeout as sleep } from "node:timers/promises";
import { outgoing } from "./client";
import { recipientFor } from "./platform";
import type { Scene } from "./scene";
import type { Instance } from "./world";

/** One request of the load, as its client saw it. */
export type Seen = {
  baseUrl: string;
  kind: "status" | "health";
  status: number;
  startedAtMs: number;
  ms: number;
};

const GIVE_UP_AFTER_MS = 16_000;

/**
 * Clients that send, ask for a status and look at the health of every instance, one after the other, until they are stopped.
 * Senders repeat a message with its key until its answer is final.
 */
export const startLoad = async (scene: Scene, instances: Instance[], { senders = 6 } = {}) => {
  const seen: Seen[] = [];
  const first = await scene.sendForSure(outgoing(recipientFor("well")));
  const { apiKey, apiSecret } = scene.workspace;
  let isOver = false;

  const ask = async (kind: Seen["kind"], baseUrl: string, path: string) => {
    const startedAtMs = Date.now();
    const init = { headers: { apiKey, apiSecret }, signal: AbortSignal.timeout(GIVE_UP_AFTER_MS) };
    const status = await fetch(`${baseUrl}${path}`, init).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    seen.push({ baseUrl, kind, status, startedAtMs, ms: Date.now() - startedAtMs });
    await sleep(20);
  };
  const untilOver = async (work: () => Promise<unknown>) => {
    while (!isOver) await work();
  };
  const clients = [
    ...Array.from({ length: senders }, (_, sender) =>
      untilOver(async () => {
        await scene.sendForSure(outgoing(recipientFor("well")), sender % 2 ? instances : instances.toReversed());
        await sleep(10);
      }),
    ),
    ...instances.flatMap(({ baseUrl }) => [
      untilOver(() => ask("status", baseUrl, `/api/v1/public/messages/${first?.messageId}`)),
      untilOver(() => ask("health", baseUrl, "/api/health/ready")),
    ]),
  ];
  return {
    seen,
    /** When the first send that began after `atMs` was answered well, counted from there; null where none was. */
    firstSendAfter: (atMs: number): number | null => {
      const ends = scene.answers
        .filter(({ status, endedAtMs, ms }) => status === 201 && endedAtMs - ms >= atMs)
        .map(({ endedAtMs }) => endedAtMs - atMs);
      return ends.length === 0 ? null : Math.min(...ends);
    },
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
    },
  };
};

/**
 * What a load was answered other than well. Only a server that is on its way down or up may break a connection or say
 * 503, and only then.
 */
export const strangeAnswers = ({ answers }: Scene, seen: Seen[], instances: Instance[]): string[] => {
  const wasDown = (baseUrl: string, fromMs: number, untilMs: number) =>
    instances.some(
      (instance) =>
        instance.baseUrl === baseUrl &&
        instance.downtimes.some((down) => down.fromMs <= untilMs && fromMs <= down.untilMs),
    );
  const all = [
    ...seen,
    ...answers.map(({ endedAtMs, ...answer }) => ({ ...answer, kind: "send", startedAtMs: endedAtMs - answer.ms })),
  ];
  return all
    .filter(({ status }) => status !== 200 && status !== 201)
    .filter(({ status, baseUrl, startedAtMs, ms }) => {
      const mayFail = status === 0 || status === 503;
      return !(mayFail && wasDown(baseUrl, startedAtMs, startedAtMs + ms));
    })
    .map(({ kind, status, ms }) => `${kind} was answered ${status} after ${Math.round(ms)} ms`);
};
