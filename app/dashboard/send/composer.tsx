import type { ComponentProps } from "react";
import { z } from "zod";
import { TextLink } from "@/app/_components/link";
import { Card } from "@/app/_components/panels";
import { StatusChip } from "@/app/_components/text";
import { toSendBody } from "@/lib/api/send-body";
import { findUsableKey } from "@/lib/api-keys/queries";
import type { Member } from "@/lib/auth/member";
import { may, pageMember } from "@/lib/auth/page-member";
import { findContact } from "@/lib/contacts/queries";
import { shownContact } from "@/lib/contacts/recipient";
import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { newId } from "@/lib/core/new-id";
import type { Mode } from "@/lib/core/principal";
import { findMessageWithEvents } from "@/lib/messages/list/log-queries";
import { revealRequest } from "@/lib/messages/list/reveal-contents";
import { refreshEveryMs } from "@/lib/messages/statuses/timeline";
import { findLine } from "@/lib/phone-numbers/queries";
import { readDefinition, type TemplateDefinition } from "@/lib/templates/definition";
import { findTemplate } from "@/lib/templates/queries";
import { withSamples } from "@/lib/templates/sample-values";
import { AutoRefresh } from "../_components/auto-refresh";
import { MessageTimeline } from "../_components/message-timeline";
import type { NamedContact } from "./draft-fields";
import { SendForm } from "./send-form";

type Props = Pick<
  ComponentProps<typeof SendForm>,
  "mode" | "lines" | "templates" | "isTemplateFixed" | "canSend" | "given" | "page"
> & { sent: unknown };

/** Writes a call, sends it where the member may, and shows the outcome. */
export async function Composer({ sent, lines, ...form }: Props) {
  const sentId = typeof sent === "string" ? sent : undefined;
  const [apiKey, contact] = await Promise.all([
    may("seeApiKeys") ? findUsableKey(pageMember().workspaceId, form.mode) : undefined,
    namedContact(form.given?.contactId),
  ]);
  return (
    <SendForm
      {...form}
      lines={lines.map(({ id, label, displayPhoneNumber }) => ({ id, label, displayPhoneNumber }))}
      contact={contact}
      sentId={sentId}
      idempotencyKey={newId("req").replace("req_", "dashboard-")}
      caller={{ origin: env().APP_URL, apiKey: apiKey ?? null }}
    >
      {sentId === undefined ? null : <Sent messageId={sentId} />}
    </SendForm>
  );
}

async function namedContact(contactId: unknown): Promise<NamedContact | undefined> {
  const { workspaceId, role } = pageMember();
  const contact = typeof contactId === "string" ? await findContact(workspaceId, contactId) : undefined;
  if (!contact) return undefined;
  const phone = shownContact(contact, role);
  return { id: contact.id, word: contact.name ? `${contact.name} (${phone})` : phone };
}

/** The status of the message that was sent from here. */
async function Sent({ messageId }: { messageId: string }) {
  const message = await findMessageWithEvents(pageMember().workspaceId, messageId);
  if (!message) return null;
  const everyMs = refreshEveryMs(message, new Date());
  return (
    <Card title="Message">
      {everyMs === null ? null : <AutoRefresh everyMs={everyMs} />}
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <span role="status">
          <StatusChip status={message.status} />
        </span>
        <TextLink href={`/dashboard/messages/${message.id}`}>Open message</TextLink>
      </div>
      <MessageTimeline message={message} />
    </Card>
  );
}

/** What the form begins with, if a link names a message, a template or a line. */
type Prefill = { id: string; mode: Mode; body: Record<string, unknown> };

export async function prefillOf(member: Member, { message, template, values, line }: Record<string, unknown>) {
  if (typeof message === "string") return ofMessage(member, message);
  if (typeof template === "string") return ofTemplate(member, template, readValues(values));
  return typeof line === "string" ? ofLine(member, line) : undefined;
}

async function ofLine(member: Member, id: string): Promise<Prefill | undefined> {
  const line = await findLine(member.workspaceId, id);
  return line && { id, mode: line.mode, body: { type: "text", phone: "", phoneNumberId: id, content: "" } };
}

/** Starts with the contents of an earlier message. Showing them is audited, as on the message's own page. */
async function ofMessage(member: Member, messageId: string): Promise<Prefill | undefined> {
  if (!may("seeBodies")) return undefined;
  try {
    const by = { actor: { kind: "user", id: member.userId }, requestId: newId("req") } as const;
    const { mode, request } = await revealRequest(member.workspaceId, messageId, by);
    return request ? { id: messageId, mode, body: toSendBody(request) } : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

async function ofTemplate(member: Member, id: string, values: Record<string, string>): Promise<Prefill | undefined> {
  const template = await findTemplate(member.workspaceId, id);
  if (template?.status !== "APPROVED") return undefined;
  return { id, mode: template.mode, body: templateBody(readDefinition(template), values) };
}

/** What a form begins with for a template: the values of a link, and samples for the others. */
export function templateBody(definition: TemplateDefinition, values: Record<string, string>): Prefill["body"] {
  return {
    type: "template",
    templateName: definition.name,
    templateLanguage: definition.language,
    templateVariables: Object.fromEntries(withSamples(definition, new Map(Object.entries(values)))),
  };
}

function readValues(json: unknown): Record<string, string> {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(String(json)));
  } catch {
    return {};
  }
}
