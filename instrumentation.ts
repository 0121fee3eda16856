import type { Instrumentation } from "next";
import { noteDatabaseFailure } from "./lib/front-door";

/** Runs once when a server starts, before its first request. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const [{ startServer }, { answerFirst }, { strangerPage }] = await Promise.all([
    import("./lib/start-server"),
    import("./lib/front-door"),
    import("./lib/auth/stranger-page"),
  ]);
  answerFirst(strangerPage);
  await startServer();
}

/** Learns why Next could not render a page. By its name, as the class is there once in each of Next's bundles. */
export const onRequestError: Instrumentation.onRequestError = (error) => {
  if (error instanceof Error && error.name === "DatabaseUnavailable") noteDatabaseFailure();
};
