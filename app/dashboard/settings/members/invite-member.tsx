"use client";

import { useRouter } from "next/navigation";
import { useCallback, useState } from "react";
import { ActionForm } from "@/app/_components/action-form";
import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Field, Select } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { SubmitButton } from "@/app/_components/submit-button";
import type { Role } from "@/db/schema/identity";
import { invite } from "./actions";
import { ShownOnceLink } from "./shown-once-link";

type RoleChoice = { role: Role; name: string; meaning: string };
type Made = { link: string; role: Role; email: string | null; expiresAt: Date };

/** Makes a link that is shown once; nothing is sent by e-mail, and the dialog says so. */
export function InviteMember({ workspaceId, roles }: { workspaceId: string; roles: RoleChoice[] }) {
  const router = useRouter();
  const [isOpen, setIsOpen] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  const close = useCallback(() => setIsOpen(false), []);
  const done = () => {
    setMade(null);
    close();
    router.refresh();
  };
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <Icon name="plus" />
        Invite
      </Button>
      <Dialog
        title={made ? "Invitation link" : "Invite member"}
        isOpen={isOpen}
        isGuarded={made !== null}
        onClose={close}
      >
        {made ? (
          <InvitationLink made={made} onDone={done} />
        ) : (
          <ActionForm action={invite} workspaceId={workspaceId} onDone={setMade}>
            <Select
              label="Role"
              name="role"
              defaultValue="member"
              hint={`${roles.map(({ meaning }) => meaning).join(" ")} It can be changed later.`}
            >
              {roles.map(({ role, name }) => (
                <option key={role} value={role}>
                  {name}
                </option>
              ))}
            </Select>
            <Field
              label="E-mail (optional)"
              name="email"
              type="email"
              autoComplete="off"
              hint="If set, only this address can use the link. We don’t email it or verify the address: anyone with the link can sign up as this address."
            />
            <Select label="Link expires after" name="days" defaultValue="7">
              <option value="1">1 day</option>
              <option value="7">7 days</option>
              <option value="30">30 days</option>
            </Select>
            <div className="flex flex-wrap justify-end gap-3">
              <Button look="secondary" onClick={close}>
                Cancel
              </Button>
              <SubmitButton busy="Creating link…">Create link</SubmitButton>
            </div>
          </ActionForm>
        )}
      </Dialog>
    </>
  );
}

function InvitationLink({ made: { link, role, email }, onDone }: { made: Made; onDone: () => void }) {
  const caution = `Nothing was e-mailed. Send the link yourself${email ? ` to ${email}` : ""}: it is shown here once.`;
  return (
    <ShownOnceLink link={link} label="the invitation link" caution={caution} onDone={onDone}>
      The first person to open it joins as {role}. It works once.
      {email ? ` Only ${email} can use it; the address isn’t verified.` : ""}
    </ShownOnceLink>
  );
}
