import { afterAll, beforeAll, onTestFinished } from "vitest";

/** What the tests of a file, or of a `describe`, share: made before the first of them; what can be stopped is, after the last. */
export function forSuite<T extends object & { stop?: () => unknown }>(start: () => Promise<T>): T {
  const shared = {} as T;
  beforeAll(async () => {
    Object.defineProperties(shared, Object.getOwnPropertyDescriptors(await start()));
  });
  afterAll(async () => void (await shared.stop?.()));
  return shared;
}

/** What one test starts for itself: stopped when the test is over, however it ends. */
export async function forTest<T extends { stop: () => Promise<unknown> | undefined }>(
  starting: Promise<T>,
): Promise<T> {
  const started = await starting;
  onTestFinished(async () => void (await started.stop()));
  return started;
}
