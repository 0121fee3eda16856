/** One status of one message, as WhatsApp reported it. */
export type StatusEvent = {
  whatsappPhoneNumberId: string;
  whatsappMessageId: string;
  /** Our message id, echoed by WhatsApp; null if it does not look like one. */
  messageId: string | null;
  /** WhatsApp's status in lower case, including unknown ones. */
  status: string;
  occurredAt: Date;
  failure: { code: number | null; reason: string } | null;
  /** The recipient's number (digits) and user id at WhatsApp; null if missing. */
  recipient: { waId: string | null; userId: string | null };
  /** WhatsApp's own object as JSON; null if it is too long to store, or was removed. */
  raw: string | null;
  /** SHA-256 of WhatsApp's own object: a repeated delivery has the same. */
  digest: Uint8Array;
};
