import type { Sample } from "./full-workspace";

/** A list as a person filters it, as its URL has it. */
export type NarrowedList = { name: string; path: string };

const narrowed = (path: string, list: [name: string, query: Record<string, string>][]): NarrowedList[] =>
  list.map(([name, query]) => ({ name, path: `${path}?${new URLSearchParams(query)}` }));

export const messageLists = (sample: Sample): NarrowedList[] =>
  narrowed("/dashboard/messages", [
    ["none", {}],
    ["status, common", { status: "READ" }],
    ["status, rare", { status: "UNKNOWN" }],
    ["status, hardly any", { status: "PENDING" }],
    ["type", { type: "interactive" }],
    ["line, rare", { line: sample.phoneNumberId }],
    ["template", { template: "feedback" }],
    ["template that is not there", { template: "no_such_template" }],
    ["key, rare", { key: sample.keyId }],
    ["recipient", { recipient: `+${sample.recipient}` }],
    ["platform's code", { code: "131042" }],
    ["platform's code that is not there", { code: "999999" }],
    ["three days in the middle", { from: sample.dayBefore, to: sample.day }],
    ["status, line and days", { status: "FAILED", line: sample.phoneNumberId, from: sample.dayBefore, to: sample.day }],
    ["status and type, none fits", { status: "PENDING", type: "interactive", to: sample.day }],
    ["search: message id", { q: sample.messageId }],
    ["search: platform's id", { q: sample.whatsappMessageId }],
    ["search: request id", { q: sample.messageRequestId }],
    ["search: idempotency key", { q: sample.idempotencyKey }],
    ["search: phone", { q: `+${sample.recipient}` }],
    ["search: nothing goes by it", { q: "order-that-never-was" }],
    ["older than the middle", { older: sample.middle }],
    ["older than the middle, by status", { older: sample.middle, status: "FAILED" }],
  ]);

export const requestLists = (sample: Sample): NarrowedList[] =>
  narrowed("/dashboard/requests", [
    ["none", {}],
    ["answer, common", { status: "2xx" }],
    ["answer, rare", { status: "4xx" }],
    ["answer that is not there", { status: "5xx" }],
    ["error code", { code: "UNAUTHORIZED" }],
    ["error code that is not there", { code: "PLAN_LIMIT_EXCEEDED" }],
    ["endpoint", { operation: "templates" }],
    ["key, rare", { key: sample.keyId }],
    ["replays, of which there are none", { replay: "yes" }],
    ["three days in the middle", { from: sample.dayBefore, to: sample.day }],
    ["answer, key and days", { status: "4xx", key: sample.keyId, from: sample.dayBefore, to: sample.day }],
    ["search: request id", { q: sample.requestId }],
    ["search: message id", { q: sample.messageId }],
    ["search: idempotency key", { q: sample.idempotencyKey }],
    ["search: nothing goes by it", { q: "order-that-never-was" }],
    ["older than the middle", { older: sample.middle }],
  ]);
