import type { Metadata } from "next";
import { cache } from "react";
import { ActionForm } from "@/app/_components/action-form";
import { BackLink } from "@/app/_components/back-link";
import { Card } from "@/app/_components/card";
import { Chip } from "@/app/_components/chip";
import { ConfirmAction } from "@/app/_components/confirm-action";
import { Copyable } from "@/app/_components/copyable";
import { Field } from "@/app/_components/field";
import { FieldRow, Fields } from "@/app/_components/fields";
import { Heading } from "@/app/_components/heading";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { SubmitButton } from "@/app/_components/submit-button";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import type { Mode } from "@/db/schema/identity";
import type { Member } from "@/lib/auth/member";
import { requireMemberOf } from "@/lib/auth/page-member";
import { type ContactSummary, findContact, type KnownName } from "@/lib/contacts/queries";
import { shownContact, shownRecipient } from "@/lib/contacts/recipient";
import { readMode } from "@/lib/core/page-mode";
import { can, whoCan } from "@/lib/workspaces/roles";
import { changeName, eraseContact } from "../actions";

type Props = PageProps<"/dashboard/contacts/[contactId]">;

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { found } = await readContact(props);
  return { title: `Contact ${found.id} · Contacts` };
}

export default async function ContactPage(props: Props) {
  const { found: contact, member } = await readContact(props);
  const { timeZone } = member.workspace;
  return (
    <>
      <BackLink href="/dashboard/contacts">Contacts</BackLink>
      <PageHeading title={<span dir="auto">{titleOf(contact, member)}</span>} />
      {contact.erasedAt ? (
        <Notice tone="caution">
          This contact was erased on <Timestamp at={contact.erasedAt} timeZone={timeZone} />. Number, name and the
          contents of messages are gone; their ids and statuses stay.
        </Notice>
      ) : (
        <div className="@container">
          <div className="grid items-start gap-6 @min-[60rem]:grid-cols-[6fr_5fr]">
            <ContactFields contact={contact} member={member} />
            <Changes contact={contact} member={member} />
          </div>
        </div>
      )}
    </>
  );
}

function ContactFields({ contact, member }: { contact: ContactSummary; member: Member }) {
  const { id, phone, whatsappUserId, names, lastMessage, lastInboundAt, hasOpenFlow, createdAt } = contact;
  const { timeZone } = member.workspace;
  const others = names.filter(({ name }) => name !== phone && name !== whatsappUserId);
  return (
    <Fields>
      <FieldRow name="contactId">
        <Copyable value={id} label="contactId" />
      </FieldRow>
      <FieldRow name="Phone">
        {phone === null ? (
          <span>{whatsappUserId === null ? "None now." : "Not shared. Messages go to the WhatsApp user id."}</span>
        ) : (
          <span className="font-mono text-sm">{shownRecipient(phone, member.role)}</span>
        )}
      </FieldRow>
      {whatsappUserId === null ? null : (
        <FieldRow name="WhatsApp user id">
          <span className="font-mono text-sm break-all">{shownRecipient(whatsappUserId, member.role)}</span>
        </FieldRow>
      )}
      {others.length === 0 ? null : (
        <FieldRow name="Also known as">
          <ul className="grid gap-1">
            {others.map((known) => (
              <OtherName key={shownRecipient(known.name, member.role)} known={known} member={member} />
            ))}
          </ul>
        </FieldRow>
      )}
      <FieldRow name="Free text">
        {isWithinWindow(lastInboundAt) ? (
          <span className="flex flex-wrap items-center gap-2">
            <Chip tone="good" icon="check" word="Allowed" />
            wrote <Timestamp at={lastInboundAt} timeZone={timeZone} />
          </span>
        ) : (
          <span>
            Needs a template: {lastInboundAt ? "last wrote " : "has never written to you"}
            {lastInboundAt ? <Timestamp at={lastInboundAt} timeZone={timeZone} /> : null}
          </span>
        )}
      </FieldRow>
      <FieldRow name="Flow">
        {hasOpenFlow ? <Chip tone="sent" icon="clock" word="Waits for an answer" /> : "None open"}
      </FieldRow>
      <FieldRow name="Last message">
        {lastMessage ? (
          <TextLink href={`/dashboard/messages/${lastMessage.id}`} prefetch={false}>
            <Timestamp at={lastMessage.at} timeZone={timeZone} isInLink />
          </TextLink>
        ) : (
          "None"
        )}
      </FieldRow>
      <FieldRow name="All messages">
        <TextLink href={`/dashboard/messages?q=${id}`} prefetch={false}>
          Messages to this contact
        </TextLink>
      </FieldRow>
      <FieldRow name="Known since">
        <Timestamp at={createdAt} timeZone={timeZone} />
      </FieldRow>
    </Fields>
  );
}

