import { Copyable } from "@/app/_components/copy-button";
import { ConfirmAction } from "@/app/_components/dialog";
import { ActionForm, Field, SubmitButton, Tick } from "@/app/_components/form";
import { TextLink } from "@/app/_components/link";
import { Card, Fields } from "@/app/_components/panels";
import { may, pageMember, requireMember } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { timeZoneNames } from "@/lib/workspaces/workspace-fields";
import { Allowed, Page } from "../_components/page-frame";
import { removeWorkspace, saveStopWords, saveWorkspace } from "./actions";
import { WordsField } from "./words-field";

export const metadata = { title: "Workspace" };

export default async function WorkspacePage() {
  const { workspaceId, workspace } = await requireMember();
  return (
    <Page title="Workspace" intro={`Settings for ${workspace.name}.`}>
      <div className="grid max-w-2xl gap-8">
        <Card>
          <WorkspaceForm />
        </Card>
        <Card title="Marketing opt-outs">
          <StopWordsForm />
        </Card>
        <Fields rows={{ "Workspace id": <Copyable value={workspaceId} label="the workspace id" /> }} />
        <Card isDanger title="Danger zone" className="grid gap-4">
          <div>
            <h3 className="font-medium">Transfer ownership</h3>
            <p className="text-muted">
              Make another member an owner under <TextLink href="/dashboard/settings/members">Members</TextLink>; then
              step down or leave there.
            </p>
          </div>
          <div className="grid justify-items-start gap-2 border-t border-hairline pt-4">
            <h3 className="font-medium">Delete this workspace</h3>
            <Allowed to="deleteWorkspace" step="Delete workspace…" look="quietDanger">
              <ConfirmAction
                action={removeWorkspace}
                opener="Delete workspace…"
                title={`Delete ${workspace.name}?`}
                confirm="Delete workspace"
                busy="Deleting…"
                typed={{ name: "name", word: workspace.name, label: `Type ${workspace.name} to delete it` }}
              >
                <p>
                  Its API keys stop working now and all members lose access. Messages, contacts, templates, lines and
                  the audit log are deleted. This cannot be undone.
                </p>
              </ConfirmAction>
            </Allowed>
          </div>
        </Card>
      </div>
    </Page>
  );
}

function WorkspaceForm() {
  const { name, timeZone, retentionDays } = pageMember().workspace;
  const { MESSAGE_RETENTION_DAYS: defaultDays } = env();
  const readOnly = !may("manageWorkspace");
  return (
    <ActionForm action={saveWorkspace} done="Saved.">
      <Field
        key={`name-${name}`}
        label="Name"
        name="name"
        defaultValue={name}
        required
        maxLength={200}
        readOnly={readOnly}
      />
      <Field
        key={timeZone}
        label="Time zone"
        name="timeZone"
        defaultValue={timeZone}
        list="time-zones"
        required
        spellCheck={false}
        readOnly={readOnly}
        hint="Type a city to search. Every day, chart and filter of this workspace uses this zone, for all members."
      />
      <datalist id="time-zones">
        {(readOnly ? [] : timeZoneNames()).map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Field
        key={`days-${retentionDays}`}
        label="Keep contents for (days)"
        name="retentionDays"
        inputMode="numeric"
        defaultValue={retentionDays ?? ""}
        placeholder={`${defaultDays}`}
        readOnly={readOnly}
        hint={`Contents of messages are removed after that; ids, statuses and times stay. Empty: ${defaultDays} days, the server default.`}
      />
      <Allowed to="manageWorkspace" step="Save">
        <SubmitButton className="justify-self-start">Save</SubmitButton>
      </Allowed>
    </ActionForm>
  );
}

function StopWordsForm() {
  const { stopWords, startWords, refuseOptedOut } = pageMember().workspace;
  const readOnly = !may("manageWorkspace");
  return (
    <ActionForm action={saveStopWords} done="Saved.">
      <p className="text-muted">
        People stop marketing in WhatsApp’s settings, or with a message that is one of your words. Contacts show it, and
        endpoints receive <code className="font-mono text-sm">contact.opted_out</code>.
      </p>
      <WordsField
        key={`stop-${stopWords}`}
        label="Stop words"
        name="stopWords"
        words={stopWords}
        placeholder="stop, unsubscribe"
        readOnly={readOnly}
        hint="Separated by commas or semicolons. A message counts if it is one of them and nothing else; capitals, and punctuation around it, do not matter."
      />
      <WordsField
        key={`start-${startWords}`}
        label="Words that allow it again"
        name="startWords"
        words={startWords}
        placeholder="start"
        readOnly={readOnly}
      />
      <Tick
        key={`refuse-${refuseOptedOut}`}
        type="checkbox"
        name="refuseOptedOut"
        defaultChecked={refuseOptedOut}
        disabled={readOnly}
      >
        Refuse marketing templates to them{" "}
        <span className="block text-sm text-muted">
          Switchboard refuses them with WhatsApp’s code 131050 and does not call WhatsApp. Otherwise WhatsApp decides,
          and does not know your words.
        </span>
      </Tick>
      <Allowed to="manageWorkspace" step="Save words">
        <SubmitButton className="justify-self-start">Save words</SubmitButton>
      </Allowed>
    </ActionForm>
  );
}
