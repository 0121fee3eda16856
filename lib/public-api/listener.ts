/** Replaces the URL of a `listen` session that only prints its events. */
export const PRINTED_ONLY = "listen:";
