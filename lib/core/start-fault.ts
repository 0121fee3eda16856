import { processWide } from "./process-wide";

/**
 * What keeps a start from being whole where a host such as Vercel runs the process, and ending it would take down what
 * needs neither. Our own server refuses to start instead.
 */
type StartFault = {
  /** The message of an invalid environment. */
  environment?: string;
  /** Rejects while the database must not be used; tries again by itself, and is removed once all is well. */
  passDatabase?: () => Promise<void>;
};

export const startFault = processWide("start-fault", (): StartFault => ({}));
