/** How often WhatsApp is asked for the templates of one business account, whatever asked for it. */

/** At least this long between the starts of two reads. */
export const LEAST_APART_SECONDS = 60;
/** Without any event, the whole list is read this often. */
export const EVERY_SECONDS = 6 * 60 * 60;
/** Spreads the accounts that became due at the same moment. */
export const SPREAD_SECONDS = 10 * 60;
/** A read lists for 100 s at most, and then stores: after this its reader is gone. */
export const CLAIM_SECONDS = 150;

/** The wait after a failure, which doubles with each further one in a row, up to an hour. */
export const FIRST_WAIT_SECONDS = 60;
export const LONGEST_WAIT_SECONDS = 60 * 60;
