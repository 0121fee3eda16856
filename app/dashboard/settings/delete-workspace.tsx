import { ConfirmAction } from "@/app/_components/confirm-action";
import { removeWorkspace } from "./actions";

export function DeleteWorkspace({ workspaceId, name }: { workspaceId: string; name: string }) {
  return (
    <ConfirmAction
      action={removeWorkspace}
      workspaceId={workspaceId}
      opener="Delete workspace…"
      title={`Delete ${name}?`}
      confirm="Delete workspace"
      busy="Deleting…"
      typed={{ name: "name", word: name, label: `Type ${name} to delete it` }}
    >
      <p>
        Its API keys stop working now and all members lose access. Messages, contacts, templates, lines and the audit
        log are deleted. This cannot be undone.
      </p>
    </ConfirmAction>
  );
}
