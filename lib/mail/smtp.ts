import { createTransport } from "nodemailer";
import { Deadline } from "@/lib/core/deadline";
import { env } from "@/lib/core/env";
import type { ComposedMail } from "./compose-mail";

/** From the look-up of the server's name to its last response. */
const ATTEMPT_MS = 30_000;
const STEP_MS = 8_000;

/** A mail that the server did not accept. `reason` is a code, such as `550` or `ETIMEDOUT`. */
export class MailFailure extends Error {
  constructor(
    readonly reason: string,
    readonly isPermanent = false,
  ) {
    super(reason);
  }
}

/** Hands a mail to the server of SMTP_URL. Throws MailFailure, within 30 s; permanent only where the server said 5xx. */
export function postMail({ id, address, ...mail }: ComposedMail & { id: string; address: string }): Promise<void> {
  const messageId = `<${id}@${new URL(env().APP_URL).hostname}>`;
  // A list of one, so that a comma in an address cannot add another recipient.
  const message = { ...mail, messageId, from: env().MAIL_FROM, to: [{ name: "", address }] };
  return withServer((transport) => transport.sendMail(message));
}

/** Connects and signs in to the server of SMTP_URL, without a mail. Throws as postMail does. */
export function checkMailServer(): Promise<void> {
  return withServer((transport) => transport.verify());
}

async function withServer(work: (transport: ReturnType<typeof openTransport>) => Promise<unknown>): Promise<void> {
  const transport = openTransport();
  const late = () => new MailFailure("ETIMEDOUT");
  try {
    await Deadline.in(ATTEMPT_MS).bound(work(transport), late);
  } catch (error) {
    throw error instanceof MailFailure ? error : failureOf(error);
  } finally {
    transport.close();
  }
}

const openTransport = () =>
  createTransport({
    url: env().SMTP_URL ?? "",
    dnsTimeout: STEP_MS,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    // Contents are composed here alone: no file and no URL is ever read for a mail.
    disableFileAccess: true,
    disableUrlAccess: true,
  });

const REFUSED = new Set(["EENVELOPE", "EMESSAGE"]);

function failureOf(error: unknown): MailFailure {
  const { responseCode, code = "unknown" } = error as { responseCode?: number; code?: string };
  // A refused login is the operator's to fix, so the mail waits.
  const isPermanent = responseCode !== undefined && responseCode >= 500 && REFUSED.has(code);
  return new MailFailure(String(responseCode ?? code), isPermanent);
}
