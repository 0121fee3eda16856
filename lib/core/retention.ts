/** Ten years. Contents to keep for longer belong in an archive. */
export const MAX_RETENTION_DAYS = 3_650;

/** Replaces a failure reason, which may quote the message or its recipient. WhatsApp's code is kept. */
export const REMOVED_REASON = "The reason was removed together with the contents of the message.";
