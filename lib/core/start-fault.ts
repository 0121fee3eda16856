import { processWide } from "./process-wide";

/**
 * Start errors of a process that a host such as Vercel runs: it must not exit, so what needs the missing part returns 503.
 * Our own server refuses to start instead.
 */
type StartFault = {
  /** The message of an invalid environment. */
  environment?: string;
  /** Rejects while the database must not be used; tries again by itself, and is removed once all is well. */
  requireDatabase?: () => Promise<void>;
};

export const startFault = processWide("start-fault", (): StartFault => ({}));
