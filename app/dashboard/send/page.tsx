import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { PageMode } from "@/app/_components/link-mode";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { MessageStatusChip } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import type { Mode } from "@/db/schema/identity";
import { keyState } from "@/lib/api-keys/key-age";
import { listKeys } from "@/lib/api-keys/queries";
import type { Member } from "@/lib/auth/member";
import { principalOf } from "@/lib/auth/member-principal";
import { requireMember, standardMode } from "@/lib/auth/page-member";
import { findContact } from "@/lib/contacts/queries";
import { shownContact } from "@/lib/contacts/recipient";
import { env } from "@/lib/core/env";
import { newId } from "@/lib/core/new-id";
import { readMode } from "@/lib/core/page-mode";
import { withQuery } from "@/lib/core/query-string";
import { findMessageWithEvents } from "@/lib/messages/queries";
import { refreshEveryMs } from "@/lib/messages/timeline";
import { listApproved } from "@/lib/templates/queries";
import { can, whoCan } from "@/lib/workspaces/roles";
import { AutoRefresh } from "../_components/auto-refresh";
import { MessageTimeline } from "../_components/message-timeline";
import { prefillOf, toTemplateChoice } from "./prefill";
import { SendForm } from "./send-form";
import type { NamedContact } from "./send-route";

export const metadata: Metadata = { title: "Send message" };

const PATH = "/dashboard/send";
const TEST_PATH = `${PATH}?mode=test`;

export default async function SendPage({ searchParams }: PageProps<"/dashboard/send">) {
  const member = await requireMember();
  const { sent, from, ...given } = await searchParams;
  const maySendLive = can(member.role, "sendLiveMessage");
  const prefill = await prefillOf(member, given);
  const named = readMode(given.mode);
  // What a link brings along belongs to one mode.
  const mode = prefill?.mode ?? named ?? standardMode(member);
  if (named && named !== mode) redirect(withQuery(PATH, { ...textsOf(given), mode }));
  if (mode === "live" && !maySendLive) return <LiveIsForOthers />;
  const [{ lines }, templates, apiKey] = await Promise.all([
    principalOf(member, mode),
    listApproved(member.workspaceId, { mode }),
    keyFor(member, mode),
  ]);
  const active = lines.filter(({ isActive }) => isActive);
  const formId = prefill?.id ?? (typeof from === "string" ? from : undefined);
  return (
    <>
      <PageMode mode={mode} />
      <PageHeading title="Send message">
        Goes through the API in {mode} mode: the same checks, answers and history as a call from your program.
      </PageHeading>
      {active.length === 0 ? (
        <EmptyState title={`No active ${mode} line`}>
          You need an active line to send a message. <TextLink href="/dashboard/phone-numbers">Open Lines</TextLink>
          {mode === "live" ? (
            <>
              , or <TextLink href={TEST_PATH}>send in test mode</TextLink>
            </>
          ) : null}
          .
        </EmptyState>
      ) : (
        <SendForm
          // What was filled in for one mode or message has no meaning in another; an answer stays with the form it came to.
          key={`${mode} ${formId ?? ""}`}
          formId={formId}
          workspaceId={member.workspaceId}
          mode={mode}
          lines={active.map(({ id, label, displayPhoneNumber }) => ({ id, label, displayPhoneNumber }))}
          templates={templates.map(toTemplateChoice)}
          prefill={prefill?.body}
          contact={await namedContact(member, prefill?.body.contactId)}
          sentId={typeof sent === "string" ? sent : undefined}
          idempotencyKey={newIdempotencyKey()}
          caller={{ origin: env().APP_URL, apiKey }}
        >
          {typeof sent === "string" ? <Sent member={member} messageId={sent} /> : null}
        </SendForm>
      )}
    </>
  );
}

const namedContact = async ({ workspaceId, role }: Member, contactId: unknown): Promise<NamedContact | undefined> => {
  const contact = typeof contactId === "string" ? await findContact(workspaceId, contactId) : undefined;
  if (!contact) return undefined;
  const phone = shownContact(contact, role);
  return { id: contact.id, word: contact.name ? `${contact.name} (${phone})` : phone };
};

const textsOf = (given: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );

function LiveIsForOthers() {
  return (
    <>
      <PageMode mode="live" />
      <PageHeading title="Send message" />
      <Notice action={<ButtonLink href={TEST_PATH}>Send in test mode</ButtonLink>}>
        A live message reaches a real person. {whoCan("sendLiveMessage")}
      </Notice>
    </>
  );
}

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

/** The key that a copied call names: the oldest that works, for those who see keys. */
const keyFor = async (member: Member, mode: Mode): Promise<string | null> => {
  if (!can(member.role, "seeApiKeys")) return null;
  const keys = await listKeys(member.workspaceId);
  const now = new Date();
  const usable = keys.find((key) => key.mode === mode && !key.trialOf && keyState(key, now) === "active");
  return usable?.apiKey ?? null;
};

const newIdempotencyKey = () => newId("req").replace("req_", "dashboard-");
