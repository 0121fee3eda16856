import { redirect } from "next/navigation";
import { ButtonLink } from "@/app/_components/button";
import { TextLink } from "@/app/_components/link";
import { EmptyState, Notice } from "@/app/_components/panels";
import { defaultMode, may, requireMember } from "@/lib/auth/page-member";
import { readMode } from "@/lib/core/page-mode";
import { withQuery } from "@/lib/core/query-string";
import { listActiveLines } from "@/lib/phone-numbers/queries";
import { readDefinition } from "@/lib/templates/definition";
import { componentsOf, listApproved } from "@/lib/templates/queries";
import { Page, WhoHelps } from "../_components/page-frame";
import { Composer, prefillOf } from "./composer";

export const metadata = { title: "Send message" };

const PATH = "/dashboard/send";
const TEST_PATH = `${PATH}?mode=test`;

export default async function SendPage({ searchParams }: PageProps<"/dashboard/send">) {
  const member = await requireMember();
  const { sent, from, ...given } = await searchParams;
  const prefill = await prefillOf(member, given);
  const named = readMode(given.mode);
  // A message or template that a link names belongs to one mode.
  const mode = prefill?.mode ?? named ?? defaultMode(member);
  if (named && named !== mode) redirect(withQuery(PATH, { ...textsOf(given), mode }));
  if (mode === "live" && !may("sendLiveMessage")) return <LiveIsForOthers />;
  const [lines, templates] = await Promise.all([
    listActiveLines(member.workspaceId, mode),
    listApproved(member.workspaceId, { mode }),
  ]);
  const formId = prefill?.id ?? (typeof from === "string" ? from : undefined);
  return (
    <Page
      title="Send message"
      intro={`Goes through the API in ${mode} mode: the same checks, answers and history as a call from your program.`}
      mode={mode}
    >
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
          // What was filled in for one mode or message has no meaning in another; an answer belongs to its form.
          key={`${mode} ${formId ?? ""}`}
          mode={mode}
          lines={lines}
          templates={templates.map((template) => readDefinition({ ...template, components: componentsOf(template) }))}
          canSend
          given={prefill?.body}
          page={{ path: PATH, query: { from: formId, mode } }}
          sent={sent}
        />
      )}
    </Page>
  );
}

const textsOf = (given: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );

function LiveIsForOthers() {
  return (
    <Page title="Send message" mode="live">
      <Notice action={<ButtonLink href={TEST_PATH}>Send in test mode</ButtonLink>}>
        A live message reaches a real person. <WhoHelps to="sendLiveMessage" />
      </Notice>
    </Page>
  );
}
