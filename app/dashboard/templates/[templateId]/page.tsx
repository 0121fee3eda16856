import { ButtonLink } from "@/app/_components/button";
import { Copyable } from "@/app/_components/copy-button";
import { TextLink } from "@/app/_components/link";
import { Tabs } from "@/app/_components/list-links";
import { Fields, Notice, Section } from "@/app/_components/panels";
import { ModeLabel, Muted, QualityChip, StatusChip } from "@/app/_components/text";
import { Ago } from "@/app/_components/timestamp";
import type { Template } from "@/db/schema";
import { may, recordPageLoader, recordTitle } from "@/lib/auth/page-member";
import { lastDays } from "@/lib/core/local-time";
import { readMode } from "@/lib/core/page-mode";
import { withQuery } from "@/lib/core/query-string";
import { formatNumber, sentenceCase } from "@/lib/core/text";
import { listActiveLines } from "@/lib/phone-numbers/queries";
import { adviceOn, isCallable, isEditable } from "@/lib/templates/advice";
import { readDefinition } from "@/lib/templates/definition";
import { findTemplate, listOutcomes } from "@/lib/templates/queries";
import { withSamples } from "@/lib/templates/sample-values";
import { draftOf } from "@/lib/templates/stored-draft";
import { listVariants } from "@/lib/templates/variant-queries";
import { Page } from "../../_components/page-frame";
import { Composer, templateBody } from "../../send/composer";
import { SyncForm } from "../_components/sync-form";
import { TemplatePreview } from "../_components/template-preview";

const LIST = "/dashboard/templates";

const readTemplate = recordPageLoader(`${LIST}/[templateId]`, findTemplate);

export const generateMetadata = recordTitle(readTemplate, ({ name, language }) => `${name} (${language}) · Templates`);

export default async function TemplatePage(props: PageProps<"/dashboard/templates/[templateId]">) {
  const { member, found: template } = await readTemplate(props);
  const { workspaceId } = member;
  const { timeZone } = member.workspace;
  const { id, mode, name, language, status, whatsappBusinessAccountId } = template;
  const days = lastDays(30, new Date(), timeZone);
  const [variants, lines, outcomes] = await Promise.all([
    listVariants(workspaceId, { mode, whatsappBusinessAccountId, name }),
    listActiveLines(workspaceId, mode),
    listOutcomes(workspaceId, { mode, whatsappBusinessAccountId, name, language, days }),
  ]);
  const { mode: named, sent } = await props.searchParams;
  const definition = readDefinition(template);
  const line = lines.find((one) => one.whatsappBusinessAccountId === whatsappBusinessAccountId);
  const advice = adviceOn(template, { hasLine: line !== undefined });
  return (
    <Page
      title={<span className="break-all">{name}</span>}
      chips={<TemplateChips template={template} />}
      actions={<SyncForm mode={mode} last={template.syncedAt && <Ago at={template.syncedAt} />} />}
      back={{ href: LIST, word: "Templates" }}
      recordMode={mode}
    >
      <Tabs
        label="Languages"
        tabs={variants
          .toSorted((a, b) => (a.language < b.language ? -1 : 1))
          .map((variant) => ({
            href: `${LIST}/${variant.id}`,
            word: variant.language,
            isCurrent: variant.id === id,
          }))}
      />
      {advice ? (
        <Notice
          className="mb-6"
          tone={advice.tone}
          action={status !== "DELETED" && may("createTemplate") ? <Rewrite template={template} /> : null}
        >
          <strong className="font-semibold">{advice.title}</strong> {advice.fix}
        </Notice>
      ) : null}
      {isCallable(status) ? (
        <Composer
          key={id}
          mode={mode}
          lines={line ? [line, ...lines.filter((one) => one !== line)] : []}
          templates={[definition]}
          isTemplateFixed
          given={templateBody(definition, {})}
          page={{ path: `${LIST}/${id}`, query: { mode: readMode(named) } }}
          sent={sent}
          canSend={
            status === "APPROVED" && line !== undefined && may(mode === "live" ? "sendLiveMessage" : "sendTestMessage")
          }
        />
      ) : (
        <div className="max-w-md">
          <TemplatePreview definition={definition} values={withSamples(definition, new Map())} hasCount={false} />
        </div>
      )}
      <Section title="Details" className="mt-10">
        <TemplateFacts template={template} outcomes={outcomes} since={days[0]?.name} />
      </Section>
    </Page>
  );
}

function TemplateChips({ template }: { template: Template }) {
  return (
    <>
      <StatusChip status={template.status} />
      <QualityChip score={template.qualityScore} />
      <span>
        {sentenceCase(template.category)}
        {template.previousCategory && template.recategorizedAt ? (
          <Muted>
            {" "}
            ({sentenceCase(template.previousCategory)} until <Ago at={template.recategorizedAt} />)
          </Muted>
        ) : null}
      </span>
      <ModeLabel mode={template.mode} />
    </>
  );
}

type FactsProps = { template: Template; outcomes: OutcomesProps["outcomes"]; since: string | undefined };

function TemplateFacts({ template: { name, language, whatsappBusinessAccountId }, outcomes, since }: FactsProps) {
  return (
    <Fields
      rows={{
        Name: <Copyable value={name} label="template name" />,
        Language: (
          <>
            <Copyable value={language} label="language" />
            <span className="block text-sm text-muted">
              Sends with templateComponents need it exactly as here. Others may give only its first part, such as en for
              en_US, if no other region is approved.
            </span>
          </>
        ),
        "Sends in 30 days": (
          <Outcomes
            outcomes={outcomes}
            messagesHref={withQuery("/dashboard/messages", { template: name, from: since })}
          />
        ),
        "Business account": <span className="font-mono text-sm text-muted">{whatsappBusinessAccountId}</span>,
      }}
    />
  );
}

/** The editor with the template's contents, where it can write all of them. */
function Rewrite({ template }: { template: Template }) {
  if (!draftOf(template)) return null;
  return (
    <span className="flex flex-wrap gap-2">
      {isEditable(template.status) ? (
        <ButtonLink href={withQuery(`${LIST}/new`, { edit: template.id })}>Edit and resubmit</ButtonLink>
      ) : null}
      <ButtonLink look="secondary" href={withQuery(`${LIST}/new`, { from: template.id })}>
        Duplicate
      </ButtonLink>
    </span>
  );
}

type OutcomesProps = { outcomes: { status: string; failureCode: number; count: number }[]; messagesHref: string };

/** A template's sends: one chip for each status, and WhatsApp's code where they failed. */
function Outcomes({ outcomes, messagesHref }: OutcomesProps) {
  if (outcomes.length === 0) return <Muted>None</Muted>;
  const total = outcomes.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <TextLink href={messagesHref}>{formatNumber(total)} in all</TextLink>
      {outcomes.map(({ status, failureCode, count }) => (
        <span key={`${status} ${failureCode}`} className="inline-flex items-center gap-1.5 tabular-nums">
          <StatusChip status={status} />
          {formatNumber(count)}
          {failureCode === 0 ? null : <span className="text-sm text-muted">({failureCode})</span>}
        </span>
      ))}
    </div>
  );
}
