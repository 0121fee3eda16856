import { createHash } from "node:crypto";
import type { SendRequest } from "./send-request";

/**
 * SHA-256 of a validated request. Two requests that differ only in the order of plain keys are the same; the order of
 * arrays is meaning, and a carousel's named values are pairs by now for that very reason.
 */
export const fingerprintOf = (request: SendRequest): Uint8Array =>
  createHash("sha256")
    .update(canonicalJson(comparable(request)))
    .digest();

/** JSON with sorted keys and without absent values. Depth is bounded by the parser before this runs. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
};

// What the caller wrote is compared, not what we read from it: the same payload spelled otherwise is another body.
const comparable = ({ content, ...request }: SendRequest) => ({
  ...request,
  content: content.type === "interactive" ? { type: content.type, source: content.source } : content,
});
