import { startEnvironment } from "./environment";

/**
 * The global set-up of Vitest and Playwright: one world for all tests of a run, whichever project comes first. What its
 * end finds fails the run, which Vitest only reports.
 */
export default async (): Promise<(() => Promise<void>) | undefined> => {
  if (process.env.TEST_SERVERS !== undefined) return undefined;
  const stop = await startEnvironment();
  return () =>
    stop().catch((error: unknown) => {
      process.exitCode = 1;
      throw error;
    });
};
