import type { PlatformError } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/is-record";
import { AMBIGUOUS_CODES, CODE_RULES, type CodeRule, DEAD_TOKEN_CODES } from "./error-codes";
import { reasonText } from "./platform-text";

/** An error as WhatsApp writes it in answers and in status webhooks, in our words and safe to store. */
export type GraphError = {
  code: number;
  subcode: number | null;
  title: string | null;
  message: string | null;
  details: string | null;
  fbtraceId: string | null;
  isTransient: boolean;
};

export type Refusal = {
  outcome: "refused";
  /** `platform`: the line's owner, the operator or WhatsApp must act; `caller`: another request can pass. */
  blame: "caller" | "platform";
  /** The cause passes by itself; `retryAfterSeconds` says when, and is null for every other refusal. */
  retryable: boolean;
  throttled: "line" | "pair" | null;
  template: "not_approved" | "differs" | null;
  isTokenDead: boolean;
  title: string | null;
  fix: string | null;
  retryAfterSeconds: number | null;
};

export type Judgement = Refusal | { outcome: "unknown" };

const MAX_INT32 = 2 ** 31 - 1;

/** Reads `{error: {code, …}}` from whatever WhatsApp or its edge answered; undefined where there is no code. */
export function readGraphError(body: unknown): GraphError | undefined {
  return isRecord(body) ? readErrorObject(body.error) : undefined;
}

/** Reads one error object, also of `statuses[].errors[]`; `error_data` may be an object, a string or absent. */
export function readErrorObject(raw: unknown): GraphError | undefined {
  if (!isRecord(raw)) return undefined;
  const code = int32(raw.code);
  if (code === null) return undefined;
  return {
    code,
    subcode: int32(raw.error_subcode),
    title: text(raw.title) ?? text(raw.error_user_title),
    message: text(raw.message),
    details: readDetails(raw.error_data) ?? text(raw.error_user_msg),
    fbtraceId: text(raw.fbtrace_id),
    isTransient: raw.is_transient === true,
  };
}

/**
 * Says whether an error proves that nothing was sent, and whose it is to fix. The code decides, never the HTTP status,
 * except for a code that the table does not know: definite in a 4xx, else unknown. The wait that WhatsApp itself named,
 * `advisedSeconds`, goes before the table's, up to a day, or to 15 minutes for a throttle, which is asked again by then.
 */
export function judge(httpStatus: number, error: GraphError, advisedSeconds: number | null = null): Judgement {
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

const LONGEST_WAIT_SECONDS = 24 * 3_600;
const LONGEST_THROTTLE_SECONDS = 15 * 60;
const SECONDS_OF_TRANSIENT = 30;

const waitOf = (rule: CodeRule, advisedSeconds: number | null): Pick<Refusal, "retryable" | "retryAfterSeconds"> => {
  if (rule.retryAfterSeconds === undefined) return { retryable: false, retryAfterSeconds: null };
  const longest = rule.throttled ? LONGEST_THROTTLE_SECONDS : LONGEST_WAIT_SECONDS;
  return { retryable: true, retryAfterSeconds: Math.min(advisedSeconds ?? rule.retryAfterSeconds, longest) };
};

/** `131047: Re-engagement message`: the code and the most telling text, one line of at most 1,000 characters. */
export function failureReason(error: GraphError): string {
  return reasonText(
    `${error.code}: ${error.details ?? plainMessage(error) ?? error.title ?? "WhatsApp gave no reason."}`,
  );
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

const ruleOf = ({ code, subcode }: GraphError): CodeRule | undefined => {
  // Subcode 33: the line or account itself is missing or out of reach, which is the rule of code 33.
  if (code === 100 && subcode === 33) return CODE_RULES.get(33);
  if (code >= 200 && code <= 299) return CODE_RULES.get(10);
  return CODE_RULES.get(code);
};

const ruleOfUnknownCode = (httpStatus: number, error: GraphError): CodeRule | undefined => {
  if (httpStatus < 400 || httpStatus > 499) return undefined;
  const title = error.title ?? plainMessage(error) ?? "";
  if (error.isTransient) return { blame: "platform", retryAfterSeconds: SECONDS_OF_TRANSIENT, title };
  return { blame: httpStatus === 401 || httpStatus === 403 ? "platform" : "caller", title };
};

/** The message without the `(#131047)` that WhatsApp puts in front. */
const plainMessage = ({ message }: GraphError): string | null => message?.replace(/^\(#\d+\)\s*/, "") || null;

const readDetails = (errorData: unknown): string | null =>
  isRecord(errorData) ? text(errorData.details) : text(errorData);

const text = (value: unknown): string | null => (typeof value === "string" && reasonText(value)) || null;

/** Codes are kept in integer columns, so one that would not fit is no code. */
const int32 = (value: unknown): number | null => {
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && Math.abs(number) <= MAX_INT32 ? number : null;
};
