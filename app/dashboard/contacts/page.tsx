import { ButtonLink, CsvLink } from "@/app/_components/button";
import { Copyable } from "@/app/_components/copy-button";
import { TextLink } from "@/app/_components/link";
import { ListFilters } from "@/app/_components/list-filters";
import { BeyondTheEnd, TimePager } from "@/app/_components/list-links";
import { DataTable, EmptyState } from "@/app/_components/panels";
import { Chip, Code, Muted } from "@/app/_components/text";
import { Since } from "@/app/_components/timestamp";
import { listReader } from "@/db/read-lists";
import { may, pageMember, requireMember } from "@/lib/auth/page-member";
import { readContactSearch } from "@/lib/contacts/contact-search";
import { listContacts } from "@/lib/contacts/queries";
import { shownContact } from "@/lib/contacts/recipient";
import { windowLeftMs } from "@/lib/contacts/window";
import { readCursor } from "@/lib/core/keyset-page";
import { withQuery } from "@/lib/core/query-string";
import { shortId } from "@/lib/core/text";
import { Page, WhoHelps } from "../_components/page-frame";
import { PanelLink } from "../_components/side-panel";
import { AddContact } from "./add-contact";

export const metadata = { title: "Contacts" };

const PATH = "/dashboard/contacts";

export default async function ContactsPage({ searchParams }: PageProps<"/dashboard/contacts">) {
  const member = await requireMember();
  const { workspaceId, role } = member;
  const { q: given, older, newer } = await searchParams;
  const q = typeof given === "string" && given.trim() !== "" ? given : undefined;
  const search = readContactSearch(q, role);
  const place = { older: readCursor(older), newer: readCursor(newer) };
  const lists = listReader(member);
  const page = await lists.read(() => listContacts(workspaceId, { search, ...place }));
  return (
    <Page
      title="Contacts"
      intro="A contactId stays when a number changes; a call may name either."
      actions={<Tools />}
      lists={lists}
    >
      <ListFilters
        path={PATH}
        search={{
          label: "Search contacts",
          placeholder: may("seeFullRecipient") ? "Name, part of a number, or id" : "Name, whole number or id",
        }}
        filters={{}}
        values={{ q }}
      />
      <DataTable
        caption="Contacts, newest first"
        rows={page.rows}
        href={({ id }) => `${PATH}/${id}`}
        link={PanelLink}
        columns={{
          Name: {
            className: "sm:w-[35%] sm:max-w-0",
            cell: (contact) => (
              <span className="flex items-center gap-2">
                <span dir="auto" className="min-w-0 truncate">
                  {contact.name ?? (
                    <Muted>
                      No name<span className="sr-only">, {shownContact(contact, role)}</span>
                    </Muted>
                  )}
                </span>
                <StateChips contact={contact} />
              </span>
            ),
          },
          Phone: {
            place: "below",
            cell: (contact) => <Muted>{shownContact(contact, role)}</Muted>,
          },
          contactId: {
            className: "sm:whitespace-nowrap",
            cell: ({ id }) => <Copyable value={id} short={shortId(id)} label={`contactId ${id}`} />,
          },
          "Last message": { place: "end", cell: ({ lastMessageAt }) => <Since at={lastMessageAt} /> },
        }}
        empty={
          !page.isFirst ? (
            <BeyondTheEnd of="contacts" newest={withQuery(PATH, { q })} />
          ) : q === undefined ? (
            <EmptyState title="No contact yet">
              A contact is created by the first message to or from a number. A call names its recipient by{" "}
              <Code>phone</Code> or by <Code>contactId</Code>.
            </EmptyState>
          ) : (
            <EmptyState title="No contact matches">
              No contacts found. <TextLink href={PATH}>Clear the search</TextLink>.
            </EmptyState>
          )
        }
      />
      <TimePager page={page} at={(place) => withQuery(PATH, { q, ...place })} />
    </Page>
  );
}

type Row = Awaited<ReturnType<typeof listContacts>>["rows"][number];

/** Whether free text may be sent now, a flow awaits its answer, and marketing is stopped. */
function StateChips({ contact }: { contact: Row }) {
  const { lastInboundAt, hasOpenFlow, marketingOptedOutAt, testMarketingOptedOutAt } = contact;
  const stopped = marketingOptedOutAt ? "Marketing stopped" : "Test marketing stopped";
  return (
    <>
      {marketingOptedOutAt || testMarketingOptedOutAt ? <Chip tone="caution" icon="pause" word={stopped} /> : null}
      {windowLeftMs(lastInboundAt, new Date()) > 0 ? <Chip tone="sent" icon="reply" word="Wrote lately" /> : null}
      {hasOpenFlow ? <Chip tone="pending" icon="clock" word="Flow open" /> : null}
    </>
  );
}

function Tools() {
  if (!may("manageContacts")) {
    return (
      <p className="text-sm text-muted">
        To add or import contacts: <WhoHelps to="manageContacts" />
      </p>
    );
  }
  return (
    <div className="flex flex-wrap gap-3">
      <ButtonLink icon="upload" look="secondary" href="/dashboard/contacts/import">
        Import CSV
      </ButtonLink>
      <CsvLink
        href={`/api/v1/workspaces/${pageMember().workspaceId}/contacts/export`}
        size="normal"
        word="Export CSV"
      />
      <AddContact />
    </div>
  );
}
