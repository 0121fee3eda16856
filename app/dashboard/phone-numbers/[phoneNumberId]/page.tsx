import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { CodeBlock } from "@/app/_components/code-block";
import { Copyable } from "@/app/_components/copyable";
import { FieldRow, Fields } from "@/app/_components/fields";
import { PageHeading } from "@/app/_components/page-heading";
import { ActiveChip, ModeLabel } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import { requireMember } from "@/lib/auth/page-member";
import { findLine } from "@/lib/dashboard/queries";

type Props = PageProps<"/dashboard/phone-numbers/[phoneNumberId]">;

export const generateMetadata = async ({ params }: Props): Promise<Metadata> => {
  const { line } = await readLine((await params).phoneNumberId);
  return { title: `${line.label} · Lines` };
};

export default async function LinePage({ params }: Props) {
  const { line, timeZone } = await readLine((await params).phoneNumberId);
  return (
    <>
      <p className="mb-2 text-sm">
        <TextLink href="/dashboard/phone-numbers">Lines</TextLink>
      </p>
      <PageHeading title={line.label}>
        <span className="flex flex-wrap items-center gap-2">
          {line.displayPhoneNumber}
          <ActiveChip isActive={line.isActive} />
          <ModeLabel mode={line.mode} />
          {line.isDefault ? <span className="text-sm">default line</span> : null}
        </span>
      </PageHeading>
      <div className="grid items-start gap-6 xl:grid-cols-[3fr_2fr]">
        <Fields>
          <FieldRow name="Line id">
            <Copyable value={line.id} label="line id" />
          </FieldRow>
          <FieldRow name="Platform id">
            <span className="font-mono text-sm text-muted">{line.whatsappPhoneNumberId}</span>
            <span className="block text-xs text-muted">not accepted by this API</span>
          </FieldRow>
          <FieldRow name="Verified name">{line.verifiedName ?? NOT_KNOWN}</FieldRow>
          <FieldRow name="Quality">{line.qualityRating ?? NOT_KNOWN}</FieldRow>
          <FieldRow name="Platform’s last word">
            {line.platformEvent ?? <span className="text-muted">None</span>}
          </FieldRow>
          <FieldRow name="Last webhook">
            <Timestamp at={line.lastWebhookAt} timeZone={timeZone} absent="None received yet" />
          </FieldRow>
          <FieldRow name="Connected">
            <Timestamp at={line.createdAt} timeZone={timeZone} />
          </FieldRow>
        </Fields>
        <CodeBlock label="Name this line in a send" code={`"phoneNumberId": "${line.id}"`} />
      </div>
    </>
  );
}

const NOT_KNOWN = <span className="text-muted">Not known yet</span>;

const readLine = cache(async (phoneNumberId: string) => {
  const { workspaceId, workspace } = await requireMember();
  const line = await findLine(workspaceId, phoneNumberId);
  if (!line) notFound();
  return { line, timeZone: workspace.timeZone };
});
