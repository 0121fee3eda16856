"use client";

import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Icon } from "@/app/_components/icon";
import { DialogForm } from "../../_components/dialog-form";
import { OverlapSelect } from "../../_components/overlap-select";
import { useShownOnce } from "../../_components/use-shown-once";
import { rotate } from "../actions";
import { EndpointSecretDialog } from "../endpoint-secret-dialog";

type Props = { workspaceId: string; endpoint: { id: string; label: string } };

export function RotateEndpointSecret({ workspaceId, endpoint: { id, label } }: Props) {
  const { isOpen, open, close, secret, show, done } = useShownOnce<string>();
  return (
    <>
      <Button look="secondary" onClick={open}>
        <Icon name="refresh" />
        Rotate secret
      </Button>
      <Dialog title={`Rotate the secret of ${label}`} isOpen={isOpen} onClose={close}>
        <DialogForm
          action={rotate}
          workspaceId={workspaceId}
          confirm="Rotate"
          busy="Rotating…"
          onCancel={close}
          onDone={(made) => show(made.secret)}
        >
          <input type="hidden" name="endpointId" value={id} />
          <p className="text-muted">
            Until the overlap ends each event carries a signature of both secrets, so that your servers can change over
            without a pause.
          </p>
          <OverlapSelect />
        </DialogForm>
      </Dialog>
      {secret === null ? null : <EndpointSecretDialog secret={secret} title="New secret" onDone={done} />}
    </>
  );
}
