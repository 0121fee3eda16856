import { Button } from "@/app/_components/button";
import { ConfirmAction } from "@/app/_components/dialog";
import { ActionButtonForm, ActionForm, Field, FormProgress, SubmitButton } from "@/app/_components/form";
import { Notice, Section } from "@/app/_components/panels";
import { Code, Muted } from "@/app/_components/text";
import { may } from "@/lib/auth/page-member";
import { formatNumber } from "@/lib/core/text";
import type { LineProblem } from "@/lib/phone-numbers/health";
import type { ShownLine } from "@/lib/phone-numbers/queries";
import { ActionMenu } from "../../_components/action-menu";
import { WhoHelps } from "../../_components/page-frame";
import { Remedy } from "../_components/line-state";
import {
  makeDefaultLine,
  pauseLine,
  removeLine,
  renameLine,
  replaceLineToken,
  resumeLine,
  subscribeLineApp,
} from "../actions";

type LineProps = { line: ShownLine };

/** `sent`: messages of the last seven days, which a pause would have refused. */
type ActionsProps = LineProps & { sent: number };

export function LineSettings(props: LineProps) {
  return <Section title="Settings">{may("manageLines") ? <Forms {...props} /> : <DisabledForms {...props} />}</Section>;
}

/** What is done to a line, beside the one button that sends from it. */
export function LineActions({ line, sent }: ActionsProps) {
  const fields = { phoneNumberId: line.id };
  return (
    <ActionMenu label={line.label}>
      {line.isActive ? <Pause line={line} sent={sent} /> : null}
      {line.isDefault ? null : (
        <ActionButtonForm action={makeDefaultLine} fields={fields} word="Make default" busy="Working…" />
      )}
      {line.mode === "live" ? (
        <ActionButtonForm
          action={subscribeLineApp}
          fields={fields}
          word="Subscribe the app again"
          busy="Subscribing…"
          done="Subscribed."
        />
      ) : null}
      <Disconnect line={line} />
    </ActionMenu>
  );
}

export function ResumeLine({ line }: LineProps) {
  const fields = { phoneNumberId: line.id };
  return <ActionButtonForm action={resumeLine} fields={fields} word="Resume sending" busy="Resuming…" look="primary" />;
}

function Forms({ line }: LineProps) {
  return (
    <div className="grid gap-6">
      <div className="grid items-start gap-x-10 gap-y-5 lg:grid-cols-2">
        <ActionForm action={renameLine} fields={{ phoneNumberId: line.id }} done="Saved." className="grid gap-2">
          <Field name="label" label="Name" defaultValue={line.label} maxLength={200} />
          <SubmitButton look="secondary" className="justify-self-start">
            Save name
          </SubmitButton>
        </ActionForm>
        {line.mode === "live" ? <ReplaceToken line={line} /> : null}
      </div>
      <p className="text-sm text-muted">
        The default line is the one that Send message starts with. An API call names its line by id where several are
        active.
      </p>
    </div>
  );
}

function ReplaceToken({ line }: LineProps) {
  return (
    <ActionForm
      action={replaceLineToken}
      fields={{ phoneNumberId: line.id }}
      done="Replaced: WhatsApp accepts the new token."
      className="grid gap-2"
    >
      <div id="token">
        <Field
          name="accessToken"
          label="New access token"
          type="password"
          spellCheck={false}
          hint="Checked with WhatsApp first; until then the old one stays."
        />
      </div>
      <SubmitButton look="secondary" busy="Checking…" className="justify-self-start">
        Replace token
      </SubmitButton>
      <FormProgress text="Checking the token with WhatsApp…" />
    </ActionForm>
  );
}

function Pause({ line, sent }: ActionsProps) {
  return (
    <ConfirmAction
      action={pauseLine}
      fields={{ phoneNumberId: line.id }}
      look="secondary"
      opener="Pause sending…"
      title={`Pause sending from ${line.label}?`}
      confirm="Pause sending"
      busy="Pausing…"
    >
      <p>
        From the next request on, sends that name this line return <Code>PHONE_NUMBER_INACTIVE</Code>. Statuses of
        earlier messages still arrive. You can resume at any time.
      </p>
      <p>
        <Muted>
          {sent === 0
            ? "Nothing was sent from it in the last 7 days."
            : `${formatNumber(sent)} ${sent === 1 ? "message was" : "messages were"} sent from it in the last 7 days.`}
        </Muted>
      </p>
    </ConfirmAction>
  );
}

function Disconnect({ line }: LineProps) {
  return (
    <ConfirmAction
      action={removeLine}
      fields={{ phoneNumberId: line.id }}
      opener="Disconnect…"
      title={`Disconnect ${line.label}?`}
      confirm="Disconnect"
      busy="Disconnecting…"
    >
      <p>
        From the next request on nothing is sent from {line.displayPhoneNumber}, and sends that name it return{" "}
        <Code>PHONE_NUMBER_NOT_FOUND</Code>. Its token is deleted.
      </p>
      <p className="text-muted">Its messages and their statuses stay. The number itself is not touched.</p>
    </ConfirmAction>
  );
}

/** For those who may not change a line: its buttons, disabled, and who can use them. */
function DisabledForms({ line }: LineProps) {
  const words = ["Replace token", line.isActive ? "Pause sending…" : "Resume sending", "Make default", "Disconnect…"];
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {words.map((word) => (
          <Button key={word} look="secondary" disabled>
            {word}
          </Button>
        ))}
      </div>
      <p className="mt-2 text-sm text-muted">
        <WhoHelps to="manageLines" />
      </p>
    </>
  );
}

type LineProblemsProps = { phoneNumberId: string; problems: readonly LineProblem[] };

/** Each problem of a line in one sentence, with the button that fixes it. */
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
