"use client";

import { useState } from "react";
import { ConfirmAction } from "@/app/_components/confirm-action";
import { Field } from "@/app/_components/field";
import { removeWorkspace } from "./actions";

export function DeleteWorkspace({ workspaceId, name }: { workspaceId: string; name: string }) {
  const [typed, setTyped] = useState("");
  return (
    <ConfirmAction
      action={removeWorkspace}
      workspaceId={workspaceId}
      opener="Delete workspace…"
      title={`Delete ${name}?`}
      confirm="Delete workspace"
      busy="Deleting…"
      isReady={typed.trim() === name}
    >
      <p>
        Its API keys are refused from this moment on, everybody in it is out, and messages, contacts, templates, lines
        and the audit log are deleted. There is no way back.
      </p>
      <Field
        label={`Type ${name} to delete it`}
        name="name"
        id="typed-name"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        data-first-focus
      />
    </ConfirmAction>
  );
}
