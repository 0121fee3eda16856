import { Copyable } from "@/app/_components/copy-button";
import { ConfirmAction } from "@/app/_components/dialog";
import { ActionForm, Field, SubmitButton } from "@/app/_components/form";
import { Icon } from "@/app/_components/icon";
import { Card, Fields, Notice, SideBySide } from "@/app/_components/panels";
import { Chip, Code } from "@/app/_components/text";
import { Ago, Timestamp } from "@/app/_components/timestamp";
import { may, pageMember, recordPageLoader, recordTitle } from "@/lib/auth/page-member";
import { type ContactSummary, findContact, type KnownName } from "@/lib/contacts/queries";
import { shownContact, shownRecipient } from "@/lib/contacts/recipient";
import { windowLeftMs, windowShare } from "@/lib/contacts/window";
import { shortId } from "@/lib/core/text";
import { Page, WhoHelps } from "../../_components/page-frame";
import { changeName, eraseContact } from "../actions";
import { Conversation } from "./conversation";

/** The clock of the 24-hour window shows minutes. */
const CLOCK_MS = 60_000;

const readContact = recordPageLoader("/dashboard/contacts/[contactId]", findContact);

export const generateMetadata = recordTitle(readContact, ({ id }) => `Contact ${id} · Contacts`);

export default async function ContactPage(props: PageProps<"/dashboard/contacts/[contactId]">) {
  const { found: contact, member } = await readContact(props);
  const { name, erasedAt } = contact;
  const title = erasedAt ? "Erased contact" : (name ?? shownContact(contact, member.role));
  return (
    <Page
      title={<span dir="auto">{title}</span>}
      back={{ href: "/dashboard/contacts", word: "Contacts" }}
      refreshMs={windowLeftMs(contact.lastInboundAt, new Date()) > 0 ? CLOCK_MS : null}
    >
      {erasedAt ? (
        <Notice tone="caution">
          This contact was erased on <Timestamp at={erasedAt} />. Number, name and the contents of messages are gone;
          their ids and statuses stay.
        </Notice>
      ) : (
        <div className="grid gap-8">
          <WindowClock lastInboundAt={contact.lastInboundAt} />
          <SideBySide columns="gap-y-8 @min-[60rem]:grid-cols-[6fr_5fr] @min-[60rem]:gap-x-12">
            <Conversation contact={contact} />
            <div className="grid gap-8">
              <ContactFields contact={contact} />
              <Changes contact={contact} />
            </div>
          </SideBySide>
        </div>
      )}
    </Page>
  );
}

function ContactFields({ contact }: { contact: ContactSummary }) {
  const { id, phone, whatsappUserId, names, hasOpenFlow, createdAt } = contact;
  const { role } = pageMember();
  const others = names.filter(({ name }) => name !== phone && name !== whatsappUserId);
  const noPhone = whatsappUserId === null ? "None now." : "Not shared. Messages go to the WhatsApp user id.";
  return (
    <Fields
      rows={{
        contactId: <Copyable value={id} short={shortId(id)} label="contactId" />,
        Phone: phone === null ? noPhone : <Code>{shownRecipient(phone, role)}</Code>,
        "WhatsApp user id": whatsappUserId && <Code>{shownRecipient(whatsappUserId, role)}</Code>,
        "Also known as":
          others.length === 0 ? null : (
            <ul className="grid gap-1">
              {others.map((known) => (
                <OtherName key={shownRecipient(known.name, role)} known={known} />
              ))}
            </ul>
          ),
        Flow: hasOpenFlow ? <Chip tone="sent" icon="clock" word="Waits for an answer" /> : null,
        Marketing: contact.marketingOptedOutAt && (
          <Stopped at={contact.marketingOptedOutAt} source={contact.marketingOptOutSource} />
        ),
        "Test marketing": contact.testMarketingOptedOutAt && (
          <Stopped at={contact.testMarketingOptedOutAt} source={contact.testMarketingOptOutSource} />
        ),
        "Known since": <Timestamp at={createdAt} />,
      }}
    />
  );
}

function Stopped({ at, source }: { at: Date; source: ContactSummary["marketingOptOutSource"] }) {
  return (
    <>
      Stopped <Ago at={at} />, {source === "word" ? "by a stop word" : "in WhatsApp’s settings"}
    </>
  );
}

