/** What a process knows of a database that does not answer, so that not every request finds it out by waiting. */
export type Silence = {
  asked: (nowMs: number) => void;
  answered: () => void;
  /** For how long those who asked have been left without any answer; 0 where no one asked of late. */
  lastsMs: (nowMs: number) => number;
};

/** What is known of a database that was not asked for `forgottenAfterMs` is no longer known. */
export function createSilence(forgottenAfterMs: number): Silence {
  let sinceMs: number | undefined;
  let lastAskedAtMs = 0;

  const lastsMs = (nowMs: number) =>
    sinceMs === undefined || nowMs - lastAskedAtMs > forgottenAfterMs ? 0 : nowMs - sinceMs;

  return {
    lastsMs,
    asked: (nowMs) => {
      if (lastsMs(nowMs) === 0) sinceMs = nowMs;
      lastAskedAtMs = nowMs;
    },
    answered: () => {
      sinceMs = undefined;
    },
  };
}