/** Another number or user id of the person: one that WhatsApp uses too, or one that they gave up. */
function OtherName({ known, member }: { known: KnownName; member: Member }) {
  const { name, firstSeenAt, lastSeenAt, isLeft, leftAt } = known;
  const { timeZone } = member.workspace;
  return (
    <li>
      <span className="font-mono text-sm break-all">{shownRecipient(name, member.role)}</span>
      <span className="block text-sm text-muted">
        {isLeft ? "No longer used" : "Also in use"}
        {isLeft && leftAt ? (
          <>
            {" "}
            since <Timestamp at={leftAt} timeZone={timeZone} />
          </>
        ) : null}
        . First seen <Timestamp at={firstSeenAt} timeZone={timeZone} />
        {lastSeenAt ? (
          <>
            , last used <Timestamp at={lastSeenAt} timeZone={timeZone} />
          </>
        ) : null}
        .
      </span>
    </li>
  );
}

function Changes({ contact, member }: { contact: ContactSummary; member: Member }) {
  const { workspaceId } = member;
  if (!can(member.role, "manageContacts")) {
    return <p className="text-muted">To change or erase a contact: {whoCan("manageContacts")}</p>;
  }
  const hiddenId = <input type="hidden" name="contactId" value={contact.id} />;
  return (
    <div className="grid gap-6">
      <Card aria-labelledby="name-heading">
        <Heading level={2} id="name-heading" className="mb-3 font-semibold">
          Name
        </Heading>
        <ActionForm action={changeName} workspaceId={workspaceId} done="Saved.">
          {hiddenId}
          <Field
            label="Name"
            name="name"
            dir="auto"
            defaultValue={contact.name ?? ""}
            maxLength={200}
            autoComplete="off"
          />
          <div>
            <SubmitButton look="secondary">Save</SubmitButton>
          </div>
        </ActionForm>
      </Card>
      <Card isDanger aria-labelledby="erase-heading">
        <Heading level={2} id="erase-heading" className="font-semibold">
          Erase
        </Heading>
        <p className="mt-1 mb-3 text-muted">For a person who asks to be forgotten. This cannot be undone.</p>
        <ConfirmAction
          action={eraseContact}
          workspaceId={workspaceId}
          opener="Erase this person…"
          title="Erase this person?"
          confirm="Erase for good"
          busy="Erasing… this may take a minute"
        >
          {hiddenId}
          <p>
            The number, the name, and the contents of every message to {shownContact(contact, member.role)} go. Ids,
            statuses and counts stay, so that nothing is sent twice.
          </p>
        </ConfirmAction>
      </Card>
    </div>
  );
}

const DAY_MS = 24 * 60 * 60 * 1_000;

const isWithinWindow = (at: Date | null): at is Date => at !== null && Date.now() - at.getTime() < DAY_MS;

const titleOf = (contact: ContactSummary, member: Member): string =>
  contact.erasedAt ? "Erased contact" : (contact.name ?? shownContact(contact, member.role));

const memberAndContact = cache((contactId: string, mode: Mode | undefined) =>
  requireMemberOf({ path: `/dashboard/contacts/${contactId}`, mode }, (workspaceId) =>
    findContact(workspaceId, contactId),
  ),
);

const readContact = async ({ params, searchParams }: Props) =>
  memberAndContact((await params).contactId, readMode((await searchParams).mode));
