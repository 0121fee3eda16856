import { CsvLink } from "@/app/_components/button";
import { CopyLink } from "@/app/_components/copy-button";
import { TextLink } from "@/app/_components/link";
import { ListFilters } from "@/app/_components/list-filters";
import { BeyondTheEnd, TimePager } from "@/app/_components/list-links";
import { labelled, optionsOf, periodFilters } from "@/app/_components/options";
import { EmptyState } from "@/app/_components/panels";
import { listReader } from "@/db/read-lists";
import { messageStatus, messageType } from "@/db/schema/messages";
import { listKeys } from "@/lib/api-keys/queries";
import { may, pageMember, requireMember, shownMode } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { readCursor, writeCursor } from "@/lib/core/keyset-page";
import { switchModeHref } from "@/lib/core/page-mode";
import { withQuery } from "@/lib/core/query-string";
import { formatNumber, sentenceCase } from "@/lib/core/text";
import { countMessages, listMessages } from "@/lib/messages/list/log-queries";
import { isFiltered, type LogView, logView } from "@/lib/messages/list/log-view";
import { listConnectedLines } from "@/lib/phone-numbers/queries";
import { listNames } from "@/lib/templates/queries";
import { MessageTable, NoMessageYet } from "../_components/message-table";
import { Page } from "../_components/page-frame";
import { AutoRefreshSwitch, NewerBar } from "./newer-bar";

export const metadata = { title: "Messages" };

const PATH = "/dashboard/messages";

export default async function MessagesPage({ searchParams }: PageProps<"/dashboard/messages">) {
  const member = await requireMember();
  const { workspaceId, workspace } = member;
  const { older, newer, refresh, ...query } = await searchParams;
  const view = logView(member, { mode: await shownMode(member, searchParams), query });
  const { filters, mode } = view;
  const place = { older: readCursor(older), newer: readCursor(newer) };
  const lists = listReader(member);
  const [page, total, fields] = await lists.read(() =>
    Promise.all([
      listMessages(view, place, { shows: { names: true, words: may("seeBodies") } }),
      countMessages(view),
      fieldsOf(view),
    ]),
  );
  const isRefreshed = refresh === "on";
  const kept = isRefreshed ? REFRESHED : {};
  const listAt = (at: Record<string, string | undefined>, refresh = kept) =>
    withQuery(PATH, { ...filters, ...at, ...refresh });
  const here = { older: place.older && writeCursor(place.older), newer: place.newer && writeCursor(place.newer) };
  // Beyond the first row everything is new; later or empty pages count from now.
  const since = writeCursor((page.isFirst ? page.rows[0] : undefined) ?? { createdAt: new Date(), id: "none" });
  const routes = `/api/v1/workspaces/${workspaceId}/messages`;
  const link = withQuery(`${env().APP_URL}${PATH}`, { ...filters, mode, workspace: workspaceId });
  return (
    <Page
      title="Messages"
      intro={`Every message that was sent in ${mode} mode. Times in ${workspace.timeZone}.`}
      mode={mode}
      lists={lists}
    >
      <ListFilters
        path={PATH}
        search={{
          label: "Search messages",
          placeholder: "Name, phone, key or any id",
        }}
        filters={fields}
        values={filters}
        kept={kept}
      />
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <p role="status" className="me-auto text-sm text-muted max-sm:w-full">
          {totalText(total)}
        </p>
        <AutoRefreshSwitch isOn={isRefreshed} turned={listAt(here, isRefreshed ? {} : REFRESHED)} />
        <CsvLink href={withQuery(`${routes}/export`, { ...filters, mode })} />
        <CopyLink value={link} label="link to this list" />
      </div>
      {isRefreshed ? (
        <NewerBar
          // A list with other contents counts from zero.
          key={since}
          route={withQuery(`${routes}/newer`, { ...filters, mode, since })}
          firstPage={listAt({})}
          isFirstPage={page.isFirst}
        />
      ) : null}
      <MessageTable
        caption="Messages, newest first"
        messages={page.rows}
        mode={mode}
        hasPanel
        empty={page.isFirst ? <Nothing view={view} kept={kept} /> : <BeyondTheEnd of="messages" newest={listAt({})} />}
      />
      <TimePager page={page} at={listAt} />
    </Page>
  );
}

const REFRESHED: Record<string, string> = { refresh: "on" };

/** No match for the filters is shown differently from an empty log. */
function Nothing({ view: { filters, mode }, kept }: { view: LogView; kept: Record<string, string> }) {
  if (!isFiltered(filters)) return <NoMessageYet mode={mode} />;
  const other = mode === "live" ? "test" : "live";
  return (
    <EmptyState title="No message matches">
      None of the {mode} messages of {pageMember().workspace.name} fits these filters.{" "}
      <TextLink href={withQuery(PATH, kept)}>Clear the filters</TextLink>, or{" "}
      <TextLink href={switchModeHref(other, PATH, new URLSearchParams(withQuery("", { ...filters, ...kept })))}>
        look among {other} messages
      </TextLink>
      .
    </EmptyState>
  );
}

/** What the list can be narrowed to. Keys belong to owners and admins; for members they do not exist. */
async function fieldsOf({ workspaceId, mode }: LogView) {
  const [lines, templates, keys] = await Promise.all([
    listConnectedLines(workspaceId),
    listNames(workspaceId, mode),
    may("seeApiKeys") ? listKeys(workspaceId) : undefined,
  ]);
  const ofMode = <One extends { mode: string }>(all: One[]) => all.filter((one) => one.mode === mode);
  return {
    status: { label: "Status", options: optionsOf(messageStatus.enumValues, sentenceCase) },
    type: { label: "Type", options: optionsOf(messageType.enumValues, sentenceCase) },
    line: { label: "Line", options: labelled(ofMode(lines)) },
    template: { label: "Template", options: optionsOf(templates) },
    key: keys && { label: "Key", options: labelled(ofMode(keys)) },
    recipient: { label: "Recipient" },
    code: { label: "WhatsApp error code" },
    ...periodFilters(),
  };
}

function totalText({ count, isMore }: { count: number; isMore: boolean }): string {
  const number = formatNumber(count);
  if (isMore) return `More than ${number} results`;
  return count < 100 ? `${number} ${count === 1 ? "result" : "results"}` : `About ${number} results`;
}
