import { errorFields, log } from "@/lib/core/log";

/** Next's mark that rejections have a listener already; it would write them with the values of a query. */
const NEXT_LISTENER = Symbol.for("next.unhandledRejectionListener");

/**
 * Logs what nothing else catches, as one line (docs/decisions/0030). Only a process that is not
 * ready yet ends with it.
 */
export function surviveFaults(isReady: () => boolean): void {
  const survive = (error: unknown, origin: string) => {
    log("error", "uncaught", { origin, ...errorFields(error) });
    if (!isReady()) process.exit(1);
  };
  const surviveRejection = (reason: unknown) => survive(reason, "unhandledRejection");
  // Not listeners alone: Next adds its own, which write the whole error.
  process.setUncaughtExceptionCaptureCallback((error) => survive(error, "uncaughtException"));
  process.on("unhandledRejection", surviveRejection);
  Reflect.set(globalThis, NEXT_LISTENER, surviveRejection);
  // A log that is not read any more must not end the server, nor fill it with errors about the log.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
