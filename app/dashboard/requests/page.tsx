import type { ReactNode } from "react";
import { CodeBlock } from "@/app/_components/code-block";
import { TextLink } from "@/app/_components/link";
import { ListFilters } from "@/app/_components/list-filters";
import { BeyondTheEnd, TimePager } from "@/app/_components/list-links";
import { labelled, optionsOf, periodFilters } from "@/app/_components/options";
import { DataTable, EmptyState } from "@/app/_components/panels";
import { Chip, HttpStatusMark, Muted } from "@/app/_components/text";
import { dayHeading, TimeOfDay } from "@/app/_components/timestamp";
import { listReader } from "@/db/read-lists";
import { hasRequests, listRequests, type RequestSummary } from "@/lib/api/log/queries";
import { OPERATIONS, REPLAYS, readRequestFilters, STATUS_CLASSES } from "@/lib/api/log/request-filters";
import type { Operation } from "@/lib/api/log/request-record";
import { listKeys } from "@/lib/api-keys/queries";
import { may, requireMember, shownMode } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { readCursor } from "@/lib/core/keyset-page";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { withQuery } from "@/lib/core/query-string";
import { formatNumber, sentenceCase, shortId } from "@/lib/core/text";
import { ERROR_CODES } from "@/lib/docs/error-catalogue";
import { recipientOf } from "@/lib/docs/first-call";
import { reproduction } from "@/lib/docs/snippets";
import { Page } from "../_components/page-frame";
import { PanelLink } from "../_components/side-panel";

export const metadata = { title: "Requests" };

const PATH = "/dashboard/requests";

export default async function RequestsPage({ searchParams }: PageProps<"/dashboard/requests">) {
  const member = await requireMember();
  const { workspaceId, workspace } = member;
  const mode = await shownMode(member, searchParams);
  const { older, newer, ...query } = await searchParams;
  const filters = readRequestFilters(query, member.role);
  const place = { older: readCursor(older), newer: readCursor(newer) };
  const lists = listReader(member);
  const [page, fields] = await lists.read(() =>
    Promise.all([
      listRequests(workspaceId, { mode, filters, timeZone: workspace.timeZone, role: member.role, ...place }),
      filterFields(workspaceId, mode),
    ]),
  );
  const isEmpty = page.rows.length === 0 && page.isFirst;
  const isNew = isEmpty && !(await lists.read(() => hasRequests(workspaceId, mode)));
  return (
    <Page
      title="Requests"
      intro={`Every API call, including rejected ones. Times in ${workspace.timeZone}.`}
      mode={mode}
      lists={lists}
    >
      {isNew ? (
        <NoCallYet mode={mode} />
      ) : (
        <>
          <ListFilters
            path={PATH}
            search={{ label: "Search calls", placeholder: "Name, phone, key or any id" }}
            filters={fields}
            values={filters}
          />
          <RequestTable
            requests={page.rows}
            empty={
              page.isFirst ? (
                <EmptyState title="No call matches">
                  <TextLink href={PATH}>Clear the filters</TextLink> to see every {mode} call.
                </EmptyState>
              ) : (
                <BeyondTheEnd of="calls" newest={withQuery(PATH, filters)} />
              )
            }
          />
          <TimePager page={page} at={(at) => withQuery(PATH, { ...filters, ...at })} />
        </>
      )}
    </Page>
  );
}

function NoCallYet({ mode }: { mode: Mode }) {
  const body = JSON.stringify({ type: "text", phone: recipientOf(mode), content: "Your order is ready." });
  const call = { method: "POST", path: "/api/v1/public/messages/send", idempotencyKey: "order-8812", body };
  return (
    <EmptyState title={`No ${mode} call yet`}>
      <p>Each call with a {mode} key appears here a second later. This is the first one:</p>
      <div className="mt-4 text-start">
        <CodeBlock label="A first call" code={reproduction(call, { origin: env().APP_URL, apiKey: undefined })} />
      </div>
    </EmptyState>
  );
}

/** Keys belong to owners and admins; for members they do not exist. */
async function filterFields(workspaceId: WorkspaceId, mode: Mode) {
  const keys = (may("seeApiKeys") ? await listKeys(workspaceId) : []).filter((key) => key.mode === mode);
  return {
    status: { label: "Response", options: optionsOf(STATUS_CLASSES, (status) => STATUS_WORDS[status]) },
    code: { label: "Error code", options: optionsOf(ERROR_CODES) },
    operation: { label: "Endpoint", options: optionsOf(OPERATIONS, (operation) => OPERATION_WORDS[operation]) },
    key: keys.length > 0 ? { label: "Key", options: labelled(keys) } : undefined,
    replay: { label: "Replay", options: optionsOf(REPLAYS, sentenceCase) },
    ...periodFilters(),
  };
}

const STATUS_WORDS: Record<(typeof STATUS_CLASSES)[number], string> = {
  "2xx": "Accepted (2xx)",
  "4xx": "Refused (4xx)",
  "5xx": "Failed (5xx)",
};

const OPERATION_WORDS: Record<Operation, string> = {
  send: "Send",
  status: "Message status",
  templates: "Templates",
  other: "Anything else",
};

function RequestTable({ requests, empty }: { requests: RequestSummary[]; empty: ReactNode }) {
  return (
    <DataTable
      caption="Calls, newest first"
      rows={requests}
      href={({ id }) => `${PATH}/${id}`}
      link={PanelLink}
      groupOf={({ at }) => dayHeading(at)}
      columns={{
        Call: { className: "sm:w-[45%] sm:max-w-0", cell: (request) => <CallCell {...request} /> },
        Response: {
          place: "below",
          cell: ({ status, errorCode, isReplay }) => (
            <span className="flex items-center gap-2 sm:whitespace-nowrap">
              <HttpStatusMark status={status} />
              {errorCode ? <span className="min-w-0 truncate text-sm text-muted">{errorCode}</span> : null}
              {isReplay ? <Chip tone="pending" icon="refresh" word="Replay" /> : null}
            </span>
          ),
        },
        ...(differ(requests, keyName)
          ? { Key: (request: RequestSummary) => <Muted>{keyName(request) ?? "–"}</Muted> }
          : {}),
        ...(differ(requests, ({ ip }) => ip) ? { From: ({ ip }: RequestSummary) => <Muted>{ip}</Muted> } : {}),
        Took: {
          place: "belowEnd",
          className: "whitespace-nowrap sm:text-end",
          cell: ({ durationMs }) => <Muted>{formatNumber(durationMs)} ms</Muted>,
        },
        Time: { place: "end", cell: ({ at }) => <TimeOfDay at={at} /> },
      }}
      empty={empty}
    />
  );
}

const PREFIX = "/api/v1/public";

/** A column that says the same in every row is left out. */
const differ = (requests: RequestSummary[], read: (request: RequestSummary) => string | null): boolean =>
  new Set(requests.map(read)).size > 1;

/** Keys are for owners and admins; who tried the API in the docs, every member may know. */
const keyName = ({ keyLabel, triedBy }: RequestSummary): string | null =>
  triedBy ? `${triedBy} (Try it)` : may("seeApiKeys") ? keyLabel : null;

/** On one line: without the part of the path that all calls share, and with short ids. */
function CallCell({ method, path }: RequestSummary) {
  const below = path.startsWith(`${PREFIX}/`) ? path.slice(PREFIX.length) : path;
  return (
    <span className="block truncate">
      <span className="font-normal text-muted">{method}</span> {below.split("/").map(shortId).join("/")}
    </span>
  );
}
