import type { Metadata } from "next";
import { EmptyState } from "@/app/_components/empty-state";
import { PageMode } from "@/app/_components/link-mode";
import { ListFilters } from "@/app/_components/list-filters";
import { PageHeading } from "@/app/_components/page-heading";
import { Pager } from "@/app/_components/pager";
import { TextLink } from "@/app/_components/text-link";
import type { Mode } from "@/db/schema/identity";
import type { Member } from "@/lib/auth/member";
import { requireMember, shownMode } from "@/lib/auth/page-member";
import { type PageCursor, readCursor, writeCursor } from "@/lib/core/page-cursor";
import { withQuery } from "@/lib/core/query-string";
import { isFiltered } from "@/lib/messages/filters";
import { countMessages, listMessages } from "@/lib/messages/log-queries";
import { type LogView, logView } from "@/lib/messages/log-view";
import { MessageTable } from "../_components/message-table";
import { NoMessageYet } from "../_components/no-message-yet";
import { filterFields } from "./filter-fields";
import { ListTools } from "./list-tools";

export const metadata: Metadata = { title: "Messages" };

const PATH = "/dashboard/messages";

type Place = { older?: PageCursor | undefined; newer?: PageCursor | undefined };

export default async function MessagesPage({ searchParams }: PageProps<"/dashboard/messages">) {
  const member = await requireMember();
  const { older, newer, refresh, ...given } = await searchParams;
  const view = logView(member, { mode: await shownMode(member, searchParams), given });
  const { filters, mode } = view;
  const place: Place = { older: readCursor(older), newer: readCursor(newer) };
  const [page, total, fields] = await Promise.all([
    listMessages(view, place),
    countMessages(view),
    filterFields(member, view),
  ]);
  const isRefreshed = refresh === "on";
  const listAt = ({ older, newer }: Place, isRefreshed: boolean) =>
    withQuery(PATH, {
      ...filters,
      older: older && writeCursor(older),
      newer: newer && writeCursor(newer),
      refresh: isRefreshed ? "on" : undefined,
    });
  return (
    <>
      <PageMode mode={mode} />
      <PageHeading title="Messages">
        Every message that was sent in {mode} mode, newest first. Times in {member.workspace.timeZone}.
      </PageHeading>
      <ListFilters
        path={PATH}
        search={{
          value: filters.q,
          label: "Search messages",
          placeholder: "Phone, message id, request id, platform id or idempotency key",
        }}
        filters={fields}
      />
      <ListTools
        member={member}
        view={view}
        isRefreshed={isRefreshed}
        total={total}
        // Later or empty pages count from now.
        shown={writeCursor((page.isFirst ? page.rows[0] : undefined) ?? { createdAt: new Date(), id: "none" })}
        isFirstPage={page.isFirst}
        turned={listAt(place, !isRefreshed)}
      />
      {page.rows.length === 0 ? (
        <Nothing view={view} isBeyondTheEnd={!page.isFirst} member={member} />
      ) : (
        <MessageTable caption="Messages, newest first" messages={page.rows} member={member} hasPanel />
      )}
      <Pager
        newer={page.newer && listAt({ newer: page.newer }, isRefreshed)}
        older={page.older && listAt({ older: page.older }, isRefreshed)}
      />
    </>
  );
}

type NothingProps = { view: LogView; isBeyondTheEnd: boolean; member: Member };

/** A list that matches nothing is another thing than a log in which there is nothing. */
function Nothing({ view: { filters, mode }, isBeyondTheEnd, member }: NothingProps) {
  if (isBeyondTheEnd) {
    return (
      <EmptyState title="No older messages">
        This is the end of the log. <TextLink href={withQuery(PATH, filters)}>Back to the newest</TextLink>.
      </EmptyState>
    );
  }
  if (isFiltered(filters)) {
    return (
      <EmptyState title="No message matches">
        None of the {mode} messages of {member.workspace.name} fits these filters.{" "}
        <TextLink href={PATH}>Clear the filters</TextLink>, or{" "}
        <TextLink href={withQuery(PATH, { ...filters, mode: other(mode) })}>look among {other(mode)} messages</TextLink>
        .
      </EmptyState>
    );
  }
  return <NoMessageYet mode={mode} />;
}

const other = (mode: Mode): Mode => (mode === "live" ? "test" : "live");
