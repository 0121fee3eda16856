"use client";

import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Icon } from "@/app/_components/icon";
import { DialogForm } from "../_components/dialog-form";
import { useShownOnce } from "../_components/use-shown-once";
import { create } from "./actions";
import { EndpointFields, NEW_SETTINGS } from "./endpoint-fields";
import { EndpointSecretDialog } from "./endpoint-secret-dialog";

type Props = {
  workspaceId: string;
  mode: "live" | "test";
  urlHint: string;
  /** Why the button is disabled. */
  lack: string | undefined;
  isOpen?: boolean;
};

export function AddEndpoint({ workspaceId, mode, urlHint, lack, isOpen: opensAtOnce = false }: Props) {
  const { isOpen, open, close, secret, show, done } = useShownOnce<string>(opensAtOnce && lack === undefined);
  return (
    <div className="grid max-w-64 justify-items-start gap-1 sm:justify-items-end">
      <Button
        disabled={lack !== undefined}
        aria-describedby={lack === undefined ? undefined : "no-more-endpoints"}
        onClick={open}
      >
        <Icon name="plus" />
        Add endpoint
      </Button>
      {lack === undefined ? null : (
        <p id="no-more-endpoints" className="text-sm text-muted sm:text-end">
          {lack}
        </p>
      )}
      <Dialog title={`Add a ${mode} endpoint`} isOpen={isOpen} onClose={close}>
        <DialogForm
          action={create}
          workspaceId={workspaceId}
          confirm="Add endpoint"
          busy="Adding…"
          onCancel={close}
          onDone={(made) => show(made.secret)}
        >
          <input type="hidden" name="mode" value={mode} />
          <EndpointFields settings={NEW_SETTINGS} urlHint={urlHint} />
        </DialogForm>
      </Dialog>
      {secret === null ? null : <EndpointSecretDialog secret={secret} title="Endpoint added" onDone={done} />}
    </div>
  );
}
