import { Copyable } from "@/app/_components/copy-button";
import { TextLink } from "@/app/_components/link";
import { Tabs } from "@/app/_components/list-links";
import { DataTable, EmptyState } from "@/app/_components/panels";
import { ModeLabel, Muted } from "@/app/_components/text";
import { Ago, Timestamp } from "@/app/_components/timestamp";
import { keyAge, keyState, shortKeyId } from "@/lib/api-keys/key-age";
import { type DayOfUse, listDaysOfUse, listShownKeys, type ShownKey } from "@/lib/api-keys/queries";
import { pageMember, shownMode } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { percentOf } from "@/lib/core/text";
import { Page, pageFor } from "../../_components/page-frame";
import { CreateKey } from "./key-forms";
import { KeyStateChip } from "./key-state-chip";
import { readLimitChoices } from "./limit-choices";
import { Sparkline } from "./sparkline";

export const metadata = { title: "API keys" };

const PATH = "/dashboard/settings/api-keys";

export default pageFor("seeApiKeys", ApiKeysPage);

async function ApiKeysPage({ searchParams }: PageProps<"/dashboard/settings/api-keys">) {
  const member = pageMember();
  const { workspaceId, workspace } = member;
  const { show } = await searchParams;
  const now = new Date();
  const [keys, use, choices] = await Promise.all([
    listShownKeys(workspaceId),
    listDaysOfUse(workspaceId, workspace.timeZone),
    readLimitChoices(member),
  ]);
  const shown = show === "unused" ? keys.filter((key) => keyAge(key, now).isUnused) : keys;
  return (
    <Page
      title="API keys"
      intro="A key has two halves: an id that you may show, and a secret that is shown once and stored nowhere. Each server gets a key of its own, so that one can be replaced without the others."
      actions={<CreateKey mode={await shownMode(member, searchParams)} origin={env().APP_URL} choices={choices} />}
    >
      {keys.length > 0 ? (
        <Tabs
          label="Which keys"
          tabs={[
            { href: PATH, word: `All (${keys.length})`, isCurrent: show !== "unused" },
            { href: `${PATH}?show=unused`, word: "Unused for 30 days", isCurrent: show === "unused" },
          ]}
        />
      ) : null}
      <DataTable
        caption={`API keys of this workspace, times in ${workspace.timeZone}`}
        rows={shown}
        columns={{
          Label: ({ id, label, limits }) => (
            <>
              <TextLink href={`${PATH}/${id}`}>{label || "No label"}</TextLink>
              {limits ? <p className="text-xs font-normal text-muted">Limited</p> : null}
            </>
          ),
          "Key id": ({ apiKey, label }) => (
            <Copyable value={apiKey} short={shortKeyId(apiKey)} label={`key id of ${label || apiKey}`} />
          ),
          Mode: ({ mode }) => <ModeLabel mode={mode} />,
          "Last used": ({ lastUsedAt }) => <Ago at={lastUsedAt} absent="Never used" />,
          "14 days": ({ id }) => <Sparkline days={use.get(id) ?? NO_USE} />,
          Errors: ({ id }) => errorShare(use.get(id) ?? NO_USE),
          State: (key) => stateCell(key, now),
        }}
        empty={
          keys.length === 0 ? (
            <EmptyState title="No API key yet">
              Create a test key, then <TextLink href="/docs/quickstart">make the first call</TextLink>: it reaches no
              real phone.
            </EmptyState>
          ) : (
            <EmptyState title="Every active key was used lately">
              None has been idle for 30 days. <TextLink href={PATH}>Show all keys</TextLink>.
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

const NO_USE: DayOfUse[] = Array.from({ length: 14 }, () => ({ ok: 0, errors: 0 }));

function errorShare(days: DayOfUse[]) {
  const errors = days.reduce((all, day) => all + day.errors, 0);
  const calls = days.reduce((all, day) => all + day.ok + day.errors, 0);
  return calls === 0 ? <Muted>–</Muted> : `${percentOf(errors, calls).toFixed(1)} %`;
}

function stateCell(key: ShownKey, now: Date) {
  const state = keyState(key, now);
  const { days, isDue, isUnused } = keyAge(key, now);
  return (
    <div className="grid justify-items-start gap-1">
      <KeyStateChip state={state} />
      <p className="text-sm text-muted">
        {key.revokedAt ? (
          <Timestamp before={`by ${key.revokedByName ?? "a command"},`} at={key.revokedAt} />
        ) : (
          <>
            {days === 0 ? "Secret created today" : `Secret ${days} ${days === 1 ? "day" : "days"} old`}
            {isDue ? <strong className="font-medium text-caution"> · rotate it</strong> : null}
            {isUnused ? <strong className="font-medium text-caution"> · unused</strong> : null}
          </>
        )}
      </p>
    </div>
  );
}
