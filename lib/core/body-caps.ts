const KIB = 1_024;

/** The most bytes that a body may have, by what it is. */
export const BODY_CAPS = {
  call: 256 * KIB,
  webhook: 4 * 1_024 * KIB,
  /** Of a page's action or its send: reading it takes time from all other requests. */
  action: 256 * KIB,
  /** Of sign-in, and of a page's other calls. */
  form: 64 * KIB,
  /** The media of test lines: a video has 16 MB at most, and a form around it. */
  sandbox: 17 * 1_024 * KIB,
  /** Of the built-in sandbox's other calls and its webhooks; far more than they have. */
  sandboxCall: 256 * KIB,
} as const;
