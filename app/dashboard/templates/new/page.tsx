import type { Metadata } from "next";
import { EmptyState } from "@/app/_components/empty-state";
import { PageMode } from "@/app/_components/link-mode";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import { requireMember, shownMode } from "@/lib/auth/page-member";
import { listActiveLines } from "@/lib/phone-numbers/queries";
import { can, whoCan } from "@/lib/workspaces/roles";
import { TemplateEditor } from "./template-editor";

export const metadata: Metadata = { title: "New template" };

export default async function NewTemplatePage({ searchParams }: PageProps<"/dashboard/templates/new">) {
  const member = await requireMember();
  const { workspaceId, role } = member;
  const mode = await shownMode(member, searchParams);
  const lines = await listActiveLines(workspaceId, mode);
  return (
    <>
      <PageMode mode={mode} />
      <p className="mb-2 text-sm">
        <TextLink href="/dashboard/templates">Templates</TextLink>
      </p>
      <PageHeading title="New template">
        {mode === "live"
          ? "It goes to WhatsApp for review, and can be sent once it is approved."
          : "Test mode: the built-in sandbox approves it after a moment. Nothing reaches WhatsApp."}
      </PageHeading>
      {!can(role, "createTemplate") ? (
        <Notice>{whoCan("createTemplate")} All members may sync, and send approved templates.</Notice>
      ) : lines.length === 0 ? (
        <EmptyState title={`No active ${mode} line`}>
          A template belongs to the business account of a line.{" "}
          <TextLink href="/dashboard/phone-numbers">Connect one first</TextLink>.
        </EmptyState>
      ) : (
        <TemplateEditor
          workspaceId={workspaceId}
          mode={mode}
          accounts={[...new Map(lines.map((line) => [line.whatsappBusinessAccountId, line])).values()]}
        />
      )}
    </>
  );
}
