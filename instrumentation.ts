import type { Instrumentation } from "next";
import { frontDoor } from "@/lib/core/own-server";

/** Runs once when Next starts, before its first request. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const [{ startPages }, { cachedPublicPage }] = await Promise.all([
    import("./lib/operations/start-pages"),
    import("./lib/auth/cached-public-page"),
  ]);
  const door = frontDoor();
  if (door) door.serveCachedPage = cachedPublicPage;
  await startPages();
}

/** Learns why Next could not render a page. By its name, as the class is there once in each of Next's bundles. */
export const onRequestError: Instrumentation.onRequestError = (error) => {
  if (error instanceof Error && error.name === "DatabaseUnavailable") frontDoor()?.noteDatabaseFailure?.();
};
