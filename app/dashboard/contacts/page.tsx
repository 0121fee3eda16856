import type { Metadata } from "next";
import { ButtonLink } from "@/app/_components/button";
import { Chip } from "@/app/_components/chip";
import { Copyable } from "@/app/_components/copyable";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Icon } from "@/app/_components/icon";
import { ListFilters } from "@/app/_components/list-filters";
import { PageHeading } from "@/app/_components/page-heading";
import { Pager } from "@/app/_components/pager";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import type { Member } from "@/lib/auth/member";
import { requireMember } from "@/lib/auth/page-member";
import { readContactSearch } from "@/lib/contacts/contact-search";
import { type ContactSummary, listContacts } from "@/lib/contacts/queries";
import { shownContact } from "@/lib/contacts/recipient";
import { readCursor, writeCursor } from "@/lib/core/page-cursor";
import { withQuery } from "@/lib/core/query-string";
import { can, whoCan } from "@/lib/workspaces/roles";
import { PanelLink } from "../_components/panel-link";
import { AddContact } from "./add-contact";

export const metadata: Metadata = { title: "Contacts" };

const PATH = "/dashboard/contacts";

export default async function ContactsPage({ searchParams }: PageProps<"/dashboard/contacts">) {
  const member = await requireMember();
  const { q: given, older, newer } = await searchParams;
  const q = typeof given === "string" && given.trim() !== "" ? given : undefined;
  const search = readContactSearch(q, member.role);
  const page = await listContacts(member.workspaceId, { search, older: readCursor(older), newer: readCursor(newer) });
  const pageAt = (place: Record<string, string>) => withQuery(PATH, { q, ...place });
  return (
    <>
      <PageHeading title="Contacts" actions={<Tools member={member} />}>
        People you messaged, and people who messaged you. A contactId stays when a number changes; a call may name
        either.
      </PageHeading>
      <ListFilters
        path={PATH}
        search={{
          value: q,
          label: "Search contacts",
          placeholder: can(member.role, "seeFullRecipient") ? "Name, number or id" : "Name, whole number or id",
        }}
        filters={[]}
      />
      {page.rows.length > 0 ? (
        <ContactTable contacts={page.rows} member={member} />
      ) : q !== undefined ? (
        <EmptyState title="No contact matches">
          No contacts found. <TextLink href={PATH}>Clear the search</TextLink>.
        </EmptyState>
      ) : (
        <EmptyState title="No contact yet">
          A contact is created by the first message to or from a number. A call names its recipient by{" "}
          <code className="font-mono text-sm">phone</code> or by <code className="font-mono text-sm">contactId</code>.
        </EmptyState>
      )}
      <Pager
        newer={page.newer && pageAt({ newer: writeCursor(page.newer) })}
        older={page.older && pageAt({ older: writeCursor(page.older) })}
      />
    </>
  );
}

function Tools({ member }: { member: Member }) {
  if (!can(member.role, "manageContacts")) {
    return <p className="text-sm text-muted">To add or import contacts: {whoCan("manageContacts")}</p>;
  }
  return (
    <div className="flex flex-wrap gap-3">
      <ButtonLink look="secondary" href="/dashboard/contacts/import">
        <Icon name="upload" />
        Import CSV
      </ButtonLink>
      <AddContact workspaceId={member.workspaceId} />
    </div>
  );
}

function ContactTable({ contacts, member }: { contacts: ContactSummary[]; member: Member }) {
  const { timeZone } = member.workspace;
  return (
    <DataTable
      caption="Contacts, newest first"
      rows={contacts}
      rowKey={({ id }) => id}
      columns={[
        {
          heading: "Name",
          className: "wrap-anywhere sm:min-w-40",
          cell: ({ id, name }) => (
            <PanelLink href={`${PATH}/${id}`}>
              <span dir="auto">{name ?? "No name"}</span>
            </PanelLink>
          ),
        },
        {
          heading: "Phone",
          cell: (contact) => (
            <span className="font-mono text-sm whitespace-nowrap">{shownContact(contact, member.role)}</span>
          ),
        },
        {
          heading: "contactId",
          className: "sm:min-w-52 xl:whitespace-nowrap",
          cell: ({ id }) => <Copyable value={id} label={`contactId ${id}`} />,
        },
        {
          heading: "Last message",
          cell: ({ lastMessage }) =>
            lastMessage ? (
              <TextLink href={`/dashboard/messages/${lastMessage.id}`} prefetch={false}>
                <Timestamp at={lastMessage.at} timeZone={timeZone} isInLink />
              </TextLink>
            ) : (
              <span className="text-muted">None</span>
            ),
        },
        {
          heading: "Flow",
          cell: ({ hasOpenFlow }) =>
            hasOpenFlow ? <Chip tone="sent" icon="clock" word="Open" /> : <span className="text-muted">None</span>,
        },
      ]}
    />
  );
}
