"use client";

import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Icon } from "@/app/_components/icon";
import { Notice } from "@/app/_components/notice";
import { Timestamp } from "@/app/_components/timestamp";
import { DialogForm } from "../../_components/dialog-form";
import { OverlapSelect } from "../../_components/overlap-select";
import { useShownOnce } from "../../_components/use-shown-once";
import { rotate } from "../actions";
import { EndpointSecretDialog } from "../endpoint-secret-dialog";

type Props = {
  workspaceId: string;
  endpoint: { id: string; label: string };
  /** Until when the secret before this one works, where it still does. */
  previousUntil: Date | null;
  timeZone: string;
};

export function RotateEndpointSecret({ workspaceId, endpoint: { id, label }, previousUntil, timeZone }: Props) {
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
          {previousUntil ? (
            <Notice tone="info">
              The previous secret works until <Timestamp at={previousUntil} timeZone={timeZone} />. Rotate again after
              that, unless a secret has leaked: “Revoke now” ends both at once.
            </Notice>
          ) : (
            <p className="text-muted">
              Until the overlap ends each event carries a signature of both secrets, so that your servers can change
              over without a pause.
            </p>
          )}
          <OverlapSelect {...(previousUntil ? { overlaps: ["now"] } : {})} />
        </DialogForm>
      </Dialog>
      {secret === null ? null : <EndpointSecretDialog secret={secret} title="New secret" onDone={done} />}
    </>
  );
}
