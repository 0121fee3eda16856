import { z } from "zod";
import { MAX_RETENTION_DAYS } from "@/lib/messages/retention";
import { PLAN_NAMES } from "@/lib/plans/plans";

const secret = z.string().min(32, "must be at least 32 characters; `openssl rand -base64 32` makes one");
const positiveInteger = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, "must be a positive whole number in decimal digits")
  .transform(Number);
const count = z
  .string()
  .regex(/^\d{1,3}$/, "must be a whole number in decimal digits")
  .transform(Number);
const oneOf = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });
const httpUrl = z
  .string()
  .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), "must be an http or https address")
  .transform((value) => value.replace(/\/+$/, ""));

const Given = z.object({
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, "must be a postgres:// address"),
  DATABASE_POOL_MAX: positiveInteger.default(10),
  APP_URL: httpUrl.refine(
    (value) => new URL(value).origin === value,
    "must be an origin, such as https://messages.example.com",
  ),
  NEXTAUTH_SECRET: secret,
  KEY_PEPPER: secret,
  KEY_PEPPER_PREVIOUS: secret.optional(),
  ENCRYPTION_KEY: secret,
  ENCRYPTION_KEY_PREVIOUS: secret.optional(),
  WHATSAPP_GRAPH_URL: httpUrl.default("https://graph.facebook.com"),
  WHATSAPP_GRAPH_VERSION: z
    .string()
    .regex(/^v\d{1,3}\.\d$/, "must look like v25.0")
    .default("v25.0"),
  WHATSAPP_APP_SECRET: z.string(),
  WHATSAPP_APP_SECRET_PREVIOUS: z.string().optional(),
  WHATSAPP_VERIFY_TOKEN: z.string(),
  UPSTASH_REDIS_REST_URL: httpUrl.optional(),
  UPSTASH_REDIS_REST_TOKEN: z.string().optional(),
  PUBLIC_API_KEY_RATE_LIMIT: positiveInteger.default(300),
  PUBLIC_API_IP_RATE_LIMIT: positiveInteger.default(100),
  TRUSTED_PROXY_HOPS: count.default(0),
  DEFAULT_PLAN: oneOf(PLAN_NAMES).default("unlimited"),
  ALLOW_SIGN_UP: oneOf(["true", "false"])
    .default("false")
    .transform((value) => value === "true"),
  ALLOW_OWNER_PLANS: oneOf(["true", "false"])
    .transform((value) => value === "true")
    .optional(),
  MESSAGE_RETENTION_DAYS: positiveInteger
    .refine((days) => days <= MAX_RETENTION_DAYS, `must be at most ${MAX_RETENTION_DAYS}`)
    .default(90),
  MEDIA_FETCH_ALLOW: z
    .string()
    .default("")
    .transform((list) =>
      list
        .split(",")
        .map((host) => host.trim().toLowerCase())
        .filter(Boolean),
    )
    .refine(
      (hosts) => hosts.every((host) => /^(\[[0-9a-f:.]+\]|[^\s:/]+):\d{1,5}$/.test(host)),
      "must list host:port pairs, separated by commas",
    ),
  CRON_SECRET: z.string().min(16, "must be at least 16 characters").optional(),
  LOG_LEVEL: oneOf(["debug", "info", "warn", "error", "silent"]).default("info"),
  GITHUB_ID: z.string().optional(),
  GITHUB_SECRET: z.string().optional(),
  GOOGLE_ID: z.string().optional(),
  GOOGLE_SECRET: z.string().optional(),
  VERCEL: z.string().optional().transform(Boolean),
});

// Where strangers make workspaces, their owners must not lift the limits that the operator has set.
const Variables = Given.transform((given) => ({
  ...given,
  ALLOW_OWNER_PLANS: given.ALLOW_OWNER_PLANS ?? !given.ALLOW_SIGN_UP,
}));

const PAIRS = [
  ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"],
  ["GITHUB_ID", "GITHUB_SECRET"],
  ["GOOGLE_ID", "GOOGLE_SECRET"],
] as const;

export type Env = z.infer<typeof Variables>;

export class EnvError extends Error {
  override readonly name = "EnvError";
  constructor(readonly faults: string[]) {
    super(`The environment is not complete:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
  }
}

/** Reads the variables of `source`; an empty one counts as absent. Throws EnvError with one line per fault. */
export const readEnv = (source: Record<string, string | undefined>): Env => {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => Boolean(value)));
  const result = Variables.safeParse(given);
  const halves = PAIRS.filter(([one, other]) => one in given !== other in given);
  if (result.success && halves.length === 0) return result.data;
  throw new EnvError([
    ...(result.error?.issues ?? []).map((issue) => {
      const name = String(issue.path[0] ?? "");
      return `${name} ${name in given ? issue.message : "is missing"}`;
    }),
    ...halves.map(([one, other]) =>
      one in given ? `${other} is missing beside ${one}` : `${one} is missing beside ${other}`,
    ),
  ]);
};

let read: Env | undefined;

/** The environment, read once, at first use. */
export const env = (): Env => {
  if (!read) {
    read = readEnv(process.env);
    // next-auth reads its public address from here only.
    process.env.NEXTAUTH_URL = read.APP_URL;
  }
  return read;
};

/** Set by Next's own commands; not a setting of ours. */
export const isDevelopment = process.env.NODE_ENV === "development";
