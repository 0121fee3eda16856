import type { ComponentProps } from "react";
import { Card } from "@/app/_components/card";
import { MessageStatusChip } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { findUsableKey } from "@/lib/api-keys/queries";
import type { Member } from "@/lib/auth/member";
import { findContact } from "@/lib/contacts/queries";
import { shownContact } from "@/lib/contacts/recipient";
import { env } from "@/lib/core/env";
import { newId } from "@/lib/core/new-id";
import { findMessageWithEvents } from "@/lib/messages/queries";
import { refreshEveryMs } from "@/lib/messages/timeline";
import { can } from "@/lib/workspaces/roles";
import { AutoRefresh } from "../_components/auto-refresh";
import { MessageTimeline } from "../_components/message-timeline";
import { SendForm } from "./send-form";
import type { NamedContact } from "./send-route";

type Props = Pick<
  ComponentProps<typeof SendForm>,
  "mode" | "lines" | "templates" | "isTemplateFixed" | "canSend" | "given" | "page"
> & { member: Member; sent: unknown };

/** Writes a call, sends it where the member may, and shows the outcome. */
export async function Composer({ member, sent, lines, ...form }: Props) {
  const { workspaceId, role } = member;
  const sentId = typeof sent === "string" ? sent : undefined;
  const [apiKey, contact] = await Promise.all([
    can(role, "seeApiKeys") ? findUsableKey(workspaceId, form.mode) : undefined,
    namedContact(member, form.given?.contactId),
  ]);
  return (
    <SendForm
      {...form}
      workspaceId={workspaceId}
      lines={lines.map(({ id, label, displayPhoneNumber }) => ({ id, label, displayPhoneNumber }))}
      contact={contact}
      sentId={sentId}
      idempotencyKey={newId("req").replace("req_", "dashboard-")}
      caller={{ origin: env().APP_URL, apiKey: apiKey ?? null }}
    >
      {sentId === undefined ? null : <Sent member={member} messageId={sentId} />}
    </SendForm>
  );
}

const namedContact = async ({ workspaceId, role }: Member, contactId: unknown): Promise<NamedContact | undefined> => {
  const contact = typeof contactId === "string" ? await findContact(workspaceId, contactId) : undefined;
  if (!contact) return undefined;
  const phone = shownContact(contact, role);
  return { id: contact.id, word: contact.name ? `${contact.name} (${phone})` : phone };
};

/** The status of the message that was sent from here. */
async function Sent({ member, messageId }: { member: Member; messageId: string }) {
  const message = await findMessageWithEvents(member.workspaceId, messageId);
  if (!message) return null;
  const everyMs = refreshEveryMs(message, new Date());
  return (
    <Card aria-labelledby="became">
      {everyMs === null ? null : <AutoRefresh everyMs={everyMs} />}
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h2 id="became" className="flex items-center gap-2 font-semibold">
          Message{" "}
          <span role="status">
            <MessageStatusChip status={message.status} />
          </span>
        </h2>
        <TextLink href={`/dashboard/messages/${message.id}`}>Open message</TextLink>
      </div>
      <MessageTimeline message={message} member={member} />
    </Card>
  );
}
