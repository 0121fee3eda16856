import type { Metadata } from "next";
import { CodeBlock } from "@/app/_components/code-block";
import { EmptyState } from "@/app/_components/empty-state";
import { PageMode } from "@/app/_components/link-mode";
import { type Filter, ListFilters } from "@/app/_components/list-filters";
import { PageHeading } from "@/app/_components/page-heading";
import { Pager } from "@/app/_components/pager";
import { TextLink } from "@/app/_components/text-link";
import type { Mode } from "@/db/schema/identity";
import { listKeys } from "@/lib/api-keys/queries";
import type { Member } from "@/lib/auth/member";
import { requireMember, shownMode } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { readCursor, writeCursor } from "@/lib/core/page-cursor";
import { withQuery } from "@/lib/core/query-string";
import { sentenceCase } from "@/lib/core/text";
import { ERROR_CODES } from "@/lib/docs/error-catalogue";
import { recipientOf } from "@/lib/docs/example-recipient";
import { reproduction } from "@/lib/docs/reproduction";
import { hasRequests, listRequests } from "@/lib/public-api/queries";
import {
  OPERATIONS,
  REPLAYS,
  type RequestFilters,
  readRequestFilters,
  STATUS_CLASSES,
} from "@/lib/public-api/request-filters";
import { can } from "@/lib/workspaces/roles";
import { OPERATION_WORDS, RequestTable } from "./request-table";

export const metadata: Metadata = { title: "Requests" };

const PATH = "/dashboard/requests";

export default async function RequestsPage({ searchParams }: PageProps<"/dashboard/requests">) {
  const member = await requireMember();
  const mode = await shownMode(member, searchParams);
  const { older, newer, ...given } = await searchParams;
  const filters = readRequestFilters(given);
  const [page, fields] = await Promise.all([
    listRequests(member.workspaceId, {
      mode,
      filters,
      timeZone: member.workspace.timeZone,
      older: readCursor(older),
      newer: readCursor(newer),
    }),
    filterFields(member, { mode, filters }),
  ]);
  const isEmpty = page.rows.length === 0;
  const pageAt = (place: Record<string, string>) => withQuery(PATH, { ...filters, ...place });
  return (
    <>
      <PageMode mode={mode} />
      <PageHeading title="Requests">
        Every API call, including rejected ones. Newest first, times in {member.workspace.timeZone}.
      </PageHeading>
      {isEmpty && page.isFirst && !(await hasRequests(member.workspaceId, mode)) ? (
        <NoCallYet mode={mode} />
      ) : (
        <>
          <ListFilters
            path={PATH}
            search={{
              value: filters.q,
              label: "Search calls",
              placeholder: "Request id, message id or idempotency key",
            }}
            filters={fields}
          />
          {isEmpty ? (
            <EmptyState title="No call matches">
              <TextLink href={PATH}>Clear the filters</TextLink> to see every {mode} call.
            </EmptyState>
          ) : (
            <RequestTable requests={page.rows} member={member} />
          )}
          <Pager
            newer={page.newer && pageAt({ newer: writeCursor(page.newer) })}
            older={page.older && pageAt({ older: writeCursor(page.older) })}
          />
        </>
      )}
    </>
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
const filterFields = async (
  member: Member,
  { mode, filters }: { mode: Mode; filters: RequestFilters },
): Promise<Filter[]> => {
  const all = can(member.role, "seeApiKeys") ? await listKeys(member.workspaceId) : [];
  const keys = all.filter((key) => key.mode === mode);
  const options = (values: readonly string[], word: (value: string) => string) =>
    values.map((value) => ({ value, word: word(value) }));
  const fields: (Filter | undefined)[] = [
    {
      name: "status",
      label: "Answer",
      value: filters.status,
      options: options(STATUS_CLASSES, (it) => STATUS_WORDS[it] ?? it),
    },
    { name: "code", label: "Error code", value: filters.code, options: options(ERROR_CODES, (code) => code) },
    {
      name: "operation",
      label: "Endpoint",
      value: filters.operation,
      options: OPERATIONS.map((value) => ({ value, word: OPERATION_WORDS[value] })),
    },
    keys.length > 0
      ? {
          name: "key",
          label: "Key",
          value: filters.key,
          options: keys.map(({ id, label }) => ({ value: id, word: label })),
        }
      : undefined,
    { name: "replay", label: "Replay", value: filters.replay, options: options(REPLAYS, sentenceCase) },
    { name: "from", label: "From", value: filters.from, type: "date" },
    { name: "to", label: "To", value: filters.to, type: "date" },
  ];
  return fields.filter((filter) => filter !== undefined);
};

const STATUS_WORDS: Record<string, string> = { "2xx": "Accepted (2xx)", "4xx": "Refused (4xx)", "5xx": "Failed (5xx)" };
