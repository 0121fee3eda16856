import { hostname } from "node:os";
import type { Switchboard } from "../switchboard.js";
import { type Credentials, credentialsText, requireTestKey, runApiCommand, type Shell } from "./api-command.js";
import { type Arguments, type Command, noMore, UsageError } from "./command-line.js";
import { printLine } from "./documents.js";
import { type Delivery, forwardDelivery } from "./forward-delivery.js";
import { type Exchange, exchangeWith, type Result } from "./listen-exchange.js";

/** How many results one call may report, and how many deliveries may be under way. */
const MOST_RESULTS = 8;
const MOST_UNDER_WAY = 16;
const ASK_EVERY_MS = 1_000;
/** Between two calls where there is something to report. */
const REPORT_AFTER_MS = 200;

const usage = (shell: Shell): string => `Usage: ${shell.program} listen [--forward-to URL]

Receives the events of test mode on this computer, from a gateway anywhere: prints each as a line of JSON, and posts it to
URL, signed as the gateway signs it. The dashboard shows the response of URL, and a failure is retried. Without
--forward-to every event counts as received. Ends with Ctrl+C. It needs a test key.
${credentialsText(shell)}
`;

/** `listen`: takes the deliveries of a test endpoint that lasts as long as the command, and forwards them. */
export const listen =
  (shell: Shell): Command =>
  (args) =>
    runApiCommand(shell, { usage: usage(shell), options: ["forward-to"], args }, run);

const run = async (_: Switchboard, { positionals, option }: Arguments, credentials: Credentials): Promise<boolean> => {
  noMore(positionals);
  requireTestKey(credentials, "listen receives the events of test mode");
  const forwardTo = urlOf(option("forward-to"));
  const computer = hostname()
    .replace(/[^\x20-\x7e]/g, "")
    .slice(0, 60);
  const exchange = exchangeWith(credentials, { computer, ...(forwardTo && { forwardTo: forwardTo.href }) });
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => ending.abort());
  const begun = await exchange({ results: [], underWay: MOST_UNDER_WAY, isEnding: false }, ending.signal);
  if (!begun) return true;
  const target = forwardTo ? `, forwarding to ${forwardTo.origin}${forwardTo.pathname}` : "";
  process.stderr.write(
    `Listening to ${credentials.origin}${target}. Ctrl+C ends it.\nEvery session of this key signs with the same secret:\nWEBHOOK_SECRET=${begun.secret}\n`,
  );
  await takeDeliveries(exchange, { forwardTo, ending: ending.signal });
  return true;
};

const urlOf = (given: string | undefined): URL | undefined => {
  if (given === undefined) return undefined;
  const url = /^https?:\/\//.test(given) && URL.canParse(given) ? new URL(given) : undefined;
  if (!url) throw new UsageError("--forward-to must be a URL, such as http://localhost:3000/webhooks.");
  if (url.username || url.password) throw new UsageError("--forward-to must not contain a user name or password.");
  return url;
};

/** Runs until `ending` is aborted, then waits for the deliveries under way and reports their results. */
const takeDeliveries = async (
  exchange: Exchange,
  { forwardTo, ending }: { forwardTo: URL | undefined; ending: AbortSignal },
): Promise<void> => {
  const results: Result[] = [];
  let underWay = 0;
  let wake = () => {};

  const start = (delivery: Delivery) => {
    underWay += 1;
    void forwardDelivery(delivery, forwardTo).then(({ line, result }) => {
      underWay -= 1;
      printLine(line);
      results.push(result);
      wake();
    });
  };
  ending.addEventListener("abort", () => {
    if (underWay > 0) process.stderr.write(`Waiting for ${underWay} under way. Ctrl+C again ends at once.\n`);
    wake();
  });

  for (;;) {
    const isEnding = ending.aborted;
    const reported = results.slice(0, MOST_RESULTS);
    const isLast = isEnding && underWay === 0 && results.length <= MOST_RESULTS;
    // While it ends it claims to be busy, so that it gets nothing new.
    const asked = { results: reported, underWay: isEnding ? MOST_UNDER_WAY : underWay, isEnding: isLast };
    const answer = await exchange(asked, ending);
    if (isLast) return;
    if (answer) results.splice(0, reported.length);
    for (const delivery of answer?.deliveries ?? []) start(delivery);
    await new Promise((resolve) => setTimeout(resolve, REPORT_AFTER_MS));
    if (results.length > 0 || (ending.aborted && underWay === 0)) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, ASK_EVERY_MS);
    });
  }
};
