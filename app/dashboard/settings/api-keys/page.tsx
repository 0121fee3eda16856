import type { Metadata } from "next";
import { Copyable } from "@/app/_components/copyable";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeading } from "@/app/_components/page-heading";
import { type KeyState, KeyStateChip, ModeLabel } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import { requireMember } from "@/lib/auth/page-member";
import { listApiKeys } from "@/lib/dashboard/queries";

export const metadata: Metadata = { title: "API keys" };

export default async function ApiKeysPage() {
  const { workspaceId, workspace } = await requireMember("seeApiKeys");
  const keys = await listApiKeys(workspaceId);
  return (
    <>
      <PageHeading title="API keys">
        A key has two halves: the id below, and a secret that was shown once and is stored nowhere.
      </PageHeading>
      {keys.length === 0 ? (
        <EmptyState title="No API key yet">
          Whoever runs this deployment makes one with <code className="font-mono">npm run provision</code>; then{" "}
          <TextLink href="/docs#quickstart">make the first call</TextLink>.
        </EmptyState>
      ) : (
        <DataTable
          caption={`API keys of this workspace, times in ${workspace.timeZone}`}
          rows={keys}
          rowKey={({ id }) => id}
          columns={[
            { heading: "Label", cell: ({ label }) => label || <span className="text-muted">No label</span> },
            {
              heading: "Key id",
              cell: ({ apiKey, label }) => <Copyable value={apiKey} label={`key id of ${label || apiKey}`} />,
            },
            { heading: "Mode", cell: ({ mode }) => <ModeLabel mode={mode} /> },
            {
              heading: "Last used",
              cell: ({ lastUsedAt }) => <Timestamp at={lastUsedAt} timeZone={workspace.timeZone} absent="Never used" />,
            },
            {
              heading: "State",
              cell: ({ revokedAt, expiresAt }) => (
                <>
                  <KeyStateChip state={keyState({ revokedAt, expiresAt })} />
                  {revokedAt ? (
                    <p className="mt-1 text-xs text-muted">
                      <Timestamp at={revokedAt} timeZone={workspace.timeZone} />
                    </p>
                  ) : null}
                </>
              ),
            },
          ]}
        />
      )}
    </>
  );
}

const keyState = ({ revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null }): KeyState =>
  revokedAt ? "revoked" : expiresAt && expiresAt <= new Date() ? "expired" : "active";
