import { reasonOf, type Shell } from "./api-command.js";
import { type Command, noMore, runCommandLine } from "./command-line.js";
import { printDocument } from "./documents.js";

const usage = (shell: Shell): string => `Usage: ${shell.program} doctor [--json]

Checks this computer and its key against the gateway: Node, the variables, the address, the clock, the key, its templates and
its remaining requests. Says of each what is wrong and what to do. Ends with 1 where anything failed.
`;

export type Finding = { name: string; state: "passed" | "warning" | "failed"; message: string };

const passed = (name: string, message: string): Finding => ({ name, state: "passed", message });
const warning = (name: string, message: string): Finding => ({ name, state: "warning", message });
const failed = (name: string, message: string): Finding => ({ name, state: "failed", message });

const OLDEST_NODE = [20, 3] as const;
const TIMEOUT_MS = 10_000;
/** Signatures of webhooks are valid for five minutes. */
const MOST_CLOCK_SECONDS = 300;
const NOTED_CLOCK_SECONDS = 30;
const FEW_REQUESTS = 10;

const WORDS = { passed: "ok  ", warning: "warn", failed: "FAIL" } as const;

/** `doctor`: says what is wrong between this computer and the gateway. */
export const doctor =
  (shell: Shell): Command =>
  (args) =>
    runCommandLine({ usage: usage(shell), flags: ["json"], args }, async ({ positionals, flag }) => {
      noMore(positionals);
      const findings = await examine(process.env, process.versions.node, shell.origin);
      if (flag("json")) printDocument(findings);
      else
        for (const { name, state, message } of findings) process.stdout.write(`${WORDS[state]}  ${name}: ${message}\n`);
      return findings.every(({ state }) => state !== "failed");
    });

type Environment = Readonly<Record<string, string | undefined>>;

/** Every check that the ones before it allow, in order. */
export const examine = async (environment: Environment, nodeVersion: string, ownOrigin: string): Promise<Finding[]> => {
  const { CHAT_API_KEY: apiKey, CHAT_API_SECRET: apiSecret, CHAT_API_URL: given } = environment;
  const url = given || ownOrigin;
  const own = [
    checkNode(nodeVersion),
    checkKey(apiKey),
    checkSecret(apiSecret),
    given ? checkUrl(url) : passed("CHAT_API_URL", `It is not set: ${url} is used.`),
  ];
  if (own.some(({ name, state }) => name === "CHAT_API_URL" && state === "failed")) return own;
  const { origin } = new URL(url);
  const health = await call(`${origin}/api/health`);
  const reached = [...own, checkHealth(origin, health), ...(isFailure(health) ? [] : checkClock(health))];
  if (!apiKey || !apiSecret || reached.some(({ state }) => state === "failed")) return reached;
  return [...reached, ...(await examineKey(origin, { apiKey, apiSecret }))];
};

const checkNode = (version: string): Finding => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  if (isOld) return failed("Node", `${version} is too old. Install ${OLDEST_NODE.join(".")} or newer.`);
  return passed("Node", version);
};

/** What pages and docs show in place of a secret cannot be sent at all. */
const isMasked = (value: string): boolean => !/^[\x21-\x7e]+$/.test(value);
const MASKED = "It is a masked value or an example. Set the whole one, as it was shown when the key was created.";

const checkKey = (key: string | undefined): Finding => {
  if (!key) return failed("CHAT_API_KEY", "It is not set. Owners and admins create keys under Settings, API keys.");
  if (isMasked(key)) return failed("CHAT_API_KEY", MASKED);
  if (/^pk_test_/.test(key)) return passed("CHAT_API_KEY", "A test key: messages go to the sandbox.");
  if (/^pk_live_/.test(key))
    return passed("CHAT_API_KEY", "A live key: messages go to WhatsApp and count on the plan.");
  return failed(
    "CHAT_API_KEY",
    "It must begin with pk_test_ or pk_live_. The value that begins with sk_ is the secret.",
  );
};

const checkSecret = (secret: string | undefined): Finding => {
  if (!secret)
    return failed("CHAT_API_SECRET", "It is not set. The secret was shown once; rotate the key for a new one.");
  if (isMasked(secret)) return failed("CHAT_API_SECRET", MASKED);
  if (secret.startsWith("sk_")) return passed("CHAT_API_SECRET", "It is set.");
  return failed("CHAT_API_SECRET", "It must begin with sk_.");
};

