import { getProxyForUrl } from "proxy-from-env";
import { z } from "zod";
import { MAX_RETENTION_DAYS, PLAN_NAMES } from "./principal";

const SMTP_URL_FORM = "smtps://user:password@mail.example.com:465";
export const DATABASE_URL_FORM = "postgres://user:password@host:5432/name";
/** More than any process could use, so that a typo fails here and not in Postgres. */
const MAX_POOL = 1_000;
const MAX_WORKERS = 64;
const MAX_DRAIN_SECONDS = 300;

/** A check and its error, worded as a clause after the variable's name. Only the first broken rule is reported. */
type Rule = [isMet: (value: string) => boolean, clause: string];

const ruled = (...rules: Rule[]) =>
  z.string().superRefine((value, context) => {
    const broken = rules.find(([isMet]) => !isMet(value));
    if (broken) context.addIssue({ code: "custom", message: broken[1] });
  });

const NEW_SECRET = "`openssl rand -base64 32` generates one";
const NOT_BLANK: Rule = [(value) => value.trim() !== "", "must not be only blanks"];
const WORD: Rule[] = [
  NOT_BLANK,
  [(value) => !/\p{Cc}/u.test(value), "must not hold a line break or another control character"],
  [(value) => value === value.trim(), "must not begin or end with a blank"],
];
const LONG: Rule = [(value) => value.length >= 32, `must be at least 32 characters; ${NEW_SECRET}`];
const VARIED: Rule = [(value) => new Set(value).size > 2, `must not be one or two characters repeated; ${NEW_SECRET}`];
const IN_HEADER: Rule = [
  (value) => /^[\x21-\x7e]+$/.test(value),
  "must be printable ASCII without spaces, because it goes in a header",
];

const word = ruled(...WORD);
const secret = ruled(...WORD, LONG, VARIED);
// Looser rules: a secret that was accepted under earlier rules must still be valid as the previous one.
const previousSecret = ruled(NOT_BLANK, LONG);
const bearerToken = ruled(
  NOT_BLANK,
  [(value) => value.length >= 16, "must be at least 16 characters"],
  IN_HEADER,
  VARIED,
);
const positiveInteger = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, "must be a positive whole number in decimal digits")
  .transform(Number);
const metaId = z.string().regex(/^\d{5,20}$/, "must be an id of 5 to 20 digits");
const count = z
  .string()
  .regex(/^\d{1,3}$/, "must be a whole number in decimal digits")
  .transform(Number);
const oneOf = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });
function isBareUrl(value: string): boolean {
  const { username, password, search, hash } = new URL(value);
  return `${username}${password}${search}${hash}` === "" && !/[?#]/.test(value);
}
const httpUrl = ruled(
  [(value) => /^https?:\/\/[\x21-\x7e]+$/.test(value) && URL.canParse(value), "must be an http or https address"],
  [isBareUrl, "must be an address without user, password, query and fragment"],
).transform((value) => value.replace(/\/+$/, ""));

/** With user and password where it asks for them. */
const proxy = ruled([
  (value) => /^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : ""),
  "must be an http or https address of a proxy, such as http://proxy.example.com:3128",
]);

const portOf = (host: string): number => Number(host.slice(host.lastIndexOf(":") + 1));

