/** In place of a URL, of a computer that prints its events and forwards them nowhere. */
export const PRINTED_ONLY = "listen:";
