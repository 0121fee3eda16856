import dns, { type LookupAddress, type LookupOptions } from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";
import { processWide } from "@/lib/core/process-wide";
import { askDns } from "./ask-dns";

/** Of libuv's four threads: password checks have two, and files and compression need one now and then. */
const MOST_AT_ONCE = 2;
/** Later than this the last good answer serves, or else DNS's own. */
const SLOW_MS = 1_000;
const ASK_TIMEOUT_MS = 1_500;
/** Every name is the operator's; a longer list would be a fault. */
const MOST_REMEMBERED = 200;

type Done = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;
type SystemLookup = (hostname: string, options: LookupOptions & { all: true }) => Promise<LookupAddress[]>;
type AskDns = (hostname: string) => Promise<LookupAddress[]>;
type Run = { askedAtMs: number; answer: Promise<LookupAddress[]>; asked?: Promise<LookupAddress[]> };

/**
 * Bounds `dns.lookup` for the whole process, for every caller: fetch, postgres.js, next-auth. The system's look-up holds a
 * thread for as long as DNS is silent and cannot be cancelled, so a name is looked up once at a time and two names at most.
 * Names that a tenant chose never come here: `askDns` looks them up.
 */
export function boundHostLookups(): void {
  processWide("hostLookup", () => {
    const { lookup: system } = dns;
    const lookup = createHostLookup(
      (hostname, options) =>
        new Promise((resolve, reject) => {
          system(hostname, options, (error, addresses) => (error ? reject(error) : resolve(addresses)));
        }),
      (hostname) => askDns(hostname, { timeoutMs: ASK_TIMEOUT_MS }),
    );
    const bounded = (hostname: string, given: unknown, callback?: Done) => {
      const done = (typeof given === "function" ? given : callback) as Done;
      const options = optionsOf(given);
      // Takes no thread, or is refused at once.
      if (typeof hostname !== "string" || hostname === "" || isIP(hostname) !== 0) {
        return system(hostname, options, done as never);
      }
      lookup(hostname, options).then(
        (addresses) => {
          const [first] = addresses;
          if (options.all || !first) done(null, addresses);
          else done(null, first.address, first.family);
        },
        (error) => done(error, ""),
      );
    };
    Object.defineProperties(bounded, Object.getOwnPropertyDescriptors(system));
    Object.assign(dns, { lookup: bounded });
    syncBuiltinESMExports();
    return bounded;
  });
}

const optionsOf = (given: unknown): LookupOptions => {
  if (typeof given === "number") return { family: given };
  return typeof given === "object" && given !== null ? given : {};
};

/** One look-up for all who ask for a name at the same time, and what was true last where it fails or takes too long. */
export function createHostLookup(system: SystemLookup, ask: AskDns) {
  const underWay = new Map<string, Run>();
  const known = new Map<string, LookupAddress[]>();
  const waiting: (() => void)[] = [];
  let free = MOST_AT_ONCE;

  const inTurn = async (work: () => Promise<LookupAddress[]>): Promise<LookupAddress[]> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };

  const begin = (key: string, hostname: string, options: LookupOptions): Run => {
    const answer = inTurn(() => system(hostname, { ...options, all: true })).finally(() => underWay.delete(key));
    const run: Run = { askedAtMs: performance.now(), answer };
    underWay.set(key, run);
    answer.then(
      (addresses) => {
        known.delete(key);
        known.set(key, addresses);
        const [oldest] = known.keys();
        if (known.size > MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
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

/** DNS itself says that there is no such name, in contrast to saying nothing. */
const isDefinite = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOTFOUND";