/** Parses the URL as postgres.js does: the first of several hosts, with user and password percent-encoded. */
function parsedDatabaseUrl(value: string): URL | undefined {
  try {
    const url = new URL(value.replace(/^([^?#]*@|[^?#@]*\/\/)([^/?#@,]*),[^/?#@]*/, "$1$2"));
    decodeURIComponent(url.username);
    decodeURIComponent(url.password);
    return url;
  } catch {
    return undefined;
  }
}

const databaseUrl = ruled(
  ...WORD,
  [(value) => /^postgres(ql)?:\/\//.test(value), `must look like ${DATABASE_URL_FORM}`],
  [
    (value) => parsedDatabaseUrl(value) !== undefined,
    "must be a valid URL: percent-encode its user and password, such as %40 for @, %25 for %, %2F for /",
  ],
  [(value) => Boolean(parsedDatabaseUrl(value)?.hostname), `must name a host, as ${DATABASE_URL_FORM}`],
);

/** `host:port` pairs, lower case. */
const hostList = z
  .string()
  .default("")
  .transform((list) =>
    list
      .split(",")
      .map((host) => host.trim().toLowerCase())
      .filter(Boolean),
  )
  .refine(
    (hosts) => hosts.every((host) => /^(\[[0-9a-f:.]+\]|[^\s:/]+):\d{1,5}$/.test(host) && portOf(host) <= 65_535),
    "must list host:port pairs, separated by commas",
  );

const SAMPLERS = ["always_on", "always_off", "traceidratio"] as const;

const Given = z.object({
  DATABASE_URL: databaseUrl,
  DATABASE_REPLICA_URL: databaseUrl.optional(),
  DATABASE_POOL_MAX: positiveInteger
    .refine((count) => count <= MAX_POOL, `must be at most ${MAX_POOL}: so many connections are opened to Postgres`)
    .default(10),
  APP_URL: httpUrl.refine(
    (value) => new URL(value).origin === value,
    "must be an origin, such as https://messages.example.com",
  ),
  NEXTAUTH_SECRET: secret,
  NEXTAUTH_SECRET_PREVIOUS: previousSecret.optional(),
  KEY_PEPPER: secret,
  KEY_PEPPER_PREVIOUS: previousSecret.optional(),
  ENCRYPTION_KEY: secret,
  ENCRYPTION_KEY_PREVIOUS: previousSecret.optional(),
  WHATSAPP_GRAPH_URL: httpUrl.default("https://graph.facebook.com"),
  WHATSAPP_GRAPH_VERSION: z
    .string()
    .regex(/^v\d{1,3}\.\d$/, "must look like v25.0")
    .default("v25.0"),
  WHATSAPP_APP_SECRET: ruled(...WORD, VARIED),
  WHATSAPP_APP_SECRET_PREVIOUS: ruled(...WORD, VARIED).optional(),
  WHATSAPP_VERIFY_TOKEN: word,
  META_APP_ID: metaId.optional(),
  META_CONFIG_ID: metaId.optional(),
  UPSTASH_REDIS_REST_URL: httpUrl.optional(),
  UPSTASH_REDIS_REST_TOKEN: ruled(NOT_BLANK, IN_HEADER).optional(),
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
  MEDIA_FETCH_ALLOW: hostList,
  WEBHOOK_ALLOW: hostList,
  CRON_SECRET: bearerToken.optional(),
  METRICS_TOKEN: bearerToken.optional(),
  SMTP_URL: ruled(
    ...WORD,
    [(value) => /^smtps?:\/\/./.test(value) && URL.canParse(value), `must look like ${SMTP_URL_FORM}`],
    [(value) => URL.canParse(value) && new URL(value).hostname !== "", `must name a host, as ${SMTP_URL_FORM}`],
  ).optional(),
  MAIL_FROM: ruled(...WORD, [
    (value) => /^([^<>"]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(value),
    "must be an address, such as Switchboard <alerts@example.com>",
  ]).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  // The OpenTelemetry packages read this one and the sampler by themselves: here they are only checked.
  OTEL_EXPORTER_OTLP_HEADERS: ruled(...WORD, [
    (value) => value.split(",").every((pair) => /^\s*[\w.-]+\s*=[^,;]*$/.test(pair)),
    "must list name=value pairs, separated by commas, with values percent-encoded",
  ]).optional(),
  OTEL_SERVICE_NAME: word.default("switchboard"),
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS.flatMap((name) => [name, `parentbased_${name}`] as const)).optional(),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0|1|0?\.\d+|1\.0+)$/, "must be a number from 0 to 1")
    .optional(),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, "must be a whole number from 0 to 65535")
    .transform(Number)
    .refine((port) => port <= 65_535, "must be a whole number from 0 to 65535")
    .default(3_000),
  WORKERS: positiveInteger.refine((workers) => workers <= MAX_WORKERS, `must be at most ${MAX_WORKERS}`).default(1),
  DRAIN_SECONDS: count
    .refine((seconds) => seconds <= MAX_DRAIN_SECONDS, `must be at most ${MAX_DRAIN_SECONDS}`)
    .default(5),
  LOG_LEVEL: oneOf(["debug", "info", "warn", "error", "silent"]).default("info"),
  GITHUB_ID: word.optional(),
  GITHUB_SECRET: word.optional(),
  GOOGLE_ID: word.optional(),
  GOOGLE_SECRET: word.optional(),
  HTTP_PROXY: proxy.optional(),
  HTTPS_PROXY: proxy.optional(),
  http_proxy: proxy.optional(),
  https_proxy: proxy.optional(),
  VERCEL: z.string().optional().transform(Boolean),
});

// If anyone can sign up, owners must not be able to raise the operator's limits.
const Variables = Given.transform((given) => ({
  ...given,
  ALLOW_OWNER_PLANS: given.ALLOW_OWNER_PLANS ?? !given.ALLOW_SIGN_UP,
}));

const PAIRS = [
  ["META_APP_ID", "META_CONFIG_ID"],
  ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"],
  ["GITHUB_ID", "GITHUB_SECRET"],
  ["GOOGLE_ID", "GOOGLE_SECRET"],
  ["SMTP_URL", "MAIL_FROM"],
] as const;

export type Env = z.infer<typeof Variables>;

export class EnvError extends Error {
  override readonly name = "EnvError";
  constructor(readonly faults: string[]) {
    super(`The environment is not complete:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
  }
}

/** Reads the variables of `source`; an empty one counts as absent. Throws EnvError with one line per fault. */
export function readEnv(source: Record<string, string | undefined>): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => Boolean(value)));
  const result = Variables.safeParse(given);
  const halves = PAIRS.filter(([one, other]) => one in given !== other in given);
  if (result.success && halves.length === 0) return result.data;
  throw new EnvError([
    ...(result.error?.issues ?? []).map((issue) => {
      const name = String(issue.path[0] ?? "");
      return `${name} ${name in given ? issue.message : "is required"}`;
    }),
    ...halves.map(([one, other]) =>
      one in given ? `${other} is required with ${one}` : `${one} is required with ${other}`,
    ),
  ]);
}

let read: Env | undefined;

/** The environment, read once, at first use. */
export function env(): Env {
  if (!read) {
    read = readEnv(process.env);
    // next-auth reads its public address from here only.
    process.env.NEXTAUTH_URL = read.APP_URL;
  }
  return read;
}

/** Set by Next's commands, not by us. */
export const isDevelopment = process.env.NODE_ENV === "development";

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns the forward proxy for calls to `url`, undefined if there is none: HTTPS_PROXY or HTTP_PROXY by its scheme, except
 * the hosts of NO_PROXY. Never for loopback, whatever NO_PROXY says.
 */
export function proxyFor(url: URL): string | undefined {
  return LOOPBACK.test(url.hostname) ? undefined : getProxyForUrl(url.href) || undefined;
}
