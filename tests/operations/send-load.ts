import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { PHONE } from "../support/sends";
import { platformRequests, request, type TestWorkspace } from "../support/workspace";

const LANES = 8;
const PAUSE_MS = 20;

/** One send, whose text is its key: its HTTP status, with the message's status if it is a replay, or why there was none. */
export const sendOnce = (baseUrl: string, { apiKey, apiSecret }: TestWorkspace, key: string): Promise<string> =>
  request("POST", `${baseUrl}/api/v1/public/messages/send`, {
    body: JSON.stringify({ type: "text", phone: PHONE, content: key }),
    headers: { apiKey, apiSecret, "Content-Type": "application/json", "Idempotency-Key": key },
    signal: AbortSignal.timeout(30_000),
  }).then(
    ({ status, body }) => (status === 200 ? `200 ${body.data.status}` : `${status}`),
    (error: unknown) => String(error),
  );

export type Attempt = { key: string; outcome: string; endedAtMs: number };

/** Eight clients that send one message after the other, to the servers in turn, and repeat each until it has left PENDING. */
export const startLoad = (baseUrls: readonly string[], workspace: TestWorkspace) => {
  const attempts: Attempt[] = [];
  let isOver = false;
  const untilSent = async (key: string) => {
    for (;;) {
      const baseUrl = baseUrls[attempts.length % baseUrls.length] ?? "";
      const outcome = await sendOnce(baseUrl, workspace, key);
      attempts.push({ key, outcome, endedAtMs: performance.now() });
      if (outcome === "201" || /^200 (?!PENDING)/.test(outcome)) return;
      await sleep(200);
    }
  };
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let serial = 0; !isOver; serial++) {
      await untilSent(`${lane}-${serial}-${randomBytes(4).toString("hex")}`);
      await sleep(PAUSE_MS);
    }
  });
  return {
    attempts,
    stop: async () => {
      isOver = true;
      await Promise.all(lanes);
      return countOutcomes(attempts);
    },
  };
};

const countOutcomes = (attempts: readonly Attempt[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { outcome } of attempts) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
};

/** How many of the keys did not reach WhatsApp, and how many did more than once. */
export const countSends = async (workspace: TestWorkspace, keys: Iterable<string>) => {
  const counts = new Map([...keys].map((key) => [key, 0]));
  for (const { body } of await platformRequests(workspace.whatsappPhoneNumberId, "messages")) {
    const key: string = JSON.parse(body).text.body;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const times = [...counts.values()];
  return { lost: times.filter((count) => count === 0).length, doubles: times.filter((count) => count > 1).length };
};
