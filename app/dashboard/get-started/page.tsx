import type { ReactNode } from "react";
import { ButtonLink } from "@/app/_components/button";
import { CallSnippets } from "@/app/_components/call-snippets";
import { Icon } from "@/app/_components/icon";
import { TextLink } from "@/app/_components/link";
import { Notice } from "@/app/_components/panels";
import { Code, StatusChip } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import { may, requireMember } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import type { Mode } from "@/lib/core/principal";
import { type FirstMessage, getOnboarding } from "@/lib/dashboard/onboarding-queries";
import { firstCall } from "@/lib/docs/first-call";
import { Page, WhoHelps } from "../_components/page-frame";
import { MemberWebhookValues } from "../_components/whatsapp-webhooks";
import { RunCheck } from "../phone-numbers/_components/run-check";
import { runWebhookCheck } from "../phone-numbers/actions";
import { StartTesting } from "./start-testing";

export const metadata = { title: "Get started" };

export default async function GetStartedPage() {
  const { workspaceId } = await requireMember();
  const { hasTestLine, testKey, testSend, line, webhookAt, liveSend, liveKey, liveCall } =
    await getOnboarding(workspaceId);
  const canManage = may("manageLines");
  // A live call that works needs no test before it.
  const done = [testSend ?? liveCall, line, webhookAt, liveSend, liveCall].map(Boolean);
  const next = done.indexOf(false);
  const step = (number: number) =>
    ({ number, state: done[number - 1] ? "done" : number - 1 === next ? "next" : "open" }) as const;
  return (
    <Page
      title="Get started"
      intro={<Progress done={done.filter(Boolean).length} of={done.length} />}
      refreshMs={next === -1 ? null : 3_000}
    >
      {canManage ? null : (
        <Notice className="mb-6">
          These are the steps of the workspace’s setup. <WhoHelps to="manageLines" />
        </Notice>
      )}
      <ol className="max-w-4xl divide-y divide-hairline border-y border-hairline">
        <Step
          {...step(1)}
          name="Make a test call"
          done={testSend ? <Sent message={testSend} /> : "Skipped: live calls work."}
        >
          <TestCall hasTestLine={hasTestLine} testKey={testKey} />
        </Step>
        <Step
          {...step(2)}
          name="Connect a line"
          done={
            line && (
              <>
                {line.displayPhoneNumber} as{" "}
                <TextLink href={`/dashboard/phone-numbers/${line.id}`}>{line.label}</TextLink>
              </>
            )
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
          {...step(3)}
          name="Verify the webhook"
          done={webhookAt && <Timestamp before="Last webhook" at={webhookAt} />}
        >
          <VerifyWebhook />
        </Step>
        <Step {...step(4)} name="Send a real message" done={liveSend && <Sent message={liveSend} />}>
          <p>
            Use an approved template, such as <Code>hello_world</Code>. Free text reaches only people who wrote within
            the last 24 hours.
          </p>
          <p className="mt-3">
            <ButtonLink look="secondary" href="/dashboard/send?mode=live">
              Send message
            </ButtonLink>
          </p>
        </Step>
        <Step {...step(5)} name="Make the first live API call" done={liveCall && <Sent message={liveCall} />}>
          {canManage ? <FirstCall mode="live" apiKey={liveKey} /> : <p>Send an approved template with a live key.</p>}
        </Step>
      </ol>
    </Page>
  );
}

function Progress({ done, of }: { done: number; of: number }) {
  const isWhole = done === of;
  return (
    <>
      <span role="status">{isWhole ? "Everything is set up." : `${done} of ${of} done.`}</span>{" "}
      {isWhole ? (
        <TextLink href="/dashboard">Go to the overview</TextLink>
      ) : (
        "Steps are checked off automatically; this page updates by itself."
      )}
    </>
  );
}

type TestCallProps = { hasTestLine: boolean; testKey: string | undefined };

function TestCall({ hasTestLine, testKey }: TestCallProps) {
  const canManage = may("manageLines");
  return (
    <>
      <p className="mb-3">
        No WhatsApp account needed: a test line (phone number) sends to the built-in sandbox, and no message reaches a
        person.
      </p>
      {canManage && hasTestLine && testKey ? <FirstCall mode="test" apiKey={testKey} /> : null}
      {canManage && !(hasTestLine && testKey) ? (
        <StartTesting
          origin={env().APP_URL}
          confirm={hasTestLine ? "Create test key" : testKey ? "Add test line" : "Create test line and key"}
        />
      ) : null}
    </>
  );
}

function VerifyWebhook() {
  return (
    <>
      <p className="mb-3">
        Paste these values at WhatsApp. Its verification shows up in the{" "}
        <TextLink href="/dashboard/webhooks">WhatsApp connection</TextLink> within seconds, with the reason where it is
        refused.
      </p>
      <MemberWebhookValues />
      {may("manageLines") ? (
        <div className="mt-3">
          <RunCheck action={runWebhookCheck} word="Check from here" />
        </div>
      ) : null}
    </>
  );
}

function FirstCall({ mode, apiKey }: { mode: Mode; apiKey: string | undefined }) {
  return (
    <>
      <p className="mb-3">
        {apiKey ? (
          <>
            Your newest {mode} key is <Code>{apiKey}</Code>. Its secret is read from your environment; if it is lost,{" "}
            <TextLink href="/dashboard/settings/api-keys">rotate it</TextLink>.
          </>
        ) : (
          <>
            <TextLink href="/dashboard/settings/api-keys?create">Create a {mode} key</TextLink>; its secret is shown
            once.
          </>
        )}
      </p>
      <CallSnippets
        label="First call"
        call={firstCall(mode, apiKey ?? null)}
        caller={{ origin: env().APP_URL, apiKey: apiKey ?? null }}
      />
    </>
  );
}

function Sent({ message: { id, at, status } }: { message: FirstMessage }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        Accepted <Timestamp at={at} />
      </span>
      <StatusChip status={status} />
      <TextLink href={`/dashboard/messages/${id}`}>Open message</TextLink>
    </span>
  );
}

