import type { Metadata } from "next";
import { cache } from "react";
import { CodeBlock } from "@/app/_components/code-block";
import { RecordMode } from "@/app/_components/link-mode";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { ModeLabel } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import type { Mode } from "@/db/schema/identity";
import { requireMemberOf } from "@/lib/auth/page-member";
import { readMode } from "@/lib/core/page-mode";
import { countRefusedSignatures, getWebhookTraffic, listSilentLines } from "@/lib/incoming/queries";
import { problemsOf } from "@/lib/phone-numbers/health";
import { findLine, getLineUsage } from "@/lib/phone-numbers/queries";
import { can } from "@/lib/workspaces/roles";
import { LineChip } from "../_components/line-chip";
import { LineProblems } from "../_components/line-problems";
import { LineFacts } from "./line-facts";
import { LineSettings } from "./line-settings";
import { LineUsage } from "./line-usage";
import { LineWebhooks } from "./line-webhooks";

type Props = PageProps<"/dashboard/phone-numbers/[phoneNumberId]">;

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { found } = await readLine(props);
  return { title: `${found.label} · Lines` };
}

export default async function LinePage(props: Props) {
  const { member, found: line } = await readLine(props);
  const { workspaceId, workspace, role } = member;
  const [silentLines, traffic, refused, usage] = await Promise.all([
    listSilentLines(workspaceId),
    getWebhookTraffic(workspaceId),
    countRefusedSignatures(workspaceId),
    getLineUsage(workspaceId, line),
  ]);
  const silence = silentLines.find(({ id }) => id === line.id);
  const canManage = can(role, "manageLines");
  const { timeZone } = workspace;
  return (
    <RecordMode mode={line.mode}>
      <p className="mb-2 text-sm">
        <TextLink href="/dashboard/phone-numbers">Lines</TextLink>
      </p>
      <PageHeading title={line.label}>
        <span className="flex flex-wrap items-center gap-2">
          {line.displayPhoneNumber}
          <LineChip line={line} />
          {line.mode === "test" ? <ModeLabel mode={line.mode} /> : null}
          {line.isDefault ? <span className="text-sm">Default line</span> : null}
        </span>
      </PageHeading>
      {line.disconnectedAt ? (
        <div className="mb-6">
          <Notice>
            This line is disconnected: nothing can be sent from it, and its token is forgotten. Its messages stay.
            {line.mode === "live" ? " Connect the same number again, and it is this line with this id." : ""}
          </Notice>
        </div>
      ) : null}
      <LineProblems
        phoneNumberId={line.id}
        workspaceId={workspaceId}
        problems={problemsOf({ ...line, silence }, new Date())}
        canManage={canManage}
      />
      <div className="grid items-start gap-8 xl:grid-cols-[3fr_2fr]">
        <div className="grid gap-8">
          <LineFacts line={line} timeZone={timeZone} />
          <LineWebhooks
            line={line}
            workspaceId={workspaceId}
            traffic={traffic.get(line.id)}
            refusedSignatures={refused.get(line.whatsappPhoneNumberId) ?? 0}
            canManage={canManage}
            timeZone={timeZone}
          />
        </div>
        <div className="grid min-w-0 gap-8">
          <CodeBlock label="Name this line in a send" code={`"phoneNumberId": "${line.id}"`} />
          <LineUsage lineId={line.id} usage={usage} />
          {line.disconnectedAt ? null : <LineSettings line={line} workspaceId={workspaceId} canManage={canManage} />}
        </div>
      </div>
    </RecordMode>
  );
}

const memberAndLine = cache((phoneNumberId: string, mode: Mode | undefined) =>
  requireMemberOf({ path: `/dashboard/phone-numbers/${encodeURIComponent(phoneNumberId)}`, mode }, (workspaceId) =>
    findLine(workspaceId, phoneNumberId),
  ),
);

const readLine = async ({ params, searchParams }: Props) =>
  memberAndLine((await params).phoneNumberId, readMode((await searchParams).mode));
