import { z } from "zod";
import { invalid } from "@/lib/core/app-error";
import { toIssues } from "./issues";
import { PRINTED_ONLY } from "./listener";

/** In one call: eight responses of 4 KB, all escaped, fit into its body. */
export const MOST_RESULTS = 8;
/** Attempts that a computer makes at once. */
export const MOST_FORWARDED = 16;

const printable = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\x20-\x7e]*$/, "must be printable ASCII");

/** What is stored and shown holds no password. */
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

/** What `listen` asks: the first call has no `listener`, and the last one is its end. */
export type ListenRequest = z.infer<typeof REQUEST>;

/** Reads a call of the command `listen`, which no other client makes. Throws VALIDATION_ERROR. */
export function readListenRequest(body: unknown): ListenRequest {
  const read = REQUEST.safeParse(body, { reportInput: true });
  if (read.success) return read.data;
  throw invalid(toIssues(read.error, [], { schema: REQUEST, value: body }));
}
