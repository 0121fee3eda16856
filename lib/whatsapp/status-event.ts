/** One status of one message, as WhatsApp reported it. */
export type StatusEvent = {
  whatsappPhoneNumberId: string;
  whatsappMessageId: string;
  /** Our own message id, which WhatsApp hands back; null where it does not look like one. */
  messageId: string | null;
  /** WhatsApp's word in lower case, also one that we do not know. */
  status: string;
  occurredAt: Date;
  failure: { code: number | null; reason: string } | null;
  /** Under which number (digits) and user id WhatsApp knows the recipient; null where it does not say. */
  recipient: { waId: string | null; userId: string | null };
  /** WhatsApp's own object as JSON; null where it is too long to be kept, or was removed. */
  raw: string | null;
  /** SHA-256 of WhatsApp's own object: a repeated delivery has the same. */
  digest: Uint8Array;
};
