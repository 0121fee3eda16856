import { Notice } from "@/app/_components/notice";
import type { Mode } from "@/db/schema/identity";
import { isRecord } from "@/lib/core/is-record";

export type SendingLine = { id: string; label: string; displayPhoneNumber: string };
export type NamedContact = { id: string; word: string };

type Props = {
  id: string;
  mode: Mode;
  /** Of the call, as far as it can be read. */
  body: unknown;
  lines: readonly SendingLine[];
  /** The contact that the page was opened with. */
  contact: NamedContact | undefined;
};

/** From which line to whom a message is about to be sent, right above the button that sends it. */
export function SendRoute({ id, mode, body, lines, contact }: Props) {
  const fields = isRecord(body) ? body : {};
  const isLive = mode === "live";
  return (
    <div id={id}>
      <Notice tone={isLive ? "caution" : "info"}>
        Sends from {lineWord(fields.phoneNumberId, lines)} to {recipientWord(fields, contact)}.{" "}
        {isLive ? "A real person receives it, and it counts against the plan." : "Test mode: nothing reaches a person."}
      </Notice>
    </div>
  );
}

const lineWord = (phoneNumberId: unknown, lines: readonly SendingLine[]) => {
  const isNamed = typeof phoneNumberId === "string" && phoneNumberId !== "";
  const line = isNamed ? lines.find(({ id }) => id === phoneNumberId) : lines.length === 1 ? lines[0] : undefined;
  if (!line) return isNamed ? <>a line that is not active in this mode</> : <>no line: name one of {lines.length}</>;
  return (
    <>
      <strong className="font-semibold">{line.label}</strong> ({line.displayPhoneNumber})
    </>
  );
};

const recipientWord = ({ phone, contactId }: Record<string, unknown>, contact: NamedContact | undefined) => {
  if (typeof phone === "string" && phone.trim() !== "") {
    return <strong className="font-semibold break-words">+{phone.trim().replace(/^\+/, "")}</strong>;
  }
  if (typeof contactId !== "string" || contactId === "") return <>no recipient yet</>;
  if (contactId !== contact?.id) return <strong className="font-semibold break-words">contact {contactId}</strong>;
  return <strong className="font-semibold break-words">{contact.word}</strong>;
};
