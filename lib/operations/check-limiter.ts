import { env } from "@/lib/core/env";
import { type Finding, failed, passed, warned } from "@/lib/core/finding";
import { isRecord, readJson } from "@/lib/core/json";
import { UPSTASH_DEADLINE_MS } from "@/lib/limits/upstash-limit";
import { type Answer, askAddress } from "./ask-address";

// A script, as the limiter runs one: a read-only token would also pass a plain PING.
const PING = JSON.stringify(["EVAL", "return ARGV[1]", "0", "PONG"]);
const TRIES = 3;
const MAX_QUOTED_CHARACTERS = 200;

export async function checkLimiter(): Promise<Finding[]> {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env();
  if (!url || !token) return [passed("limiter", "The rate limits are kept in Postgres")];
  const { host } = new URL(url);
  let quickestMs = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES; n++) {
    const answer = await askAddress(url, { method: "POST", body: PING, headers: { authorization: `Bearer ${token}` } });
    if ("fault" in answer) {
      const advice = "Copy UPSTASH_REDIS_REST_URL again from the database’s page at Upstash, under REST API.";
      return [failed("limiter", `The limiter’s store ${host}: ${answer.fault}`, advice)];
    }
    const refusal = refusalOf(answer, host);
    if (refusal) return [refusal];
    quickestMs = Math.min(quickestMs, answer.answeredAtMs - answer.askedAtMs);
  }
  return [judgePace(host, quickestMs)];
}

function judgePace(host: string, ms: number): Finding {
  if (ms <= UPSTASH_DEADLINE_MS) return passed("limiter", `The limiter’s store ${host} answers in ${ms} ms`);
  const words = `The limiter’s store ${host} takes ${ms} ms, and a request waits ${UPSTASH_DEADLINE_MS} ms for it`;
  return warned("limiter", words, "Move it to the region of the server; until then each process counts separately.");
}

function refusalOf({ status, text }: Answer, host: string): Finding | undefined {
  const { result, error } = readAnswer(text);
  if (status === 200 && result === "PONG") return undefined;
  if (status === 401 || status === 403 || /^(WRONGPASS|Unauthorized)/i.test(error ?? "")) {
    const advice = "Copy UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN again: both belong to one database.";
    return failed("limiter", `The limiter’s store ${host} refuses the token`, advice);
  }
  if (error?.startsWith("NOPERM")) {
    const advice = "Take the standard token as UPSTASH_REDIS_REST_TOKEN, not the read-only one.";
    return failed("limiter", `The limiter’s store ${host} lets this token only read`, advice);
  }
  if (error !== undefined) {
    const words = `The limiter’s store ${host} refuses: ${error.slice(0, MAX_QUOTED_CHARACTERS)}`;
    return failed("limiter", words, "Look at the database’s page at Upstash.");
  }
  const words = `${host} answers HTTP ${status}, and not as Upstash’s REST API does`;
  return failed("limiter", words, "UPSTASH_REDIS_REST_URL is the https address under REST API, not the redis:// one.");
}

function readAnswer(text: string): { result?: unknown; error?: string | undefined } {
  const body = readJson(text);
  if (!isRecord(body)) return {};
  return { result: body.result, error: typeof body.error === "string" ? body.error : undefined };
}
