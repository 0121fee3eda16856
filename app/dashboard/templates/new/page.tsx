import { TextLink } from "@/app/_components/link";
import { EmptyState, Notice } from "@/app/_components/panels";
import { may, requireMember, shownMode } from "@/lib/auth/page-member";
import { listActiveLines } from "@/lib/phone-numbers/queries";
import { whoCan } from "@/lib/workspaces/roles";
import { Page } from "../../_components/page-frame";
import { TemplateEditor } from "./template-editor";

export const metadata = { title: "New template" };

export default async function NewTemplatePage({ searchParams }: PageProps<"/dashboard/templates/new">) {
  const member = await requireMember();
  const mode = await shownMode(member, searchParams);
  const lines = await listActiveLines(member.workspaceId, mode);
  return (
    <Page
      title="New template"
      intro={
        mode === "live"
          ? "It goes to WhatsApp for review, and can be sent once it is approved."
          : "Test mode: the built-in sandbox approves it after a moment. Nothing reaches WhatsApp."
      }
      back={{ href: "/dashboard/templates", word: "Templates" }}
      mode={mode}
    >
      {!may("createTemplate") ? (
        <Notice>{whoCan("createTemplate")} All members may sync, and send approved templates.</Notice>
      ) : lines.length === 0 ? (
        <EmptyState title={`No active ${mode} line`}>
          A template belongs to the business account of a line.{" "}
          <TextLink href="/dashboard/phone-numbers">Connect one first</TextLink>.
        </EmptyState>
      ) : (
        <TemplateEditor
          mode={mode}
          accounts={[...new Map(lines.map((line) => [line.whatsappBusinessAccountId, line])).values()]}
        />
      )}
    </Page>
  );
}
