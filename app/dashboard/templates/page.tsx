import type { Metadata } from "next";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeading } from "@/app/_components/page-heading";
import { ModeLabel, TemplateStatusChip } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import { requireMember } from "@/lib/auth/page-member";
import { listTemplates } from "@/lib/dashboard/queries";
import { sentenceCase } from "@/lib/text";

export const metadata: Metadata = { title: "Templates" };

export default async function TemplatesPage() {
  const { workspaceId, workspace } = await requireMember();
  const templates = await listTemplates(workspaceId);
  return (
    <>
      <PageHeading title="Templates">
        One row per name and language. Only approved templates can be sent, in exactly the language shown.
      </PageHeading>
      {templates.length === 0 ? (
        <EmptyState title="No template yet">
          Templates appear here once a line’s business account has some on the platform. Text messages need none:{" "}
          <TextLink href="/docs#quickstart">send a text</TextLink>.
        </EmptyState>
      ) : (
        <DataTable
          caption={`Templates of this workspace, times in ${workspace.timeZone}`}
          rows={templates}
          rowKey={({ id }) => id}
          columns={[
            { heading: "Name", cell: ({ name }) => <code className="font-mono text-sm break-all">{name}</code> },
            { heading: "Language", cell: ({ language }) => <code className="font-mono text-sm">{language}</code> },
            { heading: "Category", cell: ({ category }) => sentenceCase(category) },
            {
              heading: "Status",
              cell: ({ status, rejectedReason }) => (
                <>
                  <TemplateStatusChip status={status} />
                  {rejectedReason && status === "REJECTED" ? (
                    <p className="mt-1 text-xs text-muted">{rejectedReason}</p>
                  ) : null}
                </>
              ),
            },
            { heading: "Mode", cell: ({ mode }) => <ModeLabel mode={mode} /> },
            {
              heading: "Synced",
              className: "xl:whitespace-nowrap",
              cell: ({ syncedAt }) => (
                <Timestamp at={syncedAt} timeZone={workspace.timeZone} absent="Not from the platform" />
              ),
            },
          ]}
        />
      )}
    </>
  );
}
