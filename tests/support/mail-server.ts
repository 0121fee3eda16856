import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

/** A mail as it arrived: quoted-printable and base64 are decoded, so that a test can read it. */
export type ReceivedMail = {
  to: string[];
  raw: string;
  subject: string;
  text: string;
  html: string;
  messageId: string;
};

/** A step of the dialogue, as nodemailer names it. */
export type Step = "connection" | "AUTH" | "MAIL FROM" | "RCPT TO" | "DATA";
type Refusal = { at: Step; code: number; words: string };
type Behavior = "accept" | "refuse" | "greylist" | "hang" | Refusal;

const BEHAVIORS: Partial<Record<string, Refusal>> = {
  refuse: { at: "RCPT TO", code: 550, words: "No such mailbox" },
  greylist: { at: "RCPT TO", code: 451, words: "Greylisted, try again later" },
};

/**
 * A real SMTP server. `behave` says what it does from now on: accept all, refuse every recipient with 550 or 451, not answer to one
 * at all, or refuse a step with a reply. `isEncrypted`: TLS from the first byte, with a certificate that no authority signed.
 */
export const startMailServer = async ({ isEncrypted = false } = {}) => {
  const state: { behavior: Behavior; asked: number } = { behavior: "accept", asked: 0 };
  const mails: ReceivedMail[] = [];
  const hanging = new Set<() => void>();
  /** Undefined where the step is accepted. */
  const refusalOf = (step: Step): Error | undefined => {
    const refusal = typeof state.behavior === "string" ? BEHAVIORS[state.behavior] : state.behavior;
    if (refusal?.at !== step) return undefined;
    return Object.assign(new Error(refusal.words), { responseCode: refusal.code });
  };
  const server = new SMTPServer({
    secure: isEncrypted,
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    onConnect: (_, answer) => answer(refusalOf("connection")),
    onAuth: ({ username }, _, answer) => {
      const refusal = refusalOf("AUTH");
      return refusal ? answer(refusal) : answer(null, { user: username });
    },
    onMailFrom: (_, __, answer) => answer(refusalOf("MAIL FROM")),
    onRcptTo(_, __, answer) {
      state.asked += 1;
      if (state.behavior === "hang") return void hanging.add(answer);
      answer(refusalOf("RCPT TO"));
    },
    onData(stream, session, answer) {
      text(stream).then((raw) => {
        const refusal = refusalOf("DATA");
        if (refusal) return answer(refusal);
        mails.push(
          readMail(
            raw,
            session.envelope.rcptTo.map(({ address }) => address),
          ),
        );
        answer();
      }, answer);
    },
  });
  // A client that hangs up is no failure of the stand-in.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return {
    /** With a user and a password, which it accepts whatever they are. */
    url: `smtp${isEncrypted ? "s" : ""}://switchboard:secret@127.0.0.1:${port}`,
    mails,
    to: (address: string) => mails.filter(({ to }) => to.includes(address)),
    /** How many recipients it was asked for, accepted or not. */
    asked: () => state.asked,
    behave: (behavior: Behavior) => {
      state.behavior = behavior;
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
};

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

const readMail = (raw: string, to: string[]): ReceivedMail => {
  const header = (name: string) =>
    decodeWords(new RegExp(`^${name}: (.*(?:\\r?\\n[ \\t].*)*)`, "im").exec(raw)?.[1] ?? "");
  return {
    to,
    raw,
    subject: header("Subject"),
    messageId: header("Message-ID"),
    text: partOf(raw, "text/plain"),
    html: partOf(raw, "text/html"),
  };
};

const partOf = (raw: string, type: string): string => {
  const part = raw.split(/\r?\n--[^\r\n]+/).find((one) => one.includes(`Content-Type: ${type}`)) ?? "";
  const at = part.search(/\r?\n\r?\n/);
  const body = part.slice(at).trim();
  if (/Content-Transfer-Encoding: base64/i.test(part)) return Buffer.from(body, "base64").toString("utf8");
  return /Content-Transfer-Encoding: quoted-printable/i.test(part) ? decodeQuoted(body) : body;
};

const decodeQuoted = (given: string): string =>
  Buffer.from(
    given
      .replace(/=\r?\n/g, "")
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");

/** Encoded words of a header (RFC 2047), several of which are one text. */
const decodeWords = (given: string): string =>
  given
    .replace(/\r?\n[ \t]+/g, " ")
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, how: string, word: string) =>
      how.toLowerCase() === "b"
        ? Buffer.from(word, "base64").toString("utf8")
        : decodeQuoted(word.replaceAll("_", " ")),
    );
