"use client";

import { DialogForm } from "@/app/_components/dialog";
import { Field } from "@/app/_components/form";
import { useGoTo } from "@/app/_components/link";
import { createContact } from "./actions";

export function AddContact() {
  const goTo = useGoTo();
  return (
    <DialogForm
      icon="plus"
      opener="Add contact"
      title="Add a contact"
      opensToCreate
      action={createContact}
      confirm="Add"
      busy="Adding…"
      onDone={(contactId) => goTo(`/dashboard/contacts/${contactId}`)}
    >
      <Field label="Phone" name="phone" inputMode="tel" required hint="Country code and digits, like 447700900123." />
      <Field label="Name" name="name" dir="auto" maxLength={400} hint="May stay empty." />
    </DialogForm>
  );
}