type Props = {
  number: number;
  name: string;
  state: "done" | "next" | "open";
  /** What happened, once it did; it takes the place of the explanation. */
  done: ReactNode;
  children: ReactNode;
};

/** The next step is open, later ones can be opened, done ones are one line. */
function Step({ number, name, state, done, children }: Props) {
  const heading = (
    <span className="flex min-w-0 items-center gap-2.5">
      <span
        className={`inline-flex size-6 shrink-0 items-center justify-center rounded-full text-sm font-semibold ${MARKS[state]}`}
      >
        {state === "done" ? <Icon name="check" className="size-3.5" /> : number}
      </span>
      <h2 className="font-semibold">{name}</h2>
      <span className="sr-only">{WORDS[state]}</span>
    </span>
  );
  if (state === "done") {
    return (
      <li className="grid gap-x-6 gap-y-1 py-3 sm:grid-cols-[18rem_minmax(0,1fr)] sm:items-center">
        {heading}
        <div className="ps-8.5 text-muted sm:ps-0">{done}</div>
      </li>
    );
  }
  return (
    <li>
      <details open={state === "next"} className="group">
        <summary className="flex list-none items-center justify-between gap-3 py-3 [&::-webkit-details-marker]:hidden">
          {heading}
          <Icon name="chevron" className="text-muted group-open:rotate-180" />
        </summary>
        <div className="pb-6 sm:ps-8.5">{children}</div>
      </details>
    </li>
  );
}

const MARKS = {
  done: "bg-good-fill text-good",
  next: "bg-accent text-on-accent",
  open: "border border-control text-muted",
} as const;

const WORDS = { done: "done", next: "next step", open: "not done yet" } as const;
