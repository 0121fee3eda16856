import { z } from "zod";
import { invalid } from "@/lib/core/app-error";
import { toIssues } from "./issues";
import { PRINTED_ONLY } from "./listener";

/** Results per call: eight escaped responses of 4 KB fit into its body. */
export const MOST_RESULTS = 8;
/** Concurrent attempts of a `listen` session. */
export const MOST_FORWARDED = 16;

const printable = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\x20-\x7e]*$/, "must be printable ASCII");

/** Rejects URLs with a password, because they are stored and shown. */
const isPlainUrl = (given: string): boolean => {
  const url = /^https?:\/\//.test(given) && URL.canParse(given) ? new URL(given) : undefined;
  return url !== undefined && url.username === "" && url.password === "";
};

const RESULT = z.strictObject({
  id: printable(64),
  attempt: z.int().min(1).max(1_000_000),
  durationMs: z.int().min(0).max(60_000),
  statusCode: z.int().min(100).max(999).nullable(),
  failure: z.string().max(300).nullable(),
  response: z.string().max(4_096).nullable(),
  retryAfter: printable(64).nullable(),
});

const REQUEST = z.strictObject({
  listener: printable(64).optional(),
  forwardTo: printable(2_048)
    .refine(isPlainUrl, "must be an http or https URL without a user name or password")
    .default(PRINTED_ONLY),
  computer: printable(60).default(""),
  underWay: z.int().min(0).max(MOST_FORWARDED).default(0),
  results: z.array(RESULT).max(MOST_RESULTS).default([]),
  isEnding: z.boolean().default(false),
});

/** A `listen` poll: the first one has no `listener`, and the last one ends the session. */
export type ListenRequest = z.infer<typeof REQUEST>;

/** Parses a poll by the `listen` command, its only client. Throws VALIDATION_ERROR. */
export function readListenRequest(body: unknown): ListenRequest {
  const read = REQUEST.safeParse(body, { reportInput: true });
  if (read.success) return read.data;
  throw invalid(toIssues(read.error, [], { schema: REQUEST, value: body }));
}
