import type { ComponentProps, ReactNode } from "react";
import { CallSnippets } from "@/app/_components/call-snippets";
import { Copyable } from "@/app/_components/copy-button";
import { ConfirmAction } from "@/app/_components/dialog";
import { ActionForm, Field, SubmitButton } from "@/app/_components/form";
import { TextLink } from "@/app/_components/link";
import { Card, DataTable, Fields, Notice, Section } from "@/app/_components/panels";
import { Code, ModeLabel, Muted } from "@/app/_components/text";
import { Ago, Timestamp } from "@/app/_components/timestamp";
import { keyAge, keyState, ROTATE_AFTER_DAYS } from "@/lib/api-keys/key-age";
import { lastDayOf } from "@/lib/api-keys/limit-fields";
import { limitsInWords } from "@/lib/api-keys/limit-words";
import {
  findShownKey,
  getRecentUse,
  listCallers,
  listDaysOfUse,
  listRefusals,
  type RecentUse,
} from "@/lib/api-keys/queries";
import { recordPageLoader, recordTitle } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { dateFormat, timeAgo } from "@/lib/core/local-time";
import { formatNumber } from "@/lib/core/text";
import { firstCall } from "@/lib/docs/first-call";
import { getKeyUnits } from "@/lib/limits/plan-queries";
import { Page } from "../../../_components/page-frame";
import { renameApiKey, revokeApiKey } from "../actions";
import { ChangeLimits, RotateKey } from "../key-forms";
import { KeyStateChip } from "../key-state-chip";
import { readLimitChoices } from "../limit-choices";
import { Sparkline } from "../sparkline";

const PATH = "/dashboard/settings/api-keys";

type ShownKey = NonNullable<Awaited<ReturnType<typeof findShownKey>>>;

const readKey = recordPageLoader(`${PATH}/[keyId]`, findShownKey, "seeApiKeys");

export const generateMetadata = recordTitle(readKey, ({ label }) => `${label || "API key"} · API keys`);

export default async function ApiKeyPage(props: PageProps<"/dashboard/settings/api-keys/[keyId]">) {
  const { found: key, member } = await readKey(props);
  const { workspaceId, workspace } = member;
  const now = new Date();
  const limits = key.limits ?? {};
  const [use, recent, refusals, callers, choices, units] = await Promise.all([
    listDaysOfUse(workspaceId, workspace.timeZone),
    getRecentUse(workspaceId, key.id),
    listRefusals(workspaceId, key.id),
    listCallers(workspaceId, key.id),
    readLimitChoices(member, limits.phoneNumberIds),
    limits.monthlyCap === undefined ? undefined : getKeyUnits(workspaceId, key.id),
  ]);
  const days = use.get(key.id);
  const state = keyState(key, now);
  const { days: age, isDue } = keyAge(key, now);
  const origin = env().APP_URL;
  const lastDay = key.expiresAt ? lastDayOf(key.expiresAt, workspace.timeZone) : "";
  const changeLimits = key.trialOf ? null : (
    <ChangeLimits key={key.apiKey} apiKey={key} limits={limits} lastDay={lastDay} choices={choices} />
  );
  return (
    <Page
      title={key.label || "No label"}
      chips={
        <>
          <KeyStateChip state={state} />
          <ModeLabel mode={key.mode} />
        </>
      }
      back={{ href: PATH, word: "API keys" }}
      recordMode={key.mode}
    >
      {isDue ? (
        <Notice className="mb-6" tone="caution">
          This key’s secret is {age} days old. Change it every {ROTATE_AFTER_DAYS} days: with an overlap nothing stops.
        </Notice>
      ) : null}
      <div className="grid items-start gap-6 xl:grid-cols-[3fr_2fr]">
        <div className="grid gap-6">
          <KeyFacts
            shown={{ apiKey: key, limits, lines: choices.lines, used: units?.used, days }}
            workspace={workspace}
            now={now}
          />
          {refusals.length > 0 ? <Refusals of={refusals} /> : null}
          {callers.length > 0 ? <Callers of={callers} /> : null}
        </div>
        <div className="grid gap-6">
          {state === "active" ? (
            <ManageKey apiKey={key} changeLimits={changeLimits} recentUse={inWords(recent, now)} />
          ) : null}
          {state === "expired" && !key.trialOf ? (
            <Card title="Manage" className="grid justify-items-start gap-4">
              <p className="text-muted">Give it a later last day to use it again.</p>
              {changeLimits}
            </Card>
          ) : null}
          {key.lastUsedAt ? null : (
            <CallSnippets
              call={firstCall(key.mode, key.apiKey)}
              caller={{ origin, apiKey: key.apiKey }}
              label="A first call"
            />
          )}
        </div>
      </div>
    </Page>
  );
}

type FactsProps = {
  shown: {
    apiKey: ShownKey;
    limits: NonNullable<ShownKey["limits"]>;
    lines: { id: string; label: string }[];
    /** Of its monthly cap; undefined without one. */
    used: number | undefined;
    days: ComponentProps<typeof Sparkline>["days"] | undefined;
  };
  workspace: { timeZone: string };
  now: Date;
};

