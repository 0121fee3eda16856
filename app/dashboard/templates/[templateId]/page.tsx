import type { Metadata } from "next";
import { cache } from "react";
import { Ago } from "@/app/_components/ago";
import { Copyable } from "@/app/_components/copyable";
import { FieldRow, Fields } from "@/app/_components/fields";
import { RecordMode } from "@/app/_components/link-mode";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { ModeLabel, QualityChip, TemplateStatusChip } from "@/app/_components/status-chips";
import { Tabs } from "@/app/_components/tabs";
import { TextLink } from "@/app/_components/text-link";
import type { Mode } from "@/db/schema/identity";
import { requireMemberOf } from "@/lib/auth/page-member";
import { readMode } from "@/lib/core/page-mode";
import { sentenceCase } from "@/lib/core/text";
import { bucketsOf } from "@/lib/messages/usage-range";
import { listActiveLines } from "@/lib/phone-numbers/queries";
import { adviceOn } from "@/lib/templates/advice";
import { readDefinition } from "@/lib/templates/definition";
import { findTemplate, listOutcomes, listVariants } from "@/lib/templates/queries";
import { can } from "@/lib/workspaces/roles";
import { Composer } from "../../send/composer";
import { templateBody } from "../../send/prefill";
import { SyncForm } from "../_components/sync-form";
import { Outcomes } from "./outcomes";

type Props = PageProps<"/dashboard/templates/[templateId]">;

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { found } = await readTemplate(props);
  return { title: `${found.name} (${found.language}) · Templates` };
}

export default async function TemplatePage(props: Props) {
  const { member, found: template } = await readTemplate(props);
  const { workspaceId, role } = member;
  const { timeZone } = member.workspace;
  const { id, mode, name, language, status, whatsappBusinessAccountId } = template;
  const [from = ""] = bucketsOf("30d", new Date(), timeZone);
  const [variants, lines, outcomes] = await Promise.all([
    listVariants(workspaceId, { mode, whatsappBusinessAccountId, name }),
    listActiveLines(workspaceId, mode),
    listOutcomes(workspaceId, { mode, whatsappBusinessAccountId, name, language, from, timeZone }),
  ]);
  const { mode: named, sent } = await props.searchParams;
  const definition = readDefinition(template);
  const line = lines.find((one) => one.whatsappBusinessAccountId === whatsappBusinessAccountId);
  const advice = adviceOn(template, { hasLine: line !== undefined });
  return (
    <RecordMode mode={mode}>
      <p className="mb-2 text-sm">
        <TextLink href="/dashboard/templates">Templates</TextLink>
      </p>
      <PageHeading
        title={<span className="break-all">{name}</span>}
        actions={
          <SyncForm workspaceId={workspaceId} mode={mode}>
            {template.syncedAt ? (
              <span>
                Synced <Ago at={template.syncedAt} />
              </span>
            ) : (
              "Not synced yet"
            )}
          </SyncForm>
        }
      >
        <span className="flex flex-wrap items-center gap-2">
          <TemplateStatusChip status={status} />
          <QualityChip score={template.qualityScore} />
          {sentenceCase(template.category)}
          <ModeLabel mode={mode} />
        </span>
      </PageHeading>
      <Tabs
        label="Languages"
        tabs={variants
          .toSorted((a, b) => (a.language < b.language ? -1 : 1))
          .map((variant) => ({
            href: `/dashboard/templates/${variant.id}`,
            word: variant.language,
            isCurrent: variant.id === id,
          }))}
      />
      {advice ? (
        <div className="mb-6">
          <Notice tone={advice.tone}>
            <strong className="font-semibold">{advice.title}</strong> {advice.fix}
          </Notice>
        </div>
      ) : null}
      <Composer
        key={id}
        member={member}
        mode={mode}
        lines={line ? [line, ...lines.filter((one) => one !== line)] : []}
        templates={[definition]}
        isTemplateFixed
        given={templateBody(definition, {})}
        page={{ path: `/dashboard/templates/${id}`, query: { mode: readMode(named) } }}
        sent={sent}
        canSend={
          status === "APPROVED" &&
          line !== undefined &&
          can(role, mode === "live" ? "sendLiveMessage" : "sendTestMessage")
        }
      />
      <section aria-labelledby="facts-title" className="mt-10 grid gap-3">
        <h2 id="facts-title" className="font-semibold">
          About it
        </h2>
        <Fields>
          <FieldRow name="Name">
            <Copyable value={name} label="template name" />
          </FieldRow>
          <FieldRow name="Language">
            <Copyable value={language} label="language" />
            <span className="block text-xs text-muted">
              With templateComponents exactly as here; otherwise its first part is enough where no other region is
              approved.
            </span>
          </FieldRow>
          <FieldRow name="Sends in 30 days">
            <Outcomes
              outcomes={outcomes}
              messagesHref={`/dashboard/messages?${new URLSearchParams({ template: name, from })}`}
            />
          </FieldRow>
          <FieldRow name="Business account">
            <span className="font-mono text-sm text-muted">{whatsappBusinessAccountId}</span>
          </FieldRow>
        </Fields>
      </section>
    </RecordMode>
  );
}

const memberAndTemplate = cache((templateId: string, mode: Mode | undefined) =>
  requireMemberOf({ path: `/dashboard/templates/${templateId}`, mode }, (workspaceId) =>
    findTemplate(workspaceId, templateId),
  ),
);

const readTemplate = async ({ params, searchParams }: Props) =>
  memberAndTemplate((await params).templateId, readMode((await searchParams).mode));
