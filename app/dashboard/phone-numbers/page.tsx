import { ButtonLink } from "@/app/_components/button";
import { Link, TextLink } from "@/app/_components/link";
import { EmptyState, Section } from "@/app/_components/panels";
import { ModeLabel } from "@/app/_components/text";
import { may, requireMember } from "@/lib/auth/page-member";
import { listSilentLines } from "@/lib/incoming/queries";
import { type LineProblem, problemsOf } from "@/lib/phone-numbers/health";
import { portfoliosOf } from "@/lib/phone-numbers/portfolios";
import { listAccounts, listAllLines, type ShownLine } from "@/lib/phone-numbers/queries";
import { Allowed, Page } from "../_components/page-frame";
import { LIMIT_NOTE, PortfolioLimits } from "../_components/portfolio-limits";
import { LineChip, Remedy } from "./_components/line-state";

export const metadata = { title: "Lines" };

const NEW_LINE = "/dashboard/phone-numbers/new";

export default async function LinesPage() {
  const { workspaceId } = await requireMember();
  const [lines, silentLines, accounts] = await Promise.all([
    listAllLines(workspaceId),
    listSilentLines(workspaceId),
    listAccounts(workspaceId),
  ]);
  const isLive = ({ mode, disconnectedAt }: ShownLine) => mode === "live" && disconnectedAt === null;
  const portfolios = portfoliosOf(lines.filter(isLive), accounts);
  const now = new Date();
  return (
    <Page
      title="Lines"
      intro="The business phone numbers that this workspace sends from. Where several are active, a send names one by its id."
      actions={
        <Allowed to="manageLines" step="Connect line">
          <ButtonLink href={NEW_LINE}>Connect line</ButtonLink>
        </Allowed>
      }
    >
      {lines.length === 0 ? <NoLine /> : null}
      <ul
        aria-label="Lines of this workspace"
        className="divide-y divide-hairline border-y border-hairline empty:hidden"
      >
        {lines.map((line) => {
          const silence = silentLines.find(({ id }) => id === line.id);
          return <LineRow key={line.id} line={line} worst={problemsOf({ ...line, silence }, now)[0]} />;
        })}
      </ul>
      {portfolios.length === 0 ? null : (
        <Section id="limits" title="Messaging limits" className="mt-8">
          <p className="mb-4 max-w-prose text-muted">{LIMIT_NOTE}</p>
          <PortfolioLimits portfolios={portfolios} />
        </Section>
      )}
    </Page>
  );
}

/** One line of text each: name, number, whether it can send, and what fixes it. The whole row leads to its page. */
function LineRow({ line, worst }: { line: ShownLine; worst: LineProblem | undefined }) {
  const { id, label, mode, displayPhoneNumber, isDefault } = line;
  return (
    <li className="relative grid items-center gap-x-4 gap-y-1 py-2 sm:-mx-3 sm:px-3 hover:bg-surface sm:min-h-14 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_11rem]">
      <p className="flex min-w-0 items-baseline gap-x-3">
        <Link
          href={`/dashboard/phone-numbers/${id}`}
          className="min-w-0 truncate font-medium after:absolute after:inset-0"
        >
          {label}
        </Link>
        <span className="shrink-0 text-sm whitespace-nowrap text-muted">{displayPhoneNumber}</span>
      </p>
      <p className="flex min-w-0 items-center gap-x-2 text-sm text-muted">
        <LineChip line={line} worst={worst} />
        {mode === "test" ? <ModeLabel mode={mode} /> : null}
        {worst && worst.tone !== "info" ? (
          <span className={`min-w-0 truncate ${worst.tone === "bad" ? "text-danger" : "text-caution"}`}>
            {worst.title}
          </span>
        ) : isDefault ? (
          <span className="truncate">Default</span>
        ) : null}
      </p>
      <div className="relative justify-self-start sm:justify-self-end">
        {worst && may("manageLines") ? <Remedy remedy={worst.remedy} phoneNumberId={id} /> : null}
      </div>
    </li>
  );
}

function NoLine() {
  return (
    <EmptyState title="No line yet">
      <p>A line is a phone number of your WhatsApp business account, with the token that lets us send from it.</p>
      <p className="mt-3">
        Until then {may("manageLines") ? <TextLink href={`${NEW_LINE}#test`}>a test line</TextLink> : "a test line"}{" "}
        lets you try every call: <TextLink href="/docs/testing">how test mode works</TextLink>.
      </p>
    </EmptyState>
  );
}
