"use client";

import { useCallback, useState } from "react";
import { ActionForm } from "@/app/_components/action-form";
import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { SubmitButton } from "@/app/_components/submit-button";
import { RESET_MINUTES } from "@/lib/auth/reset-minutes";
import { createResetLink } from "./actions";
import { ShownOnceLink } from "./shown-once-link";

type Person = { userId: string; name: string; email: string };

/** Makes a link that is shown once; nothing is sent by e-mail, and the dialog says so. */
export function ResetMember({ workspaceId, person }: { workspaceId: string; person: Person }) {
  const [isOpen, setIsOpen] = useState(false);
  const [link, setLink] = useState<string | null>(null);
  const close = useCallback(() => {
    setIsOpen(false);
    setLink(null);
  }, []);
  return (
    <>
      <Button look="secondary" onClick={() => setIsOpen(true)}>
        Reset password…
      </Button>
      <Dialog
        title={link ? "Password reset link" : `Reset the password of ${person.name}?`}
        isOpen={isOpen}
        isGuarded={link !== null}
        onClose={close}
      >
        {link ? (
          <MadeLink link={link} person={person} onDone={close} />
        ) : (
          <ActionForm action={createResetLink} workspaceId={workspaceId} onDone={setLink}>
            <input type="hidden" name="userId" value={person.userId} />
            <p>
              Creates a link with which {person.name} sets a new password. It works once, within {RESET_MINUTES}{" "}
              minutes. The current password keeps working until then.
            </p>
            <p className="text-muted">
              Only for accounts that belong to no other workspace. For others, ask the operator of this server.
            </p>
            <div className="flex flex-wrap justify-end gap-3">
              <Button look="secondary" onClick={close}>
                Cancel
              </Button>
              <SubmitButton busy="Creating link…">Create reset link</SubmitButton>
            </div>
          </ActionForm>
        )}
      </Dialog>
    </>
  );
}

function MadeLink({ link, person: { name, email }, onDone }: { link: string; person: Person; onDone: () => void }) {
  const caution = `Nothing was e-mailed. Send the link to ${name} (${email}) yourself. It is shown here once.`;
  return (
    <ShownOnceLink link={link} label="the reset link" caution={caution} onDone={onDone}>
      Anyone with the link can set the password. It works once, within {RESET_MINUTES} minutes, and ends every session
      of the account. Earlier links no longer work.
    </ShownOnceLink>
  );
}
