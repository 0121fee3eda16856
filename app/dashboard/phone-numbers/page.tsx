import type { Metadata } from "next";
import { Ago } from "@/app/_components/ago";
import { ButtonLink } from "@/app/_components/button";
import { Copyable } from "@/app/_components/copyable";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeading } from "@/app/_components/page-heading";
import { ModeLabel } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { Unavailable } from "@/app/_components/unavailable";
import { requireMember } from "@/lib/auth/page-member";
import { listSilentLines } from "@/lib/incoming/queries";
import { type LineProblem, problemsOf } from "@/lib/phone-numbers/health";
import { listLines, type ShownLine } from "@/lib/phone-numbers/queries";
import { limitWord, qualityWord } from "@/lib/phone-numbers/words";
import { can, whoCan } from "@/lib/workspaces/roles";
import { LineChip } from "./_components/line-chip";
import { TokenState } from "./_components/token-state";

export const metadata: Metadata = { title: "Lines" };

type Row = ShownLine & { problem: LineProblem | undefined };

export default async function LinesPage() {
  const { workspaceId, workspace, role } = await requireMember();
  const [lines, silentLines] = await Promise.all([listLines(workspaceId), listSilentLines(workspaceId)]);
  const now = new Date();
  const rows: Row[] = lines.map((line) => {
    const silence = silentLines.find(({ id }) => id === line.id);
    return { ...line, problem: problemsOf({ ...line, silence }, now)[0] };
  });
  const canManage = can(role, "manageLines");
  return (
    <>
      <PageHeading title="Lines" actions={<ConnectButton canManage={canManage} />}>
        The business numbers that this workspace sends from. Where several are active, a send names one by its id.
      </PageHeading>
      {rows.length === 0 ? (
        <EmptyState title="No line yet">
          <p>A line is a number of your business account, with the token that lets us send from it.</p>
          <p className="mt-3">
            Until then{" "}
            {canManage ? <TextLink href="/dashboard/phone-numbers/new#test">a test line</TextLink> : "a test line"} lets
            you try every call: <TextLink href="/docs/testing">how test mode works</TextLink>.
          </p>
        </EmptyState>
      ) : (
        <DataTable
          caption={`Lines of this workspace, times in ${workspace.timeZone}`}
          rows={rows}
          rowKey={({ id }) => id}
          columns={[
            { heading: "Line", cell: LineName, className: "sm:min-w-32" },
            {
              heading: "Number",
              cell: ({ displayPhoneNumber, verifiedName }) => (
                <>
                  <span className="whitespace-nowrap">{displayPhoneNumber}</span>
                  {verifiedName ? <span className="block text-sm text-muted">{verifiedName}</span> : null}
                </>
              ),
            },
            { heading: "State", cell: LineState },
            { heading: "Token", cell: (line) => <TokenState line={line} timeZone={workspace.timeZone} /> },
            {
              heading: "Quality",
              cell: ({ qualityRating, messagingLimit }) => (
                <>
                  {qualityWord(qualityRating) ?? <span className="text-muted">Not known</span>}
                  <span className="block text-sm text-muted">{limitWord(messagingLimit)}</span>
                </>
              ),
            },
            {
              heading: "Last webhook",
              cell: ({ lastWebhookAt }) =>
                lastWebhookAt ? <Ago at={lastWebhookAt} /> : <span className="text-muted">None yet</span>,
            },
            {
              heading: "Line id",
              className: "sm:min-w-52",
              cell: ({ id, label }) => <Copyable value={id} label={`line id of ${label}`} />,
            },
          ]}
        />
      )}
    </>
  );
}

function ConnectButton({ canManage }: { canManage: boolean }) {
  if (canManage) return <ButtonLink href="/dashboard/phone-numbers/new">Connect line</ButtonLink>;
  return <Unavailable step="Connect line" whose={whoCan("manageLines")} />;
}

const LineName = ({ id, label, mode, isDefault }: Row) => (
  <>
    <TextLink href={`/dashboard/phone-numbers/${id}`}>{label}</TextLink>
    <span className="mt-1 flex flex-wrap items-center gap-2 font-normal">
      {mode === "test" ? <ModeLabel mode={mode} /> : null}
      {isDefault ? <span className="text-sm text-muted">Default</span> : null}
    </span>
  </>
);

const LineState = (line: Row) => (
  <>
    <LineChip line={line} />
    {line.problem ? (
      <p className={`mt-1 text-sm sm:max-w-64 ${PROBLEM_COLORS[line.problem.tone]}`}>{line.problem.sentence}</p>
    ) : null}
  </>
);

const PROBLEM_COLORS = { bad: "text-danger", caution: "text-caution", info: "text-muted" } as const;
