import { Chip } from "@/app/_components/chip";
import { type Column, DataTable } from "@/app/_components/data-table";
import { HttpStatusChip } from "@/app/_components/status-chips";
import { Timestamp } from "@/app/_components/timestamp";
import type { Member } from "@/lib/auth/member";
import { formatNumber } from "@/lib/core/number";
import type { RequestSummary } from "@/lib/public-api/queries";
import type { Operation } from "@/lib/public-api/received-request";
import { can } from "@/lib/workspaces/roles";
import { PanelLink } from "../_components/panel-link";

export const OPERATION_WORDS: Record<Operation, string> = {
  send: "Send",
  status: "Message status",
  templates: "Templates",
  other: "Anything else",
};

export function RequestTable({ requests, member }: { requests: RequestSummary[]; member: Member }) {
  const columns: [Column<RequestSummary>, ...Column<RequestSummary>[]] = [
    {
      heading: "Time",
      className: "xl:whitespace-nowrap",
      cell: ({ id, at }) => (
        <PanelLink href={`/dashboard/requests/${id}`}>
          <Timestamp at={at} timeZone={member.workspace.timeZone} isInLink />
        </PanelLink>
      ),
    },
    { heading: "Call", cell: (request) => <CallCell {...request} /> },
    {
      heading: "Answer",
      cell: ({ status, errorCode, isReplay }) => (
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <HttpStatusChip status={status} />
          {isReplay ? <Chip tone="sent" icon="refresh" word="Replay" /> : null}
          {errorCode ? <code className="font-mono text-xs break-all">{errorCode}</code> : null}
        </span>
      ),
    },
    ...(can(member.role, "seeApiKeys")
      ? [{ heading: "Key", cell: ({ keyLabel }: RequestSummary) => keyLabel ?? <span className="text-muted">–</span> }]
      : []),
    { heading: "From", cell: ({ ip }) => <code className="font-mono text-sm whitespace-nowrap">{ip}</code> },
    {
      heading: "Time taken",
      cell: ({ durationMs }) => <span className="whitespace-nowrap tabular-nums">{formatNumber(durationMs)} ms</span>,
    },
  ];
  return <DataTable caption="Calls, newest first" rows={requests} rowKey={({ id }) => id} columns={columns} />;
}

const PREFIX = "/api/v1/public";

/** The part of the path that all calls share says nothing here. */
function CallCell({ method, path, idempotencyKey }: RequestSummary) {
  const below = path.startsWith(`${PREFIX}/`) ? path.slice(PREFIX.length) : path;
  return (
    <>
      <code className="font-mono text-sm break-all">
        {method} {below}
      </code>
      {idempotencyKey ? (
        <p className="mt-0.5 font-mono text-xs break-all text-muted">
          <span className="sr-only">Idempotency key </span>
          {idempotencyKey}
        </p>
      ) : null}
    </>
  );
}
