import { ButtonLink } from "@/app/_components/button";
import { Copyable } from "@/app/_components/copy-button";
import { TextLink } from "@/app/_components/link";
import { DataTable, EmptyState } from "@/app/_components/panels";
import { ModeLabel, Muted } from "@/app/_components/text";
import { Ago } from "@/app/_components/timestamp";
import { may, requireMember } from "@/lib/auth/page-member";
import { listSilentLines } from "@/lib/incoming/queries";
import { type LineProblem, problemsOf } from "@/lib/phone-numbers/health";
import { listAllLines, type ShownLine } from "@/lib/phone-numbers/queries";
import { limitWord, qualityWord } from "@/lib/phone-numbers/words";
import { Allowed, Page } from "../_components/page-frame";
import { LineChip, TokenState } from "./_components/line-state";

export const metadata = { title: "Lines" };

const NEW_LINE = "/dashboard/phone-numbers/new";

type Row = ShownLine & { problem: LineProblem | undefined };

export default async function LinesPage() {
  const { workspaceId, workspace } = await requireMember();
  const [lines, silentLines] = await Promise.all([listAllLines(workspaceId), listSilentLines(workspaceId)]);
  const now = new Date();
  const rows: Row[] = lines.map((line) => {
    const silence = silentLines.find(({ id }) => id === line.id);
    return { ...line, problem: problemsOf({ ...line, silence }, now)[0] };
  });
  return (
    <Page
      title="Lines"
      intro="The business numbers that this workspace sends from. Where several are active, a send names one by its id."
      actions={
        <Allowed to="manageLines" step="Connect line">
          <ButtonLink href={NEW_LINE}>Connect line</ButtonLink>
        </Allowed>
      }
    >
      <DataTable
        caption={`Lines of this workspace, times in ${workspace.timeZone}`}
        rows={rows}
        columns={{
          Line: { className: "sm:min-w-32", cell: LineName },
          Number: ({ displayPhoneNumber, verifiedName }) => (
            <>
              <span className="whitespace-nowrap">{displayPhoneNumber}</span>
              {verifiedName ? <span className="block text-sm text-muted">{verifiedName}</span> : null}
            </>
          ),
          State: LineState,
          Token: (line) => <TokenState line={line} />,
          Quality: ({ qualityRating, messagingLimit }) => (
            <>
              {qualityWord(qualityRating) ?? <Muted>Not known</Muted>}
              <span className="block text-sm text-muted">{limitWord(messagingLimit)}</span>
            </>
          ),
          "Last webhook": ({ lastWebhookAt }) => <Ago at={lastWebhookAt} absent="None yet" />,
          "Line id": {
            className: "sm:min-w-52",
            cell: ({ id, label }) => <Copyable value={id} label={`line id of ${label}`} />,
          },
        }}
        empty={
          <EmptyState title="No line yet">
            <p>A line is a number of your business account, with the token that lets us send from it.</p>
            <p className="mt-3">
              Until then{" "}
              {may("manageLines") ? <TextLink href={`${NEW_LINE}#test`}>a test line</TextLink> : "a test line"} lets you
              try every call: <TextLink href="/docs/testing">how test mode works</TextLink>.
            </p>
          </EmptyState>
        }
      />
    </Page>
  );
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
