const KIB = 1_024;

/** Maximum body sizes in bytes, by kind of request. */
export const BODY_CAPS = {
  call: 256 * KIB,
  webhook: 4 * 1_024 * KIB,
  /** A page's action or send. Small, because parsing blocks all other requests. */
  action: 256 * KIB,
  /** Sign-in, and a page's other calls. */
  form: 64 * KIB,
  /** Media of test lines: a video of at most 16 MB, plus its form encoding. */
  sandbox: 17 * 1_024 * KIB,
  /** The built-in sandbox's other calls and webhooks, which are far smaller. */
  sandboxCall: 256 * KIB,
} as const;
