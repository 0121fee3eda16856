"use client";

import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Icon } from "@/app/_components/icon";
import { DialogForm } from "../../_components/dialog-form";
import { OverlapSelect } from "../../_components/overlap-select";
import { useShownOnce } from "../../_components/use-shown-once";
import { rotateApiKey } from "../actions";
import { SecretDialog } from "../secret-dialog";

type Props = {
  workspaceId: string;
  origin: string;
  apiKey: { apiKey: string; label: string; mode: "live" | "test" };
};

export function RotateKey({ workspaceId, origin, apiKey: key }: Props) {
  const { isOpen, open, close, secret: apiSecret, show, done } = useShownOnce<string>();
  return (
    <>
      <Button look="secondary" onClick={open}>
        <Icon name="refresh" />
        Rotate secret
      </Button>
      <Dialog title={`Rotate the secret of ${key.label}`} isOpen={isOpen} onClose={close}>
        <DialogForm
          action={rotateApiKey}
          workspaceId={workspaceId}
          confirm="Rotate"
          busy="Rotating…"
          onCancel={close}
          onDone={(made) => show(made.apiSecret)}
        >
          <input type="hidden" name="apiKey" value={key.apiKey} />
          <p className="text-muted">
            The key id stays the same. Until the overlap ends both secrets work, so that your servers can change over
            without a pause.
          </p>
          <OverlapSelect />
        </DialogForm>
      </Dialog>
      {apiSecret ? (
        <SecretDialog secret={{ ...key, apiSecret }} title="New secret" origin={origin} onDone={done} />
      ) : null}
    </>
  );
}
