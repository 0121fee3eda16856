/** What nodemailer reports of a mail that was not accepted. */
export type SmtpError = {
  code?: string;
  /** The system's or TLS's own, where nodemailer replaced it by `ESOCKET` or `ETLS`. */
  originalCode?: string;
  responseCode?: number;
  response?: string;
  /** The step of the dialogue: `CONN`, `EHLO`, `AUTH PLAIN`, `MAIL FROM`, `RCPT TO`, `DATA`. */
  command?: string;
};

/** Whom a server refuses: the recipient, this deployment for any recipient, or no one, as it may pass later. */
export type Refused = "recipient" | "us" | "none";

const CERTIFICATE = /CERT|UNABLE_TO_(GET|VERIFY)|INVALID_CA|INVALID_PURPOSE/;
/** Replies about the dialogue or the sign-in, at whatever step. */
const OF_THE_DIALOGUE = new Set([500, 502, 503, 504, 530, 534, 535, 538, 555]);
/** Enhanced status codes of RFC 3463, also as qmail writes them. */
const ENHANCED = /(?:^5\d\d[ -]|#)5\.(\d{1,3}\.\d{1,3})\b/;
/** Those of a recipient: at RCPT TO also of its domain, and the general ones that mailbox hosts use; of the message, no other. */
const OF_THE_RECIPIENT: Record<string, RegExp> = {
  "RCPT TO": /^(0\.0|1\.(0|1|2|3|4|6|9|10)|2\.\d+|4\.\d+|5\.0)$/,
  DATA: /^(1\.(1|2|3|6|10)|2\.\d+)$/,
};

/**
 * Decides whom a refusal concerns. The step alone does not tell: by default, Postfix and others refuse clients and senders at
 * RCPT TO. In doubt it is us, because a mail that waits can be given up later.
 */
export function refusedBy({
  code = "",
  originalCode = "",
  responseCode = 0,
  response = "",
  command,
}: SmtpError): Refused {
  if (CERTIFICATE.test(`${code} ${originalCode}`) || code === "ETLS") return "us";
  if (responseCode < 500) return code === "EAUTH" && responseCode === 0 ? "us" : "none";
  if (OF_THE_DIALOGUE.has(responseCode)) return "us";
  const enhanced = ENHANCED.exec(response)?.[1];
  const isOfRecipient =
    enhanced === undefined
      ? command === "RCPT TO" && responseCode !== 554
      : (OF_THE_RECIPIENT[command ?? ""]?.test(enhanced) ?? false);
  return isOfRecipient && !isAboutUs(response) ? "recipient" : "us";
}

/** Of servers that name no enhanced code, or a general one. Addresses are left out: they may hold any word. */
const isAboutUs = (response: string): boolean =>
  /\b(relay|sender|authenticat|spf|dkim|blocked|blacklist)/i.test(response.replace(/\S+@\S+/g, ""));
