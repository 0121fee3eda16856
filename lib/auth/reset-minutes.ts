// Apart from the rules that use it: a page in the browser says it, and needs no error classes for it.

/** How long a link works. */
export const RESET_MINUTES = 30;
