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

type Behavior = "accept" | "refuse" | "greylist" | "hang";

/** A real SMTP server. `behave` says what it does with the next recipient: 250, 550, 451, or nothing at all. */
export const startMailServer = async () => {
  const state: { behavior: Behavior; asked: number } = { behavior: "accept", asked: 0 };
  const mails: ReceivedMail[] = [];
  const hanging = new Set<() => void>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo(_, __, answer) {
      state.asked += 1;
      if (state.behavior === "accept") return answer();
      if (state.behavior === "hang") return void hanging.add(answer);
      const [code, words] =
        state.behavior === "refuse" ? [550, "No such mailbox"] : [451, "Greylisted, try again later"];
      answer(Object.assign(new Error(words), { responseCode: code }));
    },
    onData(stream, session, answer) {
      text(stream).then((raw) => {
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
    url: `smtp://127.0.0.1:${port}`,
    mails,
    to: (address: string) => mails.filter(({ to }) => to.includes(address)),
    /** How many recipients were named to it, accepted or not. */
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