/** Another number or user id of the person, current or former. */
function OtherName({ known: { name, firstSeenAt, lastSeenAt, isLeft, leftAt } }: { known: KnownName }) {
  return (
    <li>
      <Code>{shownRecipient(name, pageMember().role)}</Code>
      <span className="block text-sm text-muted">
        {isLeft ? "No longer used" : "Also in use"}
        {isLeft && leftAt ? (
          <>
            , left <Ago at={leftAt} />
          </>
        ) : null}
        . First seen <Ago at={firstSeenAt} />
        {lastSeenAt ? (
          <>
            , last used <Ago at={lastSeenAt} />
          </>
        ) : null}
        .
      </span>
    </li>
  );
}

function Changes({ contact }: { contact: ContactSummary }) {
  if (!may("manageContacts")) {
    return (
      <p className="text-muted">
        To change or erase a contact: <WhoHelps to="manageContacts" />
      </p>
    );
  }
  const fields = { contactId: contact.id };
  return (
    <div className="grid gap-6">
      <Card>
        <ActionForm action={changeName} fields={fields} done="Saved.">
          <Field label="Name" name="name" dir="auto" defaultValue={contact.name ?? ""} maxLength={400} />
          <SubmitButton className="justify-self-start" look="secondary">
            Save
          </SubmitButton>
        </ActionForm>
      </Card>
      {may("exportContact") ? (
        <Card title="Export">
          <p className="mb-3 text-muted">For a person who asks what is stored: names, messages and their contents.</p>
          <a
            href={`/api/v1/workspaces/${pageMember().workspaceId}/contacts/${contact.id}/export`}
            download
            className="rounded-sm text-link underline decoration-1 underline-offset-2 hover:decoration-2"
          >
            Download as JSON
          </a>
        </Card>
      ) : null}
      <Card isDanger title="Erase">
        <p className="mb-3 text-muted">For a person who asks to be forgotten. This cannot be undone.</p>
        <ConfirmAction
          action={eraseContact}
          fields={fields}
          opener="Erase this person…"
          title="Erase this person?"
          confirm="Erase for good"
          busy="Erasing… this may take a minute"
          typed={{ name: "typed", word: "erase", label: "Type “erase” to confirm" }}
        >
          <p>
            The number, the name, and the contents of every message to {shownContact(contact, pageMember().role)} are
            deleted. Ids, statuses and counts stay, so that nothing is sent twice.
          </p>
          <p>
            {contact.marketingOptedOutAt
              ? "They stopped marketing messages. That is"
              : "A stop of marketing messages is"}{" "}
            forgotten, too: a later send to the number is not refused. Take it off your own lists.
          </p>
        </ConfirmAction>
      </Card>
    </div>
  );
}

/** How long free text is still allowed, as a clock that runs down. */
function WindowClock({ lastInboundAt }: { lastInboundAt: Date | null }) {
  const leftMs = windowLeftMs(lastInboundAt, new Date());
  return (
    <section aria-label="24-hour window" className="flex items-center gap-4">
      {leftMs > 0 ? (
        <svg aria-hidden="true" viewBox="0 0 36 36" className="size-14 shrink-0 -rotate-90 fill-none" strokeWidth="4">
          <circle cx="18" cy="18" r="15.9155" className="stroke-hairline" />
          <circle
            cx="18"
            cy="18"
            r="15.9155"
            className="stroke-good"
            strokeDasharray={`${100 * windowShare(leftMs)} 100`}
          />
        </svg>
      ) : (
        // An empty ring would look like a spinner.
        <Icon name="template" className="size-6 text-muted" />
      )}
      <div className="min-w-0">
        <p className="font-semibold">{leftMs > 0 ? `Free text for another ${inWords(leftMs)}` : "Needs a template"}</p>
        <p className="text-muted">
          {lastInboundAt ? (
            <>
              Last wrote <Ago at={lastInboundAt} />
            </>
          ) : (
            "Has never written to you"
          )}
        </p>
      </div>
    </section>
  );
}

const MINUTE_MS = 60_000;

function inWords(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
