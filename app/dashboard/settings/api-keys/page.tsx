import type { Metadata } from "next";
import { Ago } from "@/app/_components/ago";
import { CopyButton } from "@/app/_components/copy-button";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeading } from "@/app/_components/page-heading";
import { KeyStateChip, ModeLabel } from "@/app/_components/status-chips";
import { Tabs } from "@/app/_components/tabs";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import { keyAge, keyState, shortKeyId } from "@/lib/api-keys/key-age";
import { type DayOfUse, type KeyForPeople, listDaysOfUse, listKeysForPeople } from "@/lib/api-keys/key-use-queries";
import { requireMember, shownMode } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { CreateKey } from "./create-key";
import { Sparkline } from "./sparkline";

export const metadata: Metadata = { title: "API keys" };

const PATH = "/dashboard/settings/api-keys";

export default async function ApiKeysPage({ searchParams }: PageProps<"/dashboard/settings/api-keys">) {
  const member = await requireMember("seeApiKeys");
  const { workspaceId, workspace } = member;
  const { show, create } = await searchParams;
  const now = new Date();
  const [keys, use] = await Promise.all([
    listKeysForPeople(workspaceId),
    listDaysOfUse(workspaceId, workspace.timeZone),
  ]);
  const shown = show === "unused" ? keys.filter((key) => keyAge(key, now).isUnused) : keys;
  return (
    <>
      <PageHeading
        title="API keys"
        actions={
          <CreateKey
            // An address that asks for the dialog opens it also where the page is shown already.
            key={create === undefined ? "list" : "create"}
            workspaceId={workspaceId}
            mode={await shownMode(member, searchParams)}
            origin={env().APP_URL}
            isOpen={create !== undefined}
          />
        }
      >
        A key has two halves: an id that you may show, and a secret that is shown once and stored nowhere. Each server
        gets a key of its own, so that one can be replaced without the others.
      </PageHeading>
      {keys.length > 0 ? (
        <Tabs
          label="Which keys"
          tabs={[
            { href: PATH, word: `All (${keys.length})`, isCurrent: show !== "unused" },
            { href: `${PATH}?show=unused`, word: "Unused for 30 days", isCurrent: show === "unused" },
          ]}
        />
      ) : null}
      {keys.length === 0 ? (
        <EmptyState title="No API key yet">
          Create a test key, then <TextLink href="/docs/quickstart">make the first call</TextLink>: it reaches no real
          phone.
        </EmptyState>
      ) : shown.length === 0 ? (
        <EmptyState title="Every active key was used lately">
          None has been idle for 30 days. <TextLink href={PATH}>Show all keys</TextLink>.
        </EmptyState>
      ) : (
        <DataTable
          caption={`API keys of this workspace, times in ${workspace.timeZone}`}
          rows={shown}
          rowKey={({ id }) => id}
          columns={[
            {
              heading: "Label",
              cell: ({ id, label }) => <TextLink href={`${PATH}/${id}`}>{label || "No label"}</TextLink>,
            },
            { heading: "Key id", cell: keyIdCell },
            { heading: "Mode", cell: ({ mode }) => <ModeLabel mode={mode} /> },
            {
              heading: "Last used",
              cell: ({ lastUsedAt }) => (lastUsedAt ? <Ago at={lastUsedAt} /> : <span>Never used</span>),
            },
            { heading: "14 days", cell: ({ id }) => <Sparkline days={use.get(id) ?? NO_USE} /> },
            { heading: "Errors", cell: ({ id }) => errorShare(use.get(id) ?? NO_USE) },
            { heading: "State", cell: (key) => stateCell(key, now, workspace.timeZone) },
          ]}
        />
      )}
    </>
  );
}

const NO_USE: DayOfUse[] = Array.from({ length: 14 }, () => ({ ok: 0, errors: 0 }));

const keyIdCell = ({ apiKey, label }: KeyForPeople) => (
  <span data-copyable className="inline-flex items-center gap-2">
    <code className="font-mono text-sm whitespace-nowrap">{shortKeyId(apiKey)}</code>
    <CopyButton value={apiKey} label={`key id of ${label || apiKey}`} />
  </span>
);

const errorShare = (days: DayOfUse[]) => {
  const errors = days.reduce((all, day) => all + day.errors, 0);
  const calls = days.reduce((all, day) => all + day.ok + day.errors, 0);
  return calls === 0 ? <span className="text-muted">–</span> : `${((100 * errors) / calls).toFixed(1)} %`;
};

const stateCell = (key: KeyForPeople, now: Date, timeZone: string) => {
  const state = keyState(key, now);
  const { days, isDue, isUnused } = keyAge(key, now);
  return (
    <div className="grid justify-items-start gap-1">
      <KeyStateChip state={state} />
      <p className="text-xs text-muted">
        {key.revokedAt ? (
          <>
            by {key.revokedByName ?? "a command"}, <Timestamp at={key.revokedAt} timeZone={timeZone} />
          </>
        ) : (
          <>
            {days === 0 ? "Secret made today" : `Secret ${days} ${days === 1 ? "day" : "days"} old`}
            {isDue ? <strong className="font-medium text-caution"> · rotate it</strong> : null}
            {isUnused ? <strong className="font-medium text-caution"> · unused</strong> : null}
          </>
        )}
      </p>
    </div>
  );
};
