import type { LookupAddress } from "node:dns";
import { promises as dns } from "node:dns";

/**
 * Returns the addresses of a name, IPv4 first, as DNS alone knows it: no hosts file, no search domains. Waits on sockets of
 * its own and never on a thread, asks once, and leaves nothing behind after `timeoutMs` or once `signal` aborts. Throws
 * with a `code`: ENOTFOUND, ENODATA, ESERVFAIL, … and ETIMEOUT or ECANCELLED where no answer came.
 */
export async function askDns(
  hostname: string,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<LookupAddress[]> {
  const resolver = new dns.Resolver({ timeout: timeoutMs, tries: 1 });
  const cancel = () => resolver.cancel();
  // With several servers c-ares waits for each in turn.
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
