import { startEnvironment } from "./environment";

/** The global set-up of Vitest and Playwright: one world for all tests of a run, whichever project comes first. */
export default async (): Promise<(() => Promise<void>) | undefined> =>
  process.env.TEST_SERVERS === undefined ? startEnvironment() : undefined;
