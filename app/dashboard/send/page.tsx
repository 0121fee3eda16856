import type { Metadata } from "next";
import { EmptyState } from "@/app/_components/empty-state";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { MessageStatusChip } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { listKeys } from "@/lib/api-keys/queries";
import type { Member } from "@/lib/auth/member";
import { principalOf } from "@/lib/auth/member-principal";
import { requireMember, shownMode } from "@/lib/auth/page-member";
import { env } from "@/lib/env";
import { newId } from "@/lib/ids";
import { findMessageWithEvents } from "@/lib/messages/queries";
import { refreshEveryMs } from "@/lib/messages/timeline";
import { listApproved } from "@/lib/templates/queries";
import { can, whoCan } from "@/lib/workspaces/roles";
import { LiveRefresh } from "../_components/live-refresh";
import { MessageTimeline } from "../_components/message-timeline";
import { prefillOf, toTemplateChoice } from "./prefill";
import { SendForm } from "./send-form";

export const metadata: Metadata = { title: "Send test" };

type Mode = "live" | "test";

export default async function SendPage({ searchParams }: PageProps<"/dashboard/send">) {
  const member = await requireMember();
  const { sent, ...given } = await searchParams;
  const prefill = await prefillOf(member, given);
  const shown = prefill?.mode ?? (await shownMode(member));
  const mode = can(member.role, "sendLiveMessage") ? shown : "test";
  const [{ lines }, templates, apiKey] = await Promise.all([
    principalOf(member, mode),
    listApproved(member.workspaceId, { mode }),
    keyFor(member, mode),
  ]);
  const active = lines.filter(({ isActive }) => isActive);
  return (
    <>
      <PageHeading title="Send test">
        A real send through the API’s own path, in {mode} mode: the same checks, the same answers, the same history.
      </PageHeading>
      {shown !== mode ? (
        <div className="mb-4">
          <Notice>
            This sends in test mode, where nothing reaches a person. Live sends: {whoCan("sendLiveMessage")}
          </Notice>
        </div>
      ) : null}
      {mode === "live" ? (
        <div className="mb-4">
          <Notice tone="caution">Live mode: this reaches a real person and counts against the plan.</Notice>
        </div>
      ) : null}
      {active.length === 0 ? (
        <EmptyState title={`No active ${mode} line`}>
          A message needs a line to leave from. <TextLink href="/dashboard/phone-numbers">Open Lines</TextLink>
          {mode === "live" ? ", or use test mode with the switch above." : "."}
        </EmptyState>
      ) : (
        <SendForm
          // What was filled in for one mode or message has no meaning in another.
          key={`${mode} ${prefill?.id ?? ""}`}
          workspaceId={member.workspaceId}
          mode={mode}
          lines={active.map(({ id, label }) => ({ id, label }))}
          templates={templates.map(toTemplateChoice)}
          prefill={prefill?.body}
          idempotencyKey={newIdempotencyKey()}
          caller={{ origin: env().APP_URL, apiKey }}
        >
          {typeof sent === "string" ? <Sent member={member} messageId={sent} /> : null}
        </SendForm>
      )}
    </>
  );
}

/** What became of the message that was sent from here. */
async function Sent({ member, messageId }: { member: Member; messageId: string }) {
  const message = await findMessageWithEvents(member.workspaceId, messageId);
  if (!message) return null;
  const everyMs = refreshEveryMs(message, new Date());
  return (
    <section aria-labelledby="became" className="rounded-card border border-hairline p-4 sm:p-5">
      {everyMs === null ? null : <LiveRefresh everyMs={everyMs} />}
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
    </section>
  );
}

/** The key that a copied call names: the oldest that works, for those who see keys. */
const keyFor = async (member: Member, mode: Mode): Promise<string | null> => {
  if (!can(member.role, "seeApiKeys")) return null;
  const keys = await listKeys(member.workspaceId);
  const usable = keys.find(
    (key) => key.mode === mode && !key.revokedAt && !(key.expiresAt && key.expiresAt < new Date()),
  );
  return usable?.apiKey ?? null;
};

const newIdempotencyKey = () => newId("req").replace("req_", "test-");
