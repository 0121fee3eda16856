import type { ReactNode } from "react";
import { Icon } from "@/app/_components/icon";
import { TextLink } from "@/app/_components/link";
import { EmptyState, ROWS, Section } from "@/app/_components/panels";
import { Code, InlineCode } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import { requireMember } from "@/lib/auth/page-member";
import { formatNumber } from "@/lib/core/text";
import { meaningOf } from "@/lib/incoming/unhandled";
import { listUnhandledGroups, MAX_COUNTED, type UnhandledGroup } from "@/lib/incoming/unhandled-queries";
import { reportOf } from "@/lib/phone-numbers/account-reports";
import { type LineWithNotices, listAllLines } from "@/lib/phone-numbers/queries";
import { Page } from "../../_components/page-frame";

export const metadata = { title: "Unused webhooks" };

export default async function UnusedWebhooksPage() {
  const { workspaceId, workspace } = await requireMember("manageLines");
  const [groups, lines] = await Promise.all([listUnhandledGroups(workspaceId), listAllLines(workspaceId)]);
  const live = lines.filter(({ mode, disconnectedAt }) => mode === "live" && !disconnectedAt);
  return (
    <Page
      title="Unused webhooks"
      intro={`What WhatsApp sent about your live lines without effect in the last 7 days, and why. Contents are not shown. Times in ${workspace.timeZone}.`}
      back={{ href: "/dashboard/webhooks", word: "WhatsApp connection" }}
    >
      <Section title="Without effect">
        {groups.length === 0 ? (
          <EmptyState title="Nothing in the last 7 days">
            Everything that WhatsApp sent about your lines was used. Calls, edited messages and what this release does
            not know appear here, with what to do.
          </EmptyState>
        ) : (
          <ul className={ROWS}>
            {byMeaning(groups).map((same) => (
              <Unused key={`${same[0].kind} ${same[0].field}`} groups={same} />
            ))}
          </ul>
        )}
      </Section>
      <Section title="Account errors and security events" className="mt-8">
        <Reports lines={live} />
      </Section>
    </Page>
  );
}

type Groups = [UnhandledGroup, ...UnhandledGroup[]];

/** Those of one kind and field, which mean the same: what failed first, then the latest. */
const byMeaning = (groups: UnhandledGroup[]): Groups[] => {
  const same = new Map<string, Groups>();
  for (const group of groups) {
    const key = `${group.kind} ${group.field}`;
    const earlier = same.get(key);
    if (earlier) earlier.push(group);
    else same.set(key, [group]);
  }
  const rank = ([{ kind, field }]: Groups) => TONES.indexOf(meaningOf(kind, field).tone);
  return [...same.values()].toSorted((one, other) => rank(one) - rank(other));
};

const TONES: readonly Tone[] = ["bad", "caution", "info"];
type Tone = "bad" | "caution" | "info";

function Unused({ groups }: { groups: Groups }) {
  const [{ kind, field }] = groups;
  const { tone, title, sentence } = meaningOf(kind, field);
  return (
    <Entry tone={tone} title={title} code={field} sentence={sentence}>
      {groups.slice(0, MAX_LINES).map(({ phoneNumberId, label, whatsappBusinessAccountId, count, ...at }) => (
        <li key={phoneNumberId ?? whatsappBusinessAccountId}>
          {phoneNumberId ? (
            <TextLink href={`/dashboard/phone-numbers/${phoneNumberId}`}>{label}</TextLink>
          ) : (
            <>
              Account <Code>{whatsappBusinessAccountId}</Code>
            </>
          )}
          : <span className="tabular-nums">{countWords(count)}</span>
          {count > 1 && count < MAX_COUNTED ? (
            <>
              , first <Timestamp at={at.firstAt} />
            </>
          ) : null}
          , last <Timestamp at={at.lastAt} />
        </li>
      ))}
      {groups.length > MAX_LINES ? <li>and {formatNumber(groups.length - MAX_LINES)} more lines</li> : null}
    </Entry>
  );
}

const countWords = (count: number): string => {
  if (count >= MAX_COUNTED) return `${formatNumber(count)} or more webhooks`;
  return count === 1 ? "1 webhook" : `${formatNumber(count)} webhooks`;
};

const MAX_LINES = 10;

const GLYPHS = {
  bad: { icon: "alert", className: "text-danger", word: "Problem: " },
  caution: { icon: "alert", className: "text-caution", word: "Warning: " },
  info: { icon: "info", className: "text-muted", word: "" },
} as const;

type EntryProps = { tone: Tone; title: string; code?: string | null; sentence: string; children: ReactNode };

/** What happened, what it means and what to do, then where and when. */
function Entry({ tone, title, code, sentence, children }: EntryProps) {
  const { icon, className, word } = GLYPHS[tone];
  return (
    <li className="flex gap-2 py-3">
      <Icon name={icon} className={`mt-[3px] shrink-0 ${className}`} />
      <div className="grid min-w-0 gap-1">
        <h3 className="font-medium">
          <span className="sr-only">{word}</span>
          {title} {code ? <Code>{code}</Code> : null}
        </h3>
        <p className="max-w-prose break-words">
          <InlineCode text={sentence} />
        </p>
        <ul className="text-sm text-muted">{children}</ul>
      </div>
    </li>
  );
}

/** They stay notices of the line for longer; this lists those of the last 30 days. */
const REPORTED_MS = 30 * 24 * 60 * 60 * 1_000;

function Reports({ lines }: { lines: LineWithNotices[] }) {
  const now = Date.now();
  const reports = lines
    .flatMap(({ id, label, notices }) =>
      notices.flatMap((notice) => {
        const report = reportOf(notice);
        const isRecent = now - notice.occurredAt.getTime() < REPORTED_MS;
        return report && isRecent ? [{ id, label, kind: notice.kind, at: notice.occurredAt, ...report }] : [];
      }),
    )
    .toSorted((one, other) => other.at.getTime() - one.at.getTime());
  if (reports.length === 0)
    return (
      <p className="text-muted">
        None in the last 30 days. A changed PIN or an error such as a payment problem appears here, and opens an alert.
      </p>
    );
  return (
    <ul className={ROWS}>
      {reports.map(({ id, label, kind, at, tone, title, sentence }) => (
        <Entry key={`${id} ${kind}`} tone={tone} title={title} sentence={sentence}>
          <li>
            <TextLink href={`/dashboard/phone-numbers/${id}`}>{label}</TextLink>: last <Timestamp at={at} />
          </li>
        </Entry>
      ))}
    </ul>
  );
}
