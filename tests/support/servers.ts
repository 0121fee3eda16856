import { startEnvironment } from "./environment";

/** The global set-up of a run: one world for all its tests. What its end finds fails the run, which Vitest only reports. */
export default async (): Promise<() => Promise<void>> => {
  const stop = await startEnvironment();
  return () =>
    stop().catch((error: unknown) => {
      process.exitCode = 1;
      throw error;
    });
};