const checkUrl = (url: string): Finding => {
  const name = "CHAT_API_URL";
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    return failed(name, "It must be the gateway's address, such as https://messages.example.com.");
  }
  const { protocol, hostname, pathname, origin } = new URL(url);
  if (pathname !== "/") return warning(name, `${origin} is used; the path after it is ignored.`);
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === "http:" && !isLocal) return warning(name, `${origin} is not encrypted: use https.`);
  return passed(name, origin);
};

type Failure = { reason: string };
const isFailure = (answer: Response | Failure): answer is Failure => "reason" in answer;

const call = async (url: string, headers: Record<string, string> = {}): Promise<Response | Failure> => {
  try {
    // A redirect would carry the secret to another address.
    return await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    return { reason: reasonInWords(error) };
  }
};

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "DNS does not know its host. Check the spelling",
  EAI_AGAIN: "DNS did not answer. Check this computer's network",
  ECONNREFUSED: "nothing listens there. Start the gateway, or check the port",
  TimeoutError: `no response within ${TIMEOUT_MS / 1_000} s. Check the network and firewalls`,
};

const reasonInWords = (error: unknown): string => {
  const code = reasonOf(error);
  return REASONS[code] ?? `the connection failed (${code})`;
};

const checkHealth = (origin: string, answer: Response | Failure): Finding => {
  if (isFailure(answer)) return failed("Gateway", `${origin} cannot be reached: ${answer.reason}.`);
  const { status } = answer;
  if (status >= 300 && status < 400) {
    return failed("Gateway", `${origin} redirects (${status}). Set CHAT_API_URL to the address it redirects to.`);
  }
  if (status === 404) return failed("Gateway", `${origin} is not a Switchboard gateway: it has no /api/health.`);
  if (status !== 200) return failed("Gateway", `${origin} is not healthy (${status}). Ask its operator.`);
  return passed("Gateway", "It is healthy.");
};

const checkClock = (answer: Response): Finding[] => {
  const atMs = Date.parse(answer.headers.get("date") ?? "");
  if (Number.isNaN(atMs)) return [];
  const seconds = Math.abs(Math.round((Date.now() - atMs) / 1_000));
  const found = `This computer's clock is ${seconds} s off the gateway's.`;
  if (seconds > MOST_CLOCK_SECONDS) {
    return [
      failed(
        "Clock",
        `${found} Webhook signatures older than ${MOST_CLOCK_SECONDS} s are refused: synchronize it (NTP).`,
      ),
    ];
  }
  return [seconds > NOTED_CLOCK_SECONDS ? warning("Clock", `${found} Synchronize it (NTP).`) : passed("Clock", found)];
};

/** One call says whether the key is accepted, whether it has templates, and how many requests are left. */
const examineKey = async (origin: string, key: { apiKey: string; apiSecret: string }): Promise<Finding[]> => {
  const answer = await call(`${origin}/api/v1/public/templates?limit=1`, key);
  if (isFailure(answer)) return [failed("Key", `The API cannot be reached: ${answer.reason}.`)];
  const requests = checkRequests(answer);
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.status !== 200) return [failed("Key", `${answer.status}: ${wordsOf(body)}`), ...requests];
  return [passed("Key", "It is accepted."), checkTemplates(body), ...requests];
};

const wordsOf = (body: unknown): string => String(readField(body, "message") ?? "The response is not the API's.");

const checkTemplates = (body: unknown): Finding => {
  const templates = readField(readField(body, "data"), "templates");
  if (Array.isArray(templates) && templates.length > 0) return passed("Templates", "There are approved templates.");
  return warning("Templates", "None is approved. Text can be sent only within 24 hours of a customer's message.");
};

const readField = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

const checkRequests = ({ headers }: Response): Finding[] => {
  const [limit, left, seconds] = ["limit", "remaining", "reset"].map((name) => headers.get(`ratelimit-${name}`));
  if (!limit || !left) return [];
  const found = `${left} of ${limit} are left in this 15-minute window; it ends in ${seconds} s.`;
  return [Number(left) < FEW_REQUESTS ? warning("Requests", found) : passed("Requests", found)];
};
