"use client";

import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Field, Select } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { DialogForm } from "../_components/dialog-form";
import { useShownOnce } from "../_components/use-shown-once";
import { createApiKey } from "./actions";
import { type NewSecret, SecretDialog } from "./secret-dialog";

type Props = { workspaceId: string; mode: "live" | "test"; origin: string; isOpen?: boolean };

export function CreateKey({ workspaceId, mode, origin, isOpen: opensAtOnce = false }: Props) {
  const { isOpen, open, close, secret, show, done } = useShownOnce<NewSecret>(opensAtOnce);
  return (
    <>
      <Button onClick={open}>
        <Icon name="plus" />
        Create key
      </Button>
      <Dialog title="Create a key" isOpen={isOpen} onClose={close}>
        <DialogForm
          action={createApiKey}
          workspaceId={workspaceId}
          confirm="Create key"
          busy="Creating…"
          onCancel={close}
          onDone={show}
        >
          <Field
            label="Label"
            name="label"
            required
            maxLength={100}
            autoComplete="off"
            hint="Which server will use it, such as production or staging."
          />
          <Select label="Mode" name="mode" defaultValue={mode} hint="A test key never reaches a person and is free.">
            <option value="test">Test</option>
            <option value="live">Live</option>
          </Select>
          <Select label="Expires" name="expiresInDays" defaultValue="">
            <option value="">Never</option>
            <option value="30">After 30 days</option>
            <option value="90">After 90 days</option>
            <option value="365">After a year</option>
          </Select>
        </DialogForm>
      </Dialog>
      {secret ? <SecretDialog secret={secret} title="Key created" origin={origin} onDone={done} /> : null}
    </>
  );
}
