"use client";

import { useRouter } from "next/navigation";
import { useCallback, useState } from "react";
import { ActionForm } from "@/app/_components/action-form";
import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Field } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { useAddressInMode } from "@/app/_components/link-mode";
import { SubmitButton } from "@/app/_components/submit-button";
import { createContact } from "./actions";

export function AddContact({ workspaceId }: { workspaceId: string }) {
  const router = useRouter();
  const addressOf = useAddressInMode();
  const [isOpen, setIsOpen] = useState(false);
  const close = useCallback(() => setIsOpen(false), []);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <Icon name="plus" />
        Add contact
      </Button>
      <Dialog title="Add a contact" isOpen={isOpen} onClose={close}>
        <ActionForm
          action={createContact}
          workspaceId={workspaceId}
          onDone={(contactId) => {
            close();
            router.push(addressOf(`/dashboard/contacts/${contactId}`));
          }}
        >
          <Field
            label="Phone"
            name="phone"
            inputMode="tel"
            autoComplete="off"
            required
            hint="Country code and digits, like 447700900123."
          />
          <Field label="Name" name="name" autoComplete="off" dir="auto" maxLength={200} hint="May stay empty." />
          <div className="flex flex-wrap justify-end gap-3">
            <Button look="secondary" onClick={close}>
              Cancel
            </Button>
            <SubmitButton busy="Adding…">Add</SubmitButton>
          </div>
        </ActionForm>
      </Dialog>
    </>
  );
}
