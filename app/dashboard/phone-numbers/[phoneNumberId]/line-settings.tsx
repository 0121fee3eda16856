import { Button, ButtonLink } from "@/app/_components/button";
import { ConfirmAction } from "@/app/_components/confirm-action";
import { ActionButtonForm, ActionForm, Field, FormProgress, SubmitButton } from "@/app/_components/form";
import { Notice, Section } from "@/app/_components/panels";
import { Code } from "@/app/_components/text";
import { may } from "@/lib/auth/page-member";
import type { LineProblem } from "@/lib/phone-numbers/health";
import type { ShownLine } from "@/lib/phone-numbers/queries";
import { whoCan } from "@/lib/workspaces/roles";
import { Allowed } from "../../_components/page-frame";
import {
  makeDefaultLine,
  pauseLine,
  removeLine,
  renameLine,
  replaceLineToken,
  resumeLine,
  runLineCheck,
  subscribeLineApp,
} from "../actions";

export function LineSettings({ line }: { line: ShownLine }) {
  return <Section title="Settings">{may("manageLines") ? <Forms line={line} /> : <Lacking line={line} />}</Section>;
}

function Forms({ line }: { line: ShownLine }) {
  const fields = { phoneNumberId: line.id };
  const isLive = line.mode === "live";
  return (
    <div className="grid gap-5">
      <ActionForm action={renameLine} fields={fields} done="Saved." className="grid gap-2">
        <div className="flex flex-wrap items-end gap-2">
          <div className="min-w-40 grow">
            <Field name="label" label="Name" defaultValue={line.label} maxLength={100} />
          </div>
          <SubmitButton look="secondary">Save name</SubmitButton>
        </div>
      </ActionForm>
      {isLive ? (
        <ActionForm
          action={replaceLineToken}
          fields={fields}
          done="Replaced: WhatsApp accepts the new token."
          className="grid gap-2"
        >
          <div id="token" className="flex flex-wrap items-end gap-2">
            <div className="min-w-40 grow">
              <Field
                name="accessToken"
                label="New access token"
                type="password"
                spellCheck={false}
                hint="Checked with WhatsApp first; until then the old one stays."
              />
            </div>
            <SubmitButton look="secondary" busy="Checking…">
              Replace token
            </SubmitButton>
          </div>
          <FormProgress text="Checking the token with WhatsApp…" />
        </ActionForm>
      ) : null}
      <div className="flex flex-wrap items-start gap-2">
        {line.isActive ? (
          <ActionButtonForm action={pauseLine} fields={fields} word="Pause sending" busy="Pausing…" />
        ) : (
          <ActionButtonForm action={resumeLine} fields={fields} word="Resume sending" busy="Resuming…" look="primary" />
        )}
        {line.isDefault ? null : (
          <ActionButtonForm action={makeDefaultLine} fields={fields} word="Make default" busy="Working…" />
        )}
        {isLive ? (
          <ActionButtonForm
            action={subscribeLineApp}
            fields={fields}
            word="Subscribe the app again"
            busy="Subscribing…"
          />
        ) : null}
        <ConfirmAction
          action={removeLine}
          fields={fields}
          opener="Disconnect…"
          title={`Disconnect ${line.label}?`}
          confirm="Disconnect"
          busy="Disconnecting…"
        >
          <p>
            From the next request on nothing is sent from {line.displayPhoneNumber}, and sends that name it answer{" "}
            <Code>PHONE_NUMBER_NOT_FOUND</Code>. Its token is deleted.
          </p>
          <p className="text-muted">Its messages and their statuses stay. The number itself is not touched.</p>
        </ConfirmAction>
      </div>
      <p className="text-sm text-muted">
        The default line is the one that Send message starts with. An API call names its line by id where several are
        active.
      </p>
    </div>
  );
}

/** What a member would find here, and who can do it. */
function Lacking({ line }: { line: ShownLine }) {
  const words = ["Replace token", line.isActive ? "Pause sending" : "Resume sending", "Make default", "Disconnect…"];
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {words.map((word) => (
          <Button key={word} look="secondary" disabled>
            {word}
          </Button>
        ))}
      </div>
      <p className="mt-2 text-sm text-muted">{whoCan("manageLines")}</p>
    </>
  );
}

type LineProblemsProps = { phoneNumberId: string; problems: readonly LineProblem[] };

/** Each trouble of a line in one sentence, with the one button that fixes it. */
export function LineProblems({ problems, phoneNumberId }: LineProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <section aria-label="What needs attention" className="mb-6 grid gap-3">
      {problems.map(({ sentence, tone, remedy }) => (
        <Notice key={sentence} tone={tone} action={<Remedy remedy={remedy} phoneNumberId={phoneNumberId} />}>
          {sentence}
        </Notice>
      ))}
    </section>
  );
}

function Remedy({ remedy, phoneNumberId }: { remedy: LineProblem["remedy"]; phoneNumberId: string }) {
  const fields = { phoneNumberId };
  switch (remedy) {
    case "templates":
      return <Way href="/dashboard/templates">Look at the templates</Way>;
    case "webhooks":
      return <Way href="/dashboard/webhooks">Check the WhatsApp connection</Way>;
    case "manager":
      return <Way href="https://business.facebook.com/wa/manage/home/">Open WhatsApp Manager</Way>;
    case "replaceToken":
      return (
        <Allowed to="manageLines" step="Replace token" look="secondary">
          <Way href={`/dashboard/phone-numbers/${phoneNumberId}#token`}>Replace token</Way>
        </Allowed>
      );
    case "subscribe":
      return (
        <Allowed to="manageLines" step="Subscribe the app" look="secondary">
          <ActionButtonForm action={subscribeLineApp} fields={fields} word="Subscribe the app" busy="Subscribing…" />
        </Allowed>
      );
    case "check":
      return (
        <Allowed to="manageLines" step="Run check" look="secondary">
          <ActionButtonForm action={runLineCheck} fields={fields} word="Run check" busy="Checking…" />
        </Allowed>
      );
  }
}

function Way({ href, children }: { href: string; children: string }) {
  return (
    <ButtonLink look="secondary" href={href}>
      {children}
    </ButtonLink>
  );
}
