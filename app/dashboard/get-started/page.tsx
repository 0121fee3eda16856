import type { Metadata } from "next";
import type { ReactNode } from "react";
import { ButtonLink } from "@/app/_components/button";
import { CallSnippets } from "@/app/_components/call-snippets";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { MessageStatusChip } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import { requireMember } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { type FirstMessage, getOnboarding } from "@/lib/dashboard/onboarding-queries";
import { recipientOf } from "@/lib/docs/example-recipient";
import type { ApiCall } from "@/lib/docs/snippets";
import { can, whoCan } from "@/lib/workspaces/roles";
import { AutoRefresh } from "../_components/auto-refresh";
import { MemberWebhookValues } from "../_components/member-webhook-values";
import { API_KEYS_PATH } from "../_components/secret-areas";
import { RunCheck } from "../phone-numbers/_components/run-check";
import { runWebhookCheck } from "../webhooks/actions";
import { Step } from "./step";

const FIRST_TEST_CALL = sendText(recipientOf("test"));
const FIRST_LIVE_CALL = sendText(recipientOf("live"));

export const metadata: Metadata = { title: "Get started" };

export default async function GetStartedPage() {
  const { workspaceId, workspace, role } = await requireMember();
  const { hasTestLine, testKey, testSend, line, webhook, liveSend, liveKey, liveCall } =
    await getOnboarding(workspaceId);
  const canManage = can(role, "manageLines");
  const { timeZone } = workspace;
  const done = [testSend, line, webhook, liveSend, liveCall].map(Boolean);
  const next = done.indexOf(false);
  const state = (index: number) => (done[index] ? "done" : index === next ? "next" : "open");
  const sent = (message: FirstMessage | undefined) => message && <Sent message={message} timeZone={timeZone} />;
  return (
    <>
      <PageHeading title="Get started">
        <span role="status">{next === -1 ? "Everything is set up." : `${done.filter(Boolean).length} of 5 done.`}</span>{" "}
        {next === -1 ? (
          <TextLink href="/dashboard">Go to the overview</TextLink>
        ) : (
          "Steps are checked off automatically; this page updates by itself."
        )}
      </PageHeading>
      {next === -1 ? null : <AutoRefresh everyMs={3_000} />}
      {canManage ? null : (
        <div className="mb-6">
          <Notice>This is the workspace’s setup progress. {whoCan("manageLines")}</Notice>
        </div>
      )}
      <ol className="grid max-w-4xl gap-3">
        <Step number={1} name="Make a test call" state={state(0)} done={sent(testSend)}>
          <p>No account at WhatsApp needed: test keys send from a test line to the built-in sandbox.</p>
          {canManage ? (
            <>
              {hasTestLine ? null : (
                <p className="mt-2">
                  There is no test line yet: <TextLink href="/dashboard/phone-numbers/new#test">add one</TextLink>{" "}
                  first.
                </p>
              )}
              <p className="mt-2">
                {testKey ? "Your test key:" : "Create a test key first; its secret is shown once."}{" "}
                {testKey ? <code className="font-mono text-sm break-all">{testKey.apiKey}</code> : null}{" "}
                <TextLink href={API_KEYS_PATH}>{testKey ? "API keys" : "Create a test key"}</TextLink>
              </p>
              <FirstCall apiKey={testKey?.apiKey} call={FIRST_TEST_CALL} />
            </>
          ) : null}
        </Step>
        <Step
          number={2}
          name="Connect a line"
          state={state(1)}
          done={
            line ? (
              <>
                {line.displayPhoneNumber} as{" "}
                <TextLink href={`/dashboard/phone-numbers/${line.id}`}>{line.label}</TextLink>
              </>
            ) : undefined
          }
        >
          <p>Paste an access token and the business account’s id; each check is shown as it passes.</p>
          {canManage ? (
            <p className="mt-3">
              <ButtonLink href="/dashboard/phone-numbers/new">Connect line</ButtonLink>
            </p>
          ) : null}
        </Step>
        <Step
          number={3}
          name="Verify the webhook"
          state={state(2)}
          done={
            webhook ? (
              <>
                Last webhook <Timestamp at={webhook.at} timeZone={timeZone} />
              </>
            ) : undefined
          }
        >
          <p className="mb-3">
            Paste these values at WhatsApp. Its verification shows up in the{" "}
            <TextLink href="/dashboard/webhooks">WhatsApp feed</TextLink> within seconds, with the reason where it is
            refused.
          </p>
          <MemberWebhookValues canSeeToken={canManage} />
          {canManage ? (
            <div className="mt-3">
              <RunCheck action={runWebhookCheck} workspaceId={workspaceId} word="Check from here" />
            </div>
          ) : null}
        </Step>
        <Step number={4} name="Send a real message" state={state(3)} done={sent(liveSend)}>
          <p>
            With an approved template, such as <code className="font-mono text-sm">hello_world</code>. Free text reaches
            only people who wrote within the last 24 hours.
          </p>
          <p className="mt-3">
            <ButtonLink look="secondary" href="/dashboard/send?mode=live">
              Send message
            </ButtonLink>
          </p>
        </Step>
        <Step number={5} name="Make the first live API call" state={state(4)} done={sent(liveCall)}>
          {canManage ? (
            <>
              <p>
                {liveKey ? "The same call with your live key:" : "Create a live key; its secret is shown once."}{" "}
                {liveKey ? <code className="font-mono text-sm break-all">{liveKey.apiKey}</code> : null}{" "}
                <TextLink href={API_KEYS_PATH}>{liveKey ? "API keys" : "Create a live key"}</TextLink>
              </p>
              <FirstCall apiKey={liveKey?.apiKey} call={FIRST_LIVE_CALL} />
            </>
          ) : (
            <p>The same call as in step 1, with a live key.</p>
          )}
        </Step>
      </ol>
    </>
  );
}

function FirstCall({ apiKey, call }: { apiKey: string | undefined; call: ApiCall }) {
  return (
    <div className="mt-3">
      <CallSnippets label="First call" call={call} caller={{ origin: env().APP_URL, apiKey: apiKey ?? null }} />
    </div>
  );
}

function Sent({ message: { id, at, status }, timeZone }: { message: FirstMessage; timeZone: string }): ReactNode {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        Accepted <Timestamp at={at} timeZone={timeZone} />
      </span>
      <MessageStatusChip status={status} />
      <TextLink href={`/dashboard/messages/${id}`}>Open message</TextLink>
    </span>
  );
}

function sendText(phone: string): ApiCall {
  return { method: "POST", path: "/messages/send", body: { type: "text", phone, content: "Your order is ready." } };
}
