import { TextLink } from "@/app/_components/link";
import { EmptyState, Notice } from "@/app/_components/panels";
import type { Template } from "@/db/schema";
import { may, requireMember, shownMode } from "@/lib/auth/page-member";
import type { WorkspaceId } from "@/lib/core/principal";
import { listActiveLines } from "@/lib/phone-numbers/queries";
import { isEditable, rejectionIssues } from "@/lib/templates/advice";
import { findTemplate } from "@/lib/templates/queries";
import { draftOf } from "@/lib/templates/stored-draft";
import { Page, WhoHelps } from "../../_components/page-frame";
import { TemplateEditor } from "./template-editor";

export const metadata = { title: "New template" };

export default async function NewTemplatePage({ searchParams }: PageProps<"/dashboard/templates/new">) {
  const member = await requireMember();
  const { edit, from } = await searchParams;
  const template = await templateGiven(member.workspaceId, edit ?? from);
  const mode = template?.mode ?? (await shownMode(member, searchParams));
  const lines = await listActiveLines(member.workspaceId, mode);
  return (
    <Page
      title={template && edit !== undefined ? `Edit ${template.name}` : "New template"}
      intro={
        mode === "live"
          ? "It goes to WhatsApp for review, and can be sent once it is approved."
          : "Test mode: the built-in sandbox approves it after a moment. Nothing reaches WhatsApp."
      }
      back={{ href: "/dashboard/templates", word: "Templates" }}
      mode={mode}
    >
      {!may("createTemplate") ? (
        <Notice>
          <WhoHelps to="createTemplate" /> All members may sync, and send approved templates.
        </Notice>
      ) : lines.length === 0 ? (
        <EmptyState title={`No active ${mode} line`}>
          A template belongs to the business account of a line.{" "}
          <TextLink href="/dashboard/phone-numbers">Connect one first</TextLink>.
        </EmptyState>
      ) : (
        <TemplateEditor
          key={template?.id}
          mode={mode}
          given={template && givenBy(template, edit !== undefined)}
          accounts={[...new Map(lines.map((line) => [line.whatsappBusinessAccountId, line])).values()]}
        />
      )}
    </Page>
  );
}

const templateGiven = (workspaceId: WorkspaceId, id: string | string[] | undefined) =>
  typeof id === "string" ? findTemplate(workspaceId, id) : undefined;

/** The contents of the template to duplicate or edit; an edit keeps its name, and shows why it was rejected. */
function givenBy(template: Template, isEdit: boolean) {
  const draft = draftOf(template);
  if (!draft) return undefined;
  if (!isEdit || !isEditable(template.status)) return { draft: { ...draft, name: "" }, issues: {} };
  const issues = template.status === "REJECTED" ? rejectionIssues(template.rejectedReason) : {};
  return { draft, edits: template.id, issues };
}
