import { processWide } from "./process-wide";

type Runs<T> = { last: Promise<unknown>; next: Promise<T> | undefined };

/**
 * Runs `work` once at a time in this process, by its name. Calls that come while it runs share the next run, which begins
 * after them and so sees what they saw. Rejects as `work` does.
 */
export const sharedRun = <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const runs = processWide<Runs<T>>(`shared-run.${name}`, () => ({ last: Promise.resolve(), next: undefined }));
  if (runs.next) return runs.next;
  const run = runs.last.then(() => {
    runs.next = undefined;
    return work();
  });
  runs.next = run;
  runs.last = run.catch(() => {});
  return run;
};
