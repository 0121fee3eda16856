import type { ReactNode } from "react";
import { ActionForm, Field, SubmitButton } from "@/app/_components/form";
import { TextLink } from "@/app/_components/link";
import { Card, Fields, Notice, UsageBar } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import { Day, Timestamp } from "@/app/_components/timestamp";
import { may, requireMember } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { monthlyLimit, PLANS } from "@/lib/core/principal";
import { formatNumber, sentenceCase } from "@/lib/core/text";
import { getUnits } from "@/lib/limits/plan-queries";
import { monthOf, outlookOf, reachedMark } from "@/lib/limits/quota";
import { OPERATOR_SETS_LIMIT } from "@/lib/workspaces/change-workspace";
import { Page, WhoHelps } from "../../_components/page-frame";
import { changeMonthlyLimit } from "../actions";

export const metadata = { title: "Plan & limits" };

export default async function PlanPage() {
  const { workspaceId, workspace } = await requireMember();
  const { plan, messageLimit, timeZone } = workspace;
  const now = new Date();
  const limit = monthlyLimit(plan, messageLimit);
  const { used } = await getUnits(workspaceId, limit);
  const outlook = outlookOf(used, limit, now);
  const { endsAt } = monthOf(now);
  const whenInUtc = timeZone === "UTC" ? "UTC" : `in ${timeZone}, 00:00 UTC`;
  const { PUBLIC_API_IP_RATE_LIMIT: perIp, PUBLIC_API_KEY_RATE_LIMIT: perKey } = env();
  const { MESSAGE_RETENTION_DAYS, ALLOW_OWNER_PLANS } = env();
  const keptDays = workspace.retentionDays ?? MESSAGE_RETENTION_DAYS;
  return (
    <Page title="Plan & limits" intro="Your monthly quota and rate limits.">
      <div className="mb-6">
        <QuotaNotice used={used} limit={limit} />
      </div>
      <div className="grid items-start gap-6 xl:grid-cols-[3fr_2fr]">
        <Fields
          rows={{
            Plan: `${sentenceCase(plan)} · ${limit === null ? NO_LIMIT : aMonth(limit)}${messageLimit === null ? "" : " (your limit)"}`,
            "Used this month": (
              <>
                <p className="mb-1.5">
                  {formatNumber(used)} {limit === null ? "messages" : `of ${formatNumber(limit)}`}
                </p>
                {limit === null ? null : (
                  <UsageBar used={used} limit={limit} label="Share of the monthly limit that is used" />
                )}
                <p className="mt-1.5 text-sm text-muted">Test messages and repeats of a send are free.</p>
              </>
            ),
            "At this pace": limit === null ? null : paceInWords(used >= limit ? "usedUp" : outlook),
            "Resets on": (
              <>
                <Timestamp at={endsAt} /> <Muted>{whenInUtc}</Muted>
              </>
            ),
            "Requests per IP": `${formatNumber(perIp)} in 15 minutes`,
            "Requests per key": `${formatNumber(perKey)} in 15 minutes`,
            "Contents kept": `${formatNumber(keptDays)} days; then only metadata is kept`,
          }}
        />
        <section className="grid gap-4">
          <Card title="Which limit you will reach first">
            <p className="text-muted">
              {perIp < perKey
                ? `A server with one IP address reaches its limit of ${formatNumber(perIp)} requests before the key’s limit of ${formatNumber(perKey)}. Status requests count too.`
                : `A server reaches the key’s limit of ${formatNumber(perKey)} requests first. Status requests count too.`}{" "}
              <TextLink href="/docs/polling">How to poll less</TextLink>
            </p>
          </Card>
          <Card>
            {!ALLOW_OWNER_PLANS ? (
              <p className="text-muted">{OPERATOR_SETS_LIMIT}</p>
            ) : may("changePlan") ? (
              <LimitForm messageLimit={messageLimit} ofPlan={PLANS[plan]} />
            ) : (
              <p className="text-muted">
                To set a custom monthly limit: <WhoHelps to="changePlan" />
              </p>
            )}
          </Card>
        </section>
      </div>
    </Page>
  );
}

function paceInWords(outlook: ReturnType<typeof outlookOf> | "usedUp"): ReactNode {
  if (outlook === "usedUp") return "Used up";
  if (outlook === "tooEarly") return "Too early in the month to estimate";
  if (outlook === "enough") return "Enough until the end of the month";
  return <Timestamp before="Used up about" at={outlook} />;
}

function LimitForm({ messageLimit, ofPlan }: { messageLimit: number | null; ofPlan: number | null }) {
  return (
    <ActionForm action={changeMonthlyLimit} done="Saved. Applies from the next message.">
      <Field
        key={messageLimit}
        label="Monthly limit of this workspace"
        name="messageLimit"
        inputMode="numeric"
        defaultValue={messageLimit ?? ""}
        placeholder={ofPlan === null ? NO_LIMIT : aMonth(ofPlan)}
        hint="Messages a calendar month (UTC). Empty: the plan’s own limit."
      />
      <SubmitButton className="justify-self-start">Save limit</SubmitButton>
    </ActionForm>
  );
}

const NO_LIMIT = "no monthly limit";

const aMonth = (limit: number): string => `${formatNumber(limit)} ${limit === 1 ? "message" : "messages"} a month`;

/** A warning at 80, 90 and 100 % of the monthly limit. */
function QuotaNotice({ used, limit }: { used: number; limit: number | null }) {
  const mark = reachedMark(used, limit);
  if (mark === undefined || limit === null) return null;
  const counts = `${formatNumber(used)} of ${formatNumber(limit)} messages are used.`;
  return (
    <Notice
      tone={mark === 100 ? "bad" : "caution"}
      action={<TextLink href="/dashboard/settings/plan">Plan & limits</TextLink>}
    >
      {mark === 100 ? (
        <>
          The monthly limit is reached: {counts} Live messages are blocked until <Day at={monthOf(new Date()).endsAt} />{" "}
          or a higher limit.
        </>
      ) : (
        `At least ${mark} % of the monthly limit is used: ${counts}`
      )}
    </Notice>
  );
}
