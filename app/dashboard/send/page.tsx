import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { ButtonLink } from "@/app/_components/button";
import { EmptyState } from "@/app/_components/empty-state";
import { PageMode } from "@/app/_components/link-mode";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import { requireMember, standardMode } from "@/lib/auth/page-member";
import { readMode } from "@/lib/core/page-mode";
import { withQuery } from "@/lib/core/query-string";
import { listActiveLines } from "@/lib/phone-numbers/queries";
import { readDefinition } from "@/lib/templates/definition";
import { listApproved } from "@/lib/templates/queries";
import { can, whoCan } from "@/lib/workspaces/roles";
import { Composer } from "./composer";
import { prefillOf } from "./prefill";

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
  const [lines, templates] = await Promise.all([
    listActiveLines(member.workspaceId, mode),
    listApproved(member.workspaceId, { mode }),
  ]);
  const formId = prefill?.id ?? (typeof from === "string" ? from : undefined);
  return (
    <>
      <PageMode mode={mode} />
      <PageHeading title="Send message">
        Goes through the API in {mode} mode: the same checks, answers and history as a call from your program.
      </PageHeading>
      {lines.length === 0 ? (
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
        <Composer
          // What was filled in for one mode or message has no meaning in another; an answer stays with the form it came to.
          key={`${mode} ${formId ?? ""}`}
          member={member}
          mode={mode}
          lines={lines}
          templates={templates.map(readDefinition)}
          canSend
          given={prefill?.body}
          page={{ path: PATH, query: { from: formId, mode } }}
          sent={sent}
        />
      )}
    </>
  );
}

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
