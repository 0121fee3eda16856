import type { IncomingHttpHeaders } from "node:http";
import { isRecord } from "@/lib/core/is-record";
import { readExactJson } from "./exact-json";

const IMF_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait that an answer's headers ask for, in whole seconds from 1 on: `Retry-After` in seconds or as an HTTP date, else
 * the time after which WhatsApp's usage header promises access again. Null where none asks for any.
 */
export function retryAfterSeconds(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const seconds = ofRetryAfter(headers, nowMs) ?? ofUsage(headers["x-business-use-case-usage"]);
  return seconds === null ? null : Math.max(1, seconds);
}

/** A date is compared with the answer's own `Date`: their clock and ours may differ. */
const ofRetryAfter = ({ "retry-after": value, date }: IncomingHttpHeaders, nowMs: number): number | null => {
  if (typeof value !== "string") return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const untilMs = dateMs(value);
  return untilMs === null ? null : Math.ceil((untilMs - (dateMs(date) ?? nowMs)) / 1_000);
};

const dateMs = (value: string | undefined): number | null => {
  const ms = value !== undefined && IMF_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
};

/** The longest wait that the usage header names, over every account and kind of call in it. */
const ofUsage = (value: string | string[] | undefined): number | null => {
  const usage = typeof value === "string" ? readExactJson(value) : undefined;
  const entries = isRecord(usage) ? Object.values(usage).flat() : [];
  const minutes = entries.map((entry) => (isRecord(entry) ? Number(entry.estimated_time_to_regain_access) : 0));
  const seconds = Math.ceil(Math.max(0, ...minutes.filter(Number.isFinite)) * 60);
  return seconds === 0 ? null : seconds;
};
