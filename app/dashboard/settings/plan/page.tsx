import type { Metadata } from "next";
import { Card } from "@/app/_components/card";
import { FieldRow, Fields } from "@/app/_components/fields";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import { UsageBar } from "@/app/_components/usage-bar";
import { requireMember } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { formatNumber } from "@/lib/core/number";
import { monthlyLimit, PLANS } from "@/lib/core/plans";
import { sentenceCase } from "@/lib/core/text";
import { OPERATOR_SETS_LIMIT } from "@/lib/workspaces/change-limit";
import { getUnits } from "@/lib/workspaces/plan-queries";
import { monthOf, outlookOf } from "@/lib/workspaces/quota";
import { can, whoCan } from "@/lib/workspaces/roles";
import { QuotaNotice } from "../../_components/quota-notice";
import { LimitForm } from "./limit-form";

export const metadata: Metadata = { title: "Plan & limits" };

export default async function PlanPage() {
  const { workspaceId, workspace, role } = await requireMember();
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
    <>
      <PageHeading title="Plan & limits">Your monthly quota and rate limits.</PageHeading>
      <div className="mb-6">
        <QuotaNotice used={used} limit={limit} />
      </div>
      <div className="grid items-start gap-6 xl:grid-cols-[3fr_2fr]">
        <Fields>
          <FieldRow name="Plan">
            {sentenceCase(plan)} · {inWords(PLANS[plan])}
            {messageLimit === null ? "" : `, here ${inWords(messageLimit)}`}
          </FieldRow>
          <FieldRow name="Used this month">
            <p className="mb-1.5">
              {formatNumber(used)} {limit === null ? "messages" : `of ${formatNumber(limit)}`}
            </p>
            {limit === null ? null : (
              <UsageBar used={used} limit={limit} label="Share of the monthly limit that is used" />
            )}
            <p className="mt-1.5 text-sm text-muted">Test messages and repeats of a send are free.</p>
          </FieldRow>
          {limit === null ? null : (
            <FieldRow name="At this pace">
              {used >= limit ? (
                "The limit is reached: live sends are refused with 402 until the month ends."
              ) : outlook === "tooEarly" ? (
                "Too early in the month to estimate"
              ) : outlook === "enough" ? (
                "Enough until the end of the month"
              ) : (
                <>
                  Used up about <Timestamp at={outlook} timeZone={timeZone} />
                </>
              )}
            </FieldRow>
          )}
          <FieldRow name="Resets on">
            <Timestamp at={endsAt} timeZone={timeZone} /> <span className="text-muted">{whenInUtc}</span>
          </FieldRow>
          <FieldRow name="Requests per IP">{formatNumber(perIp)} in 15 minutes</FieldRow>
          <FieldRow name="Requests per key">{formatNumber(perKey)} in 15 minutes</FieldRow>
          <FieldRow name="Contents kept">{formatNumber(keptDays)} days; then only metadata is kept</FieldRow>
        </Fields>
        <section className="grid gap-4">
          <Card>
            <h2 className="font-semibold">Which limit you will reach first</h2>
            <p className="mt-1 text-muted">
              {perIp < perKey
                ? `A server with one IP address reaches its limit of ${formatNumber(perIp)} requests before the key’s limit of ${formatNumber(perKey)}. Status requests count too.`
                : `A server reaches the key’s limit of ${formatNumber(perKey)} requests first. Status requests count too.`}{" "}
              <TextLink href="/docs/polling">How to poll less</TextLink>
            </p>
          </Card>
          <Card>
            {!ALLOW_OWNER_PLANS ? (
              <p className="text-muted">{OPERATOR_SETS_LIMIT}</p>
            ) : can(role, "changePlan") ? (
              <LimitForm workspaceId={workspaceId} messageLimit={messageLimit} planLimit={inWords(PLANS[plan])} />
            ) : (
              <p className="text-muted">To set a custom monthly limit: {whoCan("changePlan")}</p>
            )}
          </Card>
        </section>
      </div>
    </>
  );
}

const inWords = (limit: number | null): string =>
  limit === null ? "no monthly limit" : `${formatNumber(limit)} a month`;
