/** The most bytes that a body may have, by what it is. */
export const BODY_CAPS = {
  call: 256 * 1_024,
  webhook: 4 * 1_024 * 1_024,
  /** Of a page's action: reading it costs time that everybody else waits for. */
  action: 256 * 1_024,
  /** The media of test lines: a video has 16 MB at most, and a form around it. */
  sandbox: 17 * 1_024 * 1_024,
} as const;
