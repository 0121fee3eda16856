/** Ten years. Contents that should stay longer belong into a system that is made for keeping them. */
export const MAX_RETENTION_DAYS = 3_650;

/** Stands in place of a failure's reason, which may quote the message or name its recipient; WhatsApp's code stays. */
export const REMOVED_REASON = "The reason was removed together with the contents of the message.";
