import { ActionForm } from "@/app/_components/action-form";
import { Button } from "@/app/_components/button";
import { ConfirmAction } from "@/app/_components/confirm-action";
import { Field } from "@/app/_components/field";
import { FormProgress } from "@/app/_components/form-progress";
import { SubmitButton } from "@/app/_components/submit-button";
import type { ShownLine } from "@/lib/phone-numbers/queries";
import { whoCan } from "@/lib/workspaces/roles";
import { OneLineAction } from "../_components/one-line-action";
import {
  makeDefaultLine,
  pauseLine,
  removeLine,
  renameLine,
  replaceLineToken,
  resumeLine,
  subscribeLineApp,
} from "../actions";

type Props = { line: ShownLine; workspaceId: string; canManage: boolean };

export function LineSettings({ line, workspaceId, canManage }: Props) {
  return (
    <section aria-labelledby="settings">
      <h2 id="settings" className="mb-3 text-lg font-semibold">
        Settings
      </h2>
      {canManage ? <Forms line={line} workspaceId={workspaceId} /> : <Lacking line={line} />}
    </section>
  );
}

function Forms({ line, workspaceId }: Omit<Props, "canManage">) {
  const about = { workspaceId, phoneNumberId: line.id };
  return (
    <div className="grid gap-5">
      <ActionForm action={renameLine} workspaceId={workspaceId} done="Saved." className="grid gap-2">
        <input type="hidden" name="phoneNumberId" value={line.id} />
        <div className="flex flex-wrap items-end gap-2">
          <div className="min-w-40 grow">
            <Field name="label" label="Name" defaultValue={line.label} maxLength={100} />
          </div>
          <SubmitButton look="secondary">Save name</SubmitButton>
        </div>
      </ActionForm>
      {line.mode === "live" ? (
        <ActionForm
          action={replaceLineToken}
          workspaceId={workspaceId}
          done="Replaced: WhatsApp accepts the new token."
          className="grid gap-2"
        >
          <input type="hidden" name="phoneNumberId" value={line.id} />
          <div id="token" className="flex flex-wrap items-end gap-2">
            <div className="min-w-40 grow">
              <Field
                name="accessToken"
                label="New access token"
                type="password"
                autoComplete="off"
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
          <OneLineAction action={pauseLine} {...about} word="Pause sending" busy="Pausing…" />
        ) : (
          <OneLineAction action={resumeLine} {...about} word="Resume sending" busy="Resuming…" look="primary" />
        )}
        {line.isDefault ? null : <OneLineAction action={makeDefaultLine} {...about} word="Make default" />}
        {line.mode === "live" ? (
          <OneLineAction action={subscribeLineApp} {...about} word="Subscribe the app again" busy="Subscribing…" />
        ) : null}
        <ConfirmAction
          action={removeLine}
          workspaceId={workspaceId}
          opener="Disconnect…"
          title={`Disconnect ${line.label}?`}
          confirm="Disconnect"
          busy="Disconnecting…"
        >
          <input type="hidden" name="phoneNumberId" value={line.id} />
          <p>
            From the next request on nothing is sent from {line.displayPhoneNumber}, and sends that name it answer{" "}
            <code className="font-mono text-sm">PHONE_NUMBER_NOT_FOUND</code>. Its token is deleted.
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
