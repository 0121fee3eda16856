import type { IncomingHttpHeaders } from "node:http";
import type { PlatformError } from "@/lib/core/app-error";
import { isRecord, readExactJson } from "@/lib/core/json";
import { AMBIGUOUS_CODES, CODE_RULES, type CodeRule, DEAD_TOKEN_CODES } from "./error-codes";
import { asSentence, reasonText } from "./wire";

/** A WhatsApp error from a response or a status webhook, normalized and safe to store. */
export type GraphError = {
  code: number;
  subcode: number | null;
  title: string | null;
  message: string | null;
  details: string | null;
  /** `error_data` was a text and no object: it adds to the message, while an object's details are the better one. */
  isTextData?: boolean;
  fbtraceId: string | null;
  isTransient: boolean;
};

export type Refusal = {
  outcome: "refused";
  /** `platform`: the line's owner, the operator or WhatsApp must act; `caller`: another request can pass. */
  blame: "caller" | "platform";
  /** The cause is temporary; `retryAfterSeconds` says how long, and is null for every other refusal. */
  retryable: boolean;
  throttled: "line" | "pair" | null;
  template: "not_approved" | "differs" | null;
  isTokenDead: boolean;
  title: string | null;
  fix: string | null;
  retryAfterSeconds: number | null;
};

export type GraphResult =
  | { outcome: "ok"; httpStatus: number; body: unknown }
  | { outcome: "refused"; httpStatus: number; error: GraphError; judgement: Refusal }
  /** No byte of the request left this machine. */
  | { outcome: "not_sent"; reason: string }
  /** Bytes may have left, but no usable response arrived. Both reasons are clauses: no capital letter, no period. */
  | { outcome: "unknown"; reason: string; error?: GraphError };

export type Classification = Refusal | { outcome: "unknown" };

const MAX_INT32 = 2 ** 31 - 1;

/** Reads `{error: {code, …}}` from a response of WhatsApp or its edge; undefined without a code. */
export function readGraphError(body: unknown): GraphError | undefined {
  return isRecord(body) ? readErrorObject(body.error) : undefined;
}

/** Parses one error object, also from `statuses[].errors[]`; `error_data` may be an object, a string or absent. */
export function readErrorObject(raw: unknown): GraphError | undefined {
  const code = isRecord(raw) ? int32(raw.code) : null;
  return isRecord(raw) && code !== null ? { code, ...readTexts(raw) } : undefined;
}

/** Returns the text of an error of `errors[]` that has no usable code; null without any. */
export function codelessReason(raw: unknown): string | null {
  return isRecord(raw) ? textOf(readTexts(raw)) : text(raw);
}

type Texts = Omit<GraphError, "code">;

function readTexts(raw: Record<string, unknown>): Texts {
  const { error_data: given } = raw;
  // Some edges write the object as a text.
  const data = typeof given === "string" ? readExactJson(given) : given;
  const details = text(isRecord(data) ? data.details : given);
  return {
    subcode: int32(raw.error_subcode),
    title: text(raw.title) ?? text(raw.error_user_title),
    message: text(raw.message),
    details: details ?? text(raw.error_user_msg),
    ...(details === null || isRecord(data) ? {} : { isTextData: true }),
    fbtraceId: text(raw.fbtrace_id),
    isTransient: raw.is_transient === true,
  };
}

/**
 * Returns whether an error proves that nothing was sent, and who must fix it. The code decides, not the HTTP status,
 * except for unknown codes: definite in a 4xx, else unknown. WhatsApp's own wait,
 * `advisedSeconds`, overrides the table's, up to a day, or 15 minutes for a throttle, which is probed again by then.
 */
export function classify(httpStatus: number, error: GraphError, advisedSeconds: number | null = null): Classification {
  if (AMBIGUOUS_CODES.has(error.code)) return { outcome: "unknown" };
  const rule = ruleOf(error) ?? ruleOfUnknownCode(httpStatus, error);
  if (!rule) return { outcome: "unknown" };
  return {
    outcome: "refused",
    blame: rule.blame,
    ...waitOf(rule, advisedSeconds),
    throttled: rule.throttled ?? null,
    template: rule.template ?? null,
    isTokenDead: DEAD_TOKEN_CODES.has(error.code),
    title: rule.title || null,
    fix: rule.fix ?? null,
  };
}

/** Classifies an error response: a definite refusal, or unknown. */
export function classifyRefusal(
  httpStatus: number,
  error: GraphError | undefined,
  headers: IncomingHttpHeaders,
): Extract<GraphResult, { outcome: "refused" | "unknown" }> {
  if (!error) return { outcome: "unknown", reason: `HTTP ${httpStatus} without an error code of WhatsApp` };
  const judgement = classify(httpStatus, error, retryAfterSeconds(headers, Date.now()));
  if (judgement.outcome === "unknown") {
    return {
      outcome: "unknown",
      reason: `HTTP ${httpStatus} with code ${error.code}, which leaves the outcome unknown`,
      error,
    };
  }
  return { outcome: "refused", httpStatus, error, judgement };
}

const LONGEST_WAIT_SECONDS = 24 * 3_600;
const LONGEST_THROTTLE_SECONDS = 15 * 60;
const SECONDS_OF_TRANSIENT = 30;

function waitOf(rule: CodeRule, advisedSeconds: number | null): Pick<Refusal, "retryable" | "retryAfterSeconds"> {
  if (rule.retryAfterSeconds === undefined) return { retryable: false, retryAfterSeconds: null };
  const longest = rule.throttled ? LONGEST_THROTTLE_SECONDS : LONGEST_WAIT_SECONDS;
  return { retryable: true, retryAfterSeconds: Math.min(advisedSeconds ?? rule.retryAfterSeconds, longest) };
}

