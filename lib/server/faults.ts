import { errorFields, log } from "@/lib/core/log";

/** Tells Next that rejections have a listener; its own would log them with the values of a query. */
const NEXT_LISTENER = Symbol.for("next.unhandledRejectionListener");

/**
 * Logs each uncaught error as one line (docs/decisions/0030). Exits only if the process is not
 * ready yet.
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
  // A closed log pipe must neither stop the server nor raise more errors.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
