import { Icon } from "@/app/_components/icon";
import { Link, TextLink } from "@/app/_components/link";
import { Section } from "@/app/_components/panels";
import { MessageStatusMark, ModeLabel } from "@/app/_components/text";
import { dayHeading, TimeOfDay } from "@/app/_components/timestamp";
import { defaultMode, may, pageMember } from "@/lib/auth/page-member";
import type { ContactSummary } from "@/lib/contacts/queries";
import { sentenceCase } from "@/lib/core/text";
import { listMessages } from "@/lib/messages/list/log-queries";
import { logView } from "@/lib/messages/list/log-view";
import type { MessageSummary } from "@/lib/messages/message-summary";

const SHOWN = 12;

/** The newest messages to a person, and when the person last wrote, as a telephone shows them. */
export async function Conversation({ contact: { id, lastInboundAt } }: { contact: ContactSummary }) {
  const member = pageMember();
  const view = logView(member, { mode: defaultMode(member), query: { q: id } });
  const { rows } = await listMessages(view, {}, { perPage: SHOWN, shows: { words: may("seeBodies") } });
  const entries = [
    ...rows.toReversed().map((message) => ({ at: message.createdAt, message })),
    ...inbound(lastInboundAt),
  ]
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .map((entry) => ({ ...entry, day: dayHeading(entry.at) }));
  return (
    <Section
      title="Conversation"
      aside={
        rows.length > 0 ? <TextLink href={`/dashboard/messages?q=${id}`}>All messages to this contact</TextLink> : null
      }
    >
      {entries.length === 0 ? <p className="text-muted">Nothing was sent or received yet.</p> : null}
      {entries.length > 0 ? (
        <ol className="grid gap-2 rounded-card bg-chat p-3 sm:p-4">
          {entries.map(({ at, day, message }, i) => (
            <li key={message?.id ?? "inbound"} className="grid gap-2">
              {day === entries[i - 1]?.day ? null : <p className="text-center text-sm text-muted">{day}</p>}
              {message ? <Sent message={message} /> : <Wrote at={at} />}
            </li>
          ))}
        </ol>
      ) : null}
      <p className="mt-2 text-sm text-muted">What people write is not stored, only when they last wrote.</p>
    </Section>
  );
}

const inbound = (at: Date | null): { at: Date; message?: MessageSummary }[] => (at ? [{ at }] : []);

function Sent({ message }: { message: MessageSummary }) {
  const { id, words, templateName, type, status, createdAt, mode } = message;
  return (
    <Link
      href={`/dashboard/messages/${id}`}
      className="max-w-[85%] justify-self-end rounded-card bg-bubble-out px-3 py-1.5 hover:underline"
    >
      <span dir="auto" className="block break-words">
        {words ??
          (templateName === null ? (
            sentenceCase(type)
          ) : (
            <span className="flex items-center gap-1.5">
              <Icon name="template" />
              <span className="min-w-0 break-all">{templateName}</span>
            </span>
          ))}
      </span>
      <span className="flex items-center justify-end gap-1.5 text-sm">
        {mode === "test" ? <ModeLabel mode={mode} /> : null}
        <TimeOfDay at={createdAt} />
        <MessageStatusMark status={status} />
      </span>
    </Link>
  );
}

function Wrote({ at }: { at: Date }) {
  return (
    <p className="max-w-[85%] justify-self-start rounded-card bg-bubble px-3 py-1.5">
      <span className="block text-muted">Wrote to you</span>
      <span className="block text-end text-sm">
        <TimeOfDay at={at} />
      </span>
    </p>
  );
}
