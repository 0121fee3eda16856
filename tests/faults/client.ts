import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { bodyOf as bodyComponent, imageHeader, templateRecord } from "../support/template-records";
import type { ClientAnswer } from "./history";

export type Outgoing = {
  recipient: string;
  key: string;
  text: string;
  phoneNumberId?: string | undefined;
  /** Where the message has a picture that is uploaded first, so that claim and dispatch mark are two statements. */
  pictureLink?: string | undefined;
};

export type Credentials = { apiKey: string; apiSecret: string };

/** The template of messages with a picture. */
export const PICTURE = templateRecord("picture", [imageHeader, bodyComponent("Hello")]);

const GIVE_UP_AFTER_MS = 16_000;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 2_000;

export const outgoing = (recipient: string, text = "Hello"): Outgoing => ({ recipient, key: randomUUID(), text });

const bodyOf = ({ recipient, text, phoneNumberId, pictureLink }: Outgoing) =>
  pictureLink === undefined
    ? { type: "text", phone: recipient, content: text, phoneNumberId }
    : {
        type: "template",
        phone: recipient,
        templateName: PICTURE.name,
        templateVariables: { header_link: pictureLink },
      };

/** One request, whatever its outcome. */
export const askOnce = async (
  baseUrl: string,
  { apiKey, apiSecret }: Credentials,
  message: Outgoing,
): Promise<ClientAnswer> => {
  const { recipient, key } = message;
  const startedAtMs = performance.now();
  const answer = (seen: Pick<ClientAnswer, "status" | "messageId" | "outcome" | "isHung">): ClientAnswer => ({
    baseUrl,
    recipient,
    key,
    endedAtMs: Date.now(),
    ms: performance.now() - startedAtMs,
    ...seen,
  });
  try {
    const response = await fetch(`${baseUrl}/api/v1/public/messages/send`, {
      method: "POST",
      headers: { "content-type": "application/json", apiKey, apiSecret, "idempotency-key": key },
      body: JSON.stringify(bodyOf(message)),
      signal: AbortSignal.timeout(GIVE_UP_AFTER_MS),
    });
    const { data, details } = JSON.parse(await response.text());
    return answer({
      status: response.status,
      messageId: data?.id ?? details?.messageId ?? null,
      outcome: details?.outcome ?? null,
      isHung: false,
    });
  } catch (error) {
    const isHung = error instanceof Error && error.name === "TimeoutError";
    return answer({ status: 0, messageId: null, outcome: null, isHung });
  }
};

/**
 * As a careful partner does: the same key at the next server, with a growing pause, after a broken connection, a 429, a
 * 503 and a 502 that says that nothing was sent. An unknown outcome is final for it. Answers with every answer.
 */
export const sendWithRetries = async (
  baseUrls: string[],
  credentials: Credentials,
  message: Outgoing,
  { attempts = 8 }: { attempts?: number } = {},
): Promise<ClientAnswer[]> => {
  const answers: ClientAnswer[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const answer = await askOnce(baseUrls[attempt % baseUrls.length] ?? "", credentials, message);
    answers.push(answer);
    if (!mayRetry(answer)) break;
    await sleep(Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt) * (0.75 + Math.random() / 2));
  }
  return answers;
};

const mayRetry = ({ status, outcome }: ClientAnswer) =>
  status === 0 || status === 429 || status === 503 || (status === 502 && outcome === "not_sent");
