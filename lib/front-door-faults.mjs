// Errors that no code of a request waits for (docs/decisions/0017-what-ends-the-process.md).

const SQL_STATE = /^[0-9A-Z]{5}$/;
const FAILED_QUERY = /^Failed query/;

/** Logs what nothing else catches. Only a server that is not ready yet ends with it. */
export function surviveFaults(isReady) {
  const survive = (error, origin) => {
    report("uncaught", error, { origin });
    if (!isReady()) process.exit(1);
  };
  const surviveRejection = (reason) => survive(reason, "unhandledRejection");
  // Next adds listeners that write the whole error with the values of its query. The first way leaves them out; the mark
  // says that its own listener for rejections is there already.
  process.setUncaughtExceptionCaptureCallback((error) => survive(error, "uncaughtException"));
  process.on("unhandledRejection", surviveRejection);
  globalThis[Symbol.for("next.unhandledRejectionListener")] = surviveRejection;
  // A log that is not read any more must not end the server, nor fill it with errors about the log.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}

export function report(event, error, fields = {}) {
  console.log(JSON.stringify({ at: new Date().toISOString(), level: "error", event, ...fields, ...firstCause(error) }));
}

/** As errorFields in lib/log.ts: a database's error, and what wraps it, may quote the query with its values. */
function firstCause(error) {
  if (error?.cause instanceof Error) return firstCause(error.cause);
  const { name, code, message, stack } = error ?? {};
  const frames = `${stack ?? ""}`.split("\n").filter((line) => /^\s+at /.test(line));
  return {
    error: name,
    code,
    message: SQL_STATE.test(code) || FAILED_QUERY.test(message) ? undefined : `${message ?? ""}`.slice(0, 300),
    stack: frames.slice(0, 3),
  };
}
