import { promises as dns, type LookupAddress, type LookupOptions, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, fetch, type RequestInit, type Response } from "undici";
import { Budget } from "./budget";
import { processWide, setNewest } from "./process-wide";

/**
 * Resolves a host name by DNS alone, IPv4 first: no hosts file, no search domains. Uses its own sockets,
 * never a thread, makes one attempt, and cleans up after `timeoutMs` or when `signal` aborts. Throws
 * with a `code`: ENOTFOUND, ENODATA, ESERVFAIL, … and ETIMEOUT or ECANCELLED without a response.
 */
export async function askDns(
  hostname: string,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<LookupAddress[]> {
  const resolver = new dns.Resolver({ timeout: timeoutMs, tries: 1 });
  const cancel = () => resolver.cancel();
  // With several DNS servers, c-ares waits for each in turn.
  const timer = setTimeout(cancel, timeoutMs);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname).then((addresses) => addresses.map((address) => ({ address, family: 4 }))),
      resolver.resolve6(hostname).then((addresses) => addresses.map((address) => ({ address, family: 6 }))),
    ]);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const failure = answers.find((answer) => answer.status === "rejected");
    if (found.length === 0 && failure) throw failure.reason;
    return found;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

/** Two of libuv's four threads: password checks use the other two, and files and compression need one at times. */
const MAX_AT_ONCE = 2;
/** After this, the last good result is used, or else a DNS query of our own. */
const SLOW_MS = 1_000;
const ASK_TIMEOUT_MS = 1_500;
/** All names are the operator's, so a longer list would be a bug. */
const MAX_REMEMBERED = 200;

type SystemLookup = (hostname: string, options: LookupOptions & { all: true }) => Promise<LookupAddress[]>;
type AskDns = (hostname: string) => Promise<LookupAddress[]>;
type Run = { askedAtMs: number; answer: Promise<LookupAddress[]>; asked?: Promise<LookupAddress[]> };

const systemLookup: SystemLookup = (hostname, options) =>
  new Promise((resolve, reject) => {
    lookup(hostname, options, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

// One in the process, as its threads are; Next loads this module once for each of its bundles.
const lookupHost = () =>
  processWide("host-lookup", () =>
    createHostLookup(systemLookup, (hostname) => askDns(hostname, { timeoutMs: ASK_TIMEOUT_MS })),
  );

/**
 * DNS lookup for hosts that the operator configured. `dns.lookup` blocks a thread while DNS hangs and cannot be cancelled,
 * so at most two names are resolved at once, and each only once at a time. Tenants' hosts use `askDns`.
 */
export const hostLookup: LookupFunction = (hostname, options, callback) => {
  lookupHost()(hostname, options).then(
    (addresses) => {
      const [first] = addresses;
      if (options.all || !first) callback(null, addresses);
      else callback(null, first.address, first.family);
    },
    (error) => callback(error, ""),
  );
};

const agent = new Agent({ connect: { lookup: hostLookup } });

/** `fetch` of a host that the operator chose. */
export function fetchHost(url: string | URL, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, dispatcher: agent });
}

/** Shares concurrent lookups of a name, and falls back to the last result if a lookup fails or is slow. */
export function createHostLookup(system: SystemLookup, ask: AskDns) {
  const underWay = new Map<string, Run>();
  const known = new Map<string, LookupAddress[]>();
  const threads = new Budget({ inAll: MAX_AT_ONCE });

  const inTurn = async (work: () => Promise<LookupAddress[]>): Promise<LookupAddress[]> => {
    const thread = threads.hold("");
    await thread.take(1, { waitMs: Number.POSITIVE_INFINITY });
    return work().finally(thread.release);
  };

  const begin = (key: string, hostname: string, options: LookupOptions): Run => {
    const answer = inTurn(() => system(hostname, { ...options, all: true })).finally(() => underWay.delete(key));
    const run: Run = { askedAtMs: performance.now(), answer };
    underWay.set(key, run);
    answer.then(
      (addresses) => {
        setNewest(known, key, addresses, MAX_REMEMBERED);
      },
      () => {},
    );
    return run;
  };

  return (hostname: string, options: LookupOptions): Promise<LookupAddress[]> => {
    const key = JSON.stringify([hostname, options.family ?? 0, options.hints ?? 0]);
    const run = underWay.get(key) ?? begin(key, hostname, options);
    return new Promise((resolve, reject) => {
      const askElsewhere = async () => {
        const last = known.get(key);
        if (last) return resolve(last);
        run.asked ??= ask(hostname);
        const asked = await run.asked.catch(() => []);
        const fitting = asked.filter(({ family }) => !options.family || options.family === family);
        if (fitting.length > 0) resolve(fitting);
      };
      const timer = setTimeout(askElsewhere, Math.max(0, run.askedAtMs + SLOW_MS - performance.now()));
      run.answer
        .then(resolve, (error) => {
          const last = isDefinite(error) ? undefined : known.get(key);
          if (last) resolve(last);
          else reject(error);
        })
        .finally(() => clearTimeout(timer));
    });
  };
}

/** Whether DNS reported that the name does not exist, rather than not responding. */
const isDefinite = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOTFOUND";
