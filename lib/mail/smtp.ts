import { Readable } from "node:stream";
import { createTransport } from "nodemailer";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import SMTPTransport from "nodemailer/lib/smtp-transport";
import { Deadline } from "@/lib/core/deadline";
import { env } from "@/lib/core/env";
import type { ComposedMail } from "./compose-mail";
import { type Refused, refusedBy, type SmtpError } from "./refusal";

/** From the look-up of the server's name to its last response. */
const ATTEMPT_MS = 30_000;
const STEP_MS = 8_000;

/** A mail that the server did not accept. */
export class MailFailure extends Error {
  constructor(
    /** A code, such as `550`, `ETIMEDOUT` or `CERT_HAS_EXPIRED`: never what the server said, which may quote an address. */
    readonly reason: string,
    /** Where in the dialogue: `connection`, `EHLO`, `AUTH`, `MAIL FROM`, `RCPT TO`, `DATA`. */
    readonly step = "connection",
    readonly refused: Refused = "none",
  ) {
    super(`${reason} at ${step}`);
  }

  /** Whether the server would treat a mail to anyone so: it has not been given a recipient yet. */
  get isForAll(): boolean {
    return this.step !== "RCPT TO" && this.step !== "DATA";
  }
}

/** Hands a mail to the server of SMTP_URL. Throws MailFailure, within 30 s. */
export async function postMail({
  id,
  address,
  ...mail
}: ComposedMail & { id: string; address: string }): Promise<void> {
  const messageId = `<${id}@${new URL(env().APP_URL).hostname}>`;
  // RFC 3834: an absent person's server does not answer it.
  const headers = { "Auto-Submitted": "auto-generated" };
  const transport = createTransport(serverOptions());
  await inTime(transport.sendMail({ ...mail, messageId, headers, ...partiesOf(address) })).finally(() =>
    transport.close(),
  );
}

// A list of one, so that a comma in an address cannot add another recipient.
const partiesOf = (address: string) => ({ from: env().MAIL_FROM, to: [{ name: "", address }] });

/**
 * Holds the dialogue of a mail to `address`, by default MAIL_FROM's own, with the server of SMTP_URL until it accepts the recipient, and sends nothing. Throws
 * as postMail does. nodemailer's own `verify` ends after the sign-in, which is none where the server offers none.
 */
export async function tryMailServer(address?: string): Promise<void> {
  const { auth, ...options } = new SMTPTransport(serverOptions()).options;
  const connection = new SMTPConnection(options);
  const envelope = new MailComposer(address ? partiesOf(address) : { from: env().MAIL_FROM, to: env().MAIL_FROM })
    .compile()
    .getEnvelope();
  const accepted = new Promise<void>((resolve, reject) => {
    // The message is read once the recipient is accepted. Closing the connection then discards it (RFC 5321, 4.1.1.4).
    const unsent = new Readable({ read: () => resolve() });
    const offer = (error?: Error | null) => (error ? reject(error) : connection.send(envelope, unsent, reject));
    connection.once("error", reject);
    connection.connect((error) =>
      error || !auth || !connection.allowsAuth ? offer(error) : connection.login(auth, offer),
    );
  });
  await inTime(accepted).finally(() => connection.close());
}

async function inTime(dialogue: Promise<unknown>): Promise<void> {
  try {
    await Deadline.in(ATTEMPT_MS).bound(dialogue, () => new MailFailure("ETIMEDOUT"));
  } catch (error) {
    throw error instanceof MailFailure ? error : failureOf(error as SmtpError);
  }
}

const serverOptions = () => ({
  url: env().SMTP_URL ?? "",
  dnsTimeout: STEP_MS,
  connectionTimeout: STEP_MS,
  greetingTimeout: STEP_MS,
  socketTimeout: STEP_MS,
  // Contents are composed here alone: no file and no URL is ever read for a mail.
  disableFileAccess: true,
  disableUrlAccess: true,
});

function failureOf(error: SmtpError): MailFailure {
  const { responseCode, originalCode, code = "unknown", command = "CONN" } = error;
  const step = command === "CONN" || command === "API" ? "connection" : command.replace(/^AUTH .*/, "AUTH");
  return new MailFailure(String(responseCode || originalCode || code), step, refusedBy(error));
}