/** Returns `131047: Re-engagement message`: the code and the most useful text, in at most 1,000 characters. */
export function failureReason(error: GraphError): string {
  return reasonText(`${error.code}: ${textOf(error) ?? "WhatsApp gave no reason."}`);
}

function textOf(error: Texts): string | null {
  const { details, isTextData } = error;
  const message = plainMessage(error) ?? error.title;
  if (!isTextData || details === null || message === null) return details ?? message;
  return message.includes(details) ? message : `${message.replace(/\.$/, "")}: ${details}`;
}

/** The part of an error that callers may see in `details.platform`. */
export function toPlatformError(error: GraphError): PlatformError {
  return {
    code: error.code,
    subcode: error.subcode,
    title: error.title ?? plainMessage(error),
    details: error.details,
    fbtraceId: error.fbtraceId,
  };
}

function ruleOf({ code, subcode }: GraphError): CodeRule | undefined {
  // Subcode 33: the line or account is missing or inaccessible, so the rule of code 33 applies.
  if (code === 100 && subcode === 33) return CODE_RULES.get(33);
  if (code >= 200 && code <= 299) return CODE_RULES.get(10);
  return CODE_RULES.get(code);
}

function ruleOfUnknownCode(httpStatus: number, error: GraphError): CodeRule | undefined {
  if (httpStatus < 400 || httpStatus > 499) return undefined;
  const title = error.title ?? plainMessage(error) ?? "";
  if (error.isTransient) return { blame: "platform", retryAfterSeconds: SECONDS_OF_TRANSIENT, title };
  return { blame: httpStatus === 401 || httpStatus === 403 ? "platform" : "caller", title };
}

/** The message without the `(#131047)` that WhatsApp puts in front. */
const plainMessage = ({ message }: Pick<GraphError, "message">): string | null =>
  message?.replace(/^\(#\d+\)\s*/, "") || null;

const text = (value: unknown): string | null => (typeof value === "string" && reasonText(value)) || null;

/** Codes are stored in integer columns, so larger numbers are ignored. */
function int32(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && Math.abs(number) <= MAX_INT32 ? number : null;
}

const IMF_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns the wait in a response's headers, in whole seconds, at least 1: `Retry-After` (seconds or HTTP date), else
 * the time until WhatsApp's usage header promises access again. Null if there is none.
 */
export function retryAfterSeconds(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const seconds = ofRetryAfter(headers, nowMs) ?? ofUsage(headers["x-business-use-case-usage"]);
  return seconds === null ? null : Math.max(1, seconds);
}

/** A date is compared with the response's own `Date`, because clocks may differ. */
function ofRetryAfter({ "retry-after": value, date }: IncomingHttpHeaders, nowMs: number): number | null {
  if (typeof value !== "string") return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const untilMs = dateMs(value);
  return untilMs === null ? null : Math.ceil((untilMs - (dateMs(date) ?? nowMs)) / 1_000);
}

function dateMs(value: string | undefined): number | null {
  const ms = value !== undefined && IMF_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** Returns the longest wait in the usage header, over all its accounts and kinds of calls. */
function ofUsage(value: string | string[] | undefined): number | null {
  const usage = typeof value === "string" ? readExactJson(value) : undefined;
  const entries = isRecord(usage) ? Object.values(usage).flat() : [];
  const minutes = entries.map((entry) => (isRecord(entry) ? Number(entry.estimated_time_to_regain_access) : 0));
  const seconds = Math.ceil(Math.max(0, ...minutes.filter(Number.isFinite)) * 60);
  return seconds === 0 ? null : seconds;
}

/**
 * Why an idempotent call failed. `refused`: WhatsApp returned an error, and `reason` is its text.
 * `unreachable`: no usable response from WhatsApp. `unusable`: the response lacks what the call should return. `own`: it
 * failed on our side.
 */
export type GraphFailure =
  | { outcome: "failed"; kind: "refused"; reason: string; platform: PlatformError }
  | { outcome: "failed"; kind: "unreachable" | "unusable" | "own"; reason: string; platform: null };

/** An `ok` result counts as a failure here: its body was not as expected. */
export function toGraphFailure(result: GraphResult): GraphFailure {
  const error = result.outcome === "ok" ? readGraphError(result.body) : "error" in result ? result.error : undefined;
  if (error) {
    return { outcome: "failed", kind: "refused", reason: failureReason(error), platform: toPlatformError(error) };
  }
  if ("reason" in result) {
    const reason = result.outcome === "not_sent" ? result.reason : `we could not reach WhatsApp: ${result.reason}`;
    return { outcome: "failed", kind: "unreachable", reason, platform: null };
  }
  const reason = `HTTP ${result.httpStatus} without the expected content`;
  return { outcome: "failed", kind: "unusable", reason, platform: null };
}

/** Formats a failure as one sentence, attributing to WhatsApp only its own text. */
export function failureSentence({ kind, reason }: GraphFailure): string {
  switch (kind) {
    case "refused":
      return `WhatsApp said: ${asSentence(reason)}`;
    case "unreachable":
    case "own":
      return asSentence(reason.replace(/^./u, (letter) => letter.toUpperCase()));
    case "unusable":
      return `WhatsApp's answer could not be used: ${asSentence(reason)}`;
  }
}