function KeyFacts({ shown: { apiKey: key, limits, lines, used, days }, workspace, now }: FactsProps) {
  return (
    <Fields
      rows={{
        "Key id": <Copyable value={key.apiKey} label="key id" />,
        Limits: limitsInWords(limits, {
          labels: new Map(lines.map((line) => [line.id, line.label])),
          until: key.expiresAt ? lastDayWords(key.expiresAt, workspace.timeZone) : undefined,
        }) ?? <Muted>None: every call, no expiry</Muted>,
        "Sent this month":
          used === undefined ? null : `${formatNumber(used)} of ${formatNumber(limits.monthlyCap ?? 0)} messages`,
        "Last used": <Ago at={key.lastUsedAt} absent="Never used" />,
        "14 days": days ? <Sparkline days={days} /> : <Muted>No call</Muted>,
        Calls: <TextLink href={`/dashboard/requests?key=${key.id}`}>See this key’s requests</TextLink>,
        Created: (
          <>
            <Timestamp at={key.createdAt} /> {key.createdByName ? `by ${key.createdByName}` : ""}
          </>
        ),
        Expires: <Timestamp at={key.expiresAt} absent="Never" />,
        "Previous secret":
          key.previousSecretEndsAt && key.previousSecretEndsAt > now ? (
            <Timestamp before="works until" at={key.previousSecretEndsAt} />
          ) : null,
        Revoked: key.revokedAt ? (
          <>
            <Timestamp at={key.revokedAt} /> {key.revokedByName ? `by ${key.revokedByName}` : "by a command"}
          </>
        ) : null,
      }}
    />
  );
}

function Refusals({ of }: { of: Awaited<ReturnType<typeof listRefusals>> }) {
  return (
    <Section title="Refused or failed, 14 days">
      <DataTable
        caption="Refused or failed calls of this key by error code"
        rows={of}
        rowKey={({ errorCode }) => errorCode}
        columns={{
          Code: ({ errorCode }) => (
            <TextLink href={`/docs/errors/${errorCode}`}>
              <Code>{errorCode}</Code>
            </TextLink>
          ),
          Calls: ({ count }) => formatNumber(count),
        }}
      />
    </Section>
  );
}

function Callers({ of }: { of: Awaited<ReturnType<typeof listCallers>> }) {
  return (
    <Section title="Callers, last 24 hours">
      <DataTable
        caption="Addresses and programs that used this key in the last 24 hours"
        rows={of}
        rowKey={({ ip, userAgent }) => `${ip} ${userAgent}`}
        columns={{
          Address: ({ ip }) => <Code>{ip}</Code>,
          Program: ({ userAgent }) => <span dir="auto">{userAgent ?? "–"}</span>,
          Calls: ({ count }) => formatNumber(count),
          Last: ({ lastAt }) => <Ago at={lastAt} />,
        }}
      />
    </Section>
  );
}

type ManageProps = { apiKey: ShownKey; changeLimits: ReactNode; recentUse: string | undefined };

function ManageKey({ apiKey, changeLimits, recentUse }: ManageProps) {
  const { label } = apiKey;
  const fields = { apiKey: apiKey.apiKey };
  return (
    <Card title="Manage" className="grid gap-4">
      <ActionForm action={renameApiKey} fields={fields} done="Saved." className="grid gap-3">
        <div className="flex flex-wrap items-end gap-3">
          <div className="grow basis-48">
            <Field key={label} label="Label" name="label" defaultValue={label} required maxLength={100} />
          </div>
          <SubmitButton look="secondary">Save label</SubmitButton>
        </div>
      </ActionForm>
      <div className="flex flex-wrap gap-3 border-t border-hairline pt-4">
        {changeLimits}
        <RotateKey origin={env().APP_URL} apiKey={apiKey} />
        <ConfirmAction
          action={revokeApiKey}
          fields={fields}
          opener="Revoke…"
          title={`Revoke ${label}?`}
          confirm="Revoke key"
          busy="Revoking…"
          typed={recentUse ? { name: "label", word: label, label: `Type ${label} to revoke it anyway` } : undefined}
        >
          <p>Its next request is refused with 401. This cannot be undone.</p>
          {recentUse ? (
            <p className="rounded-control bg-caution-fill px-3 py-2 text-caution">{recentUse}</p>
          ) : (
            <p className="text-muted">It was not used in the last 24 hours.</p>
          )}
        </ConfirmAction>
      </div>
    </Card>
  );
}

const lastDayWords = (expiresAt: Date, timeZone: string): string =>
  dateFormat({ timeZone, dateStyle: "medium" }).format(new Date(expiresAt.getTime() - 1));

/** The use of the key in the last 24 hours, if any: then its label must be typed to revoke it. */
function inWords({ calls, last }: RecentUse, now: Date): string | undefined {
  if (!last) return undefined;
  const times = calls === 1 ? "once" : `${formatNumber(Math.max(1, calls))} times`;
  return `Used ${times} in 24 hours, last ${timeAgo(last.at, now)} from ${last.ip}.`;
}
