import type { Metadata } from "next";
import { Copyable } from "@/app/_components/copyable";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeading } from "@/app/_components/page-heading";
import { ActiveChip, ModeLabel } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { requireMember } from "@/lib/auth/page-member";
import { listLines } from "@/lib/dashboard/queries";

export const metadata: Metadata = { title: "Lines" };

export default async function LinesPage() {
  const { workspaceId } = await requireMember();
  const lines = await listLines(workspaceId);
  return (
    <>
      <PageHeading title="Lines">
        The business numbers that this workspace sends from. Where several are active, a send names one by its id.
      </PageHeading>
      {lines.length === 0 ? (
        <EmptyState title="No line yet">
          Whoever runs this deployment connects one with <code className="font-mono">npm run provision</code>. Until
          then, a test key works without one: <TextLink href="/docs#test-mode">how test mode works</TextLink>.
        </EmptyState>
      ) : (
        <DataTable
          caption="Lines of this workspace"
          rows={lines}
          rowKey={({ id }) => id}
          columns={[
            {
              heading: "Label",
              cell: ({ id, label }) => <TextLink href={`/dashboard/phone-numbers/${id}`}>{label}</TextLink>,
            },
            {
              heading: "Number",
              cell: ({ displayPhoneNumber }) => <span className="whitespace-nowrap">{displayPhoneNumber}</span>,
            },
            { heading: "Mode", cell: ({ mode }) => <ModeLabel mode={mode} /> },
            {
              heading: "State",
              cell: ({ isActive, isDefault }) => (
                <span className="inline-flex items-center gap-2">
                  <ActiveChip isActive={isActive} />
                  {isDefault ? <span className="text-sm text-muted">default</span> : null}
                </span>
              ),
            },
            {
              heading: "Line id",
              cell: ({ id, label, whatsappPhoneNumberId }) => (
                <>
                  <Copyable value={id} label={`line id of ${label}`} />
                  <PlatformId value={whatsappPhoneNumberId} />
                </>
              ),
            },
          ]}
        />
      )}
    </>
  );
}

function PlatformId({ value }: { value: string }) {
  return (
    <p className="text-xs font-normal text-muted">
      Platform id <span className="font-mono">{value}</span>: not accepted by this API
    </p>
  );
}
