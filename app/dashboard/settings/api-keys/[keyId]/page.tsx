import type { Metadata } from "next";
import { cache } from "react";
import { Ago } from "@/app/_components/ago";
import { CallSnippets } from "@/app/_components/call-snippets";
import { Card } from "@/app/_components/card";
import { Copyable } from "@/app/_components/copyable";
import { DataTable } from "@/app/_components/data-table";
import { FieldRow, Fields } from "@/app/_components/fields";
import { RecordMode } from "@/app/_components/link-mode";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { KeyStateChip, ModeLabel } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import type { Mode } from "@/db/schema/identity";
import { keyAge, keyState, ROTATE_AFTER_DAYS } from "@/lib/api-keys/key-age";
import {
  findKeyForPeople,
  getRecentUse,
  listCallers,
  listDaysOfUse,
  listRefusals,
  type RecentUse,
} from "@/lib/api-keys/key-use-queries";
import { requireMemberOf } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { formatNumber } from "@/lib/core/number";
import { readMode } from "@/lib/core/page-mode";
import { timeAgo } from "@/lib/core/time-ago";
import { recipientOf } from "@/lib/docs/example-recipient";
import { Sparkline } from "../sparkline";
import { RenameKey } from "./rename-key";
import { RevokeKey } from "./revoke-key";
import { RotateKey } from "./rotate-key";

const PATH = "/dashboard/settings/api-keys";

type Props = PageProps<"/dashboard/settings/api-keys/[keyId]">;

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { key } = await readKey(props);
  return { title: `${key.label || "API key"} · API keys` };
}

export default async function ApiKeyPage(props: Props) {
  const { key, member } = await readKey(props);
  const { workspaceId, workspace } = member;
  const now = new Date();
  const [use, recent, refusals, callers] = await Promise.all([
    listDaysOfUse(workspaceId, workspace.timeZone),
    getRecentUse(workspaceId, key.id),
    listRefusals(workspaceId, key.id),
    listCallers(workspaceId, key.id),
  ]);
  const days = use.get(key.id);
  const state = keyState(key, now);
  const { days: age, isDue } = keyAge(key, now);
  const origin = env().APP_URL;
  const when = (at: Date | null, absent: string) => <Timestamp at={at} timeZone={workspace.timeZone} absent={absent} />;
  return (
    <RecordMode mode={key.mode}>
      <p className="mb-2 text-sm">
        <TextLink href={PATH}>API keys</TextLink>
      </p>
      <PageHeading title={key.label || "No label"}>
        <span className="flex flex-wrap items-center gap-2">
          <KeyStateChip state={state} />
          <ModeLabel mode={key.mode} />
        </span>
      </PageHeading>
      {isDue ? (
        <div className="mb-6">
          <Notice tone="caution">
            This key’s secret is {age} days old. Change it every {ROTATE_AFTER_DAYS} days: with an overlap nothing
            stops.
          </Notice>
        </div>
      ) : null}
      <div className="grid items-start gap-6 xl:grid-cols-[3fr_2fr]">
        <div className="grid gap-6">
          <Fields>
            <FieldRow name="Key id">
              <Copyable value={key.apiKey} label="key id" />
            </FieldRow>
            <FieldRow name="Last used">{key.lastUsedAt ? <Ago at={key.lastUsedAt} /> : "Never used"}</FieldRow>
            <FieldRow name="14 days">
              {days ? <Sparkline days={days} /> : <span className="text-muted">No call</span>}
            </FieldRow>
            <FieldRow name="Calls">
              <TextLink href={`/dashboard/requests?key=${key.id}`}>See this key’s requests</TextLink>
            </FieldRow>
            <FieldRow name="Created">
              {when(key.createdAt, "–")} {key.createdByName ? `by ${key.createdByName}` : ""}
            </FieldRow>
            <FieldRow name="Expires">{when(key.expiresAt, "Never")}</FieldRow>
            {key.previousSecretEndsAt && key.previousSecretEndsAt > now ? (
              <FieldRow name="Previous secret">works until {when(key.previousSecretEndsAt, "–")}</FieldRow>
            ) : null}
            {key.revokedAt ? (
              <FieldRow name="Revoked">
                {when(key.revokedAt, "–")} {key.revokedByName ? `by ${key.revokedByName}` : "by a command"}
              </FieldRow>
            ) : null}
          </Fields>
          {refusals.length > 0 ? (
            <section>
              <h2 className="mb-3 text-lg font-semibold">Refused or failed, 14 days</h2>
              <DataTable
                caption="Refused or failed calls of this key by error code"
                rows={refusals}
                rowKey={({ errorCode }) => errorCode}
                columns={[
                  {
                    heading: "Code",
                    cell: ({ errorCode }) => (
                      <TextLink href={`/docs/errors/${errorCode}`}>
                        <code className="font-mono text-sm">{errorCode}</code>
                      </TextLink>
                    ),
                  },
                  { heading: "Calls", cell: ({ count }) => formatNumber(count) },
                ]}
              />
            </section>
          ) : null}
          {callers.length > 0 ? (
            <section>
              <h2 className="mb-3 text-lg font-semibold">Callers, last 24 hours</h2>
              <DataTable
                caption="Addresses and programs that used this key in the last 24 hours"
                rows={callers}
                rowKey={({ ip, userAgent }) => `${ip} ${userAgent}`}
                columns={[
                  { heading: "Address", cell: ({ ip }) => <code className="font-mono text-sm">{ip}</code> },
                  { heading: "Program", cell: ({ userAgent }) => <span dir="auto">{userAgent ?? "–"}</span> },
                  { heading: "Calls", cell: ({ count }) => formatNumber(count) },
                  { heading: "Last", cell: ({ lastAt }) => <Ago at={lastAt} /> },
                ]}
              />
            </section>
          ) : null}
        </div>
        <div className="grid gap-6">
          {state === "active" ? (
            <Card className="grid gap-4">
              <h2 className="font-semibold">Manage</h2>
              <RenameKey workspaceId={workspaceId} apiKey={key} />
              <div className="flex flex-wrap gap-3 border-t border-hairline pt-4">
                <RotateKey workspaceId={workspaceId} origin={origin} apiKey={key} />
                <RevokeKey workspaceId={workspaceId} apiKey={key} recentUse={inWords(recent, now)} />
              </div>
            </Card>
          ) : null}
          {key.lastUsedAt ? null : (
            <CallSnippets call={firstCall(key.mode)} caller={{ origin, apiKey: key.apiKey }} label="A first call" />
          )}
        </div>
      </div>
    </RecordMode>
  );
}

const firstCall = (mode: Mode) => ({
  method: "POST" as const,
  path: "/messages/send",
  body: { type: "text", phone: recipientOf(mode), content: "Hello from Switchboard" },
});

const inWords = ({ calls, last }: RecentUse, now: Date): string | undefined => {
  if (!last) return undefined;
  const times = calls === 1 ? "once" : `${formatNumber(Math.max(1, calls))} times`;
  return `Used ${times} in 24 hours, last ${timeAgo(last.at, now)} from ${last.ip}.`;
};

const memberAndKey = cache(async (keyId: string, mode: Mode | undefined) => {
  const { member, found: key } = await requireMemberOf(
    { path: `${PATH}/${keyId}`, mode },
    (workspaceId) => findKeyForPeople(workspaceId, keyId),
    "seeApiKeys",
  );
  return { key, member };
});

const readKey = async ({ params, searchParams }: Props) =>
  memberAndKey((await params).keyId, readMode((await searchParams).mode));
