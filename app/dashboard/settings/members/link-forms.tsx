"use client";

import type { ReactNode } from "react";
import { Button } from "@/app/_components/button";
import { Dialog, DialogForm } from "@/app/_components/dialog";
import { Field, Select } from "@/app/_components/form";
import { optionsOf } from "@/app/_components/options";
import type { Role } from "@/db/schema/identity";
import { RESET_MINUTES } from "@/lib/auth/credential-limits";
import { ROLE_MEANINGS, ROLE_NAMES } from "@/lib/workspaces/roles";
import { ShownOnceText } from "../_components/shown-once-dialog";
import { createResetLink, invite } from "./actions";

/** Makes a link that is e-mailed, or shown once where nothing is sent by e-mail; the dialog says which. */
export function InviteMember({ roles, sendsMail }: { roles: Role[]; sendsMail: boolean }) {
  return (
    <DialogForm
      icon="plus"
      opener="Invite"
      title="Invite member"
      opensToCreate
      action={invite}
      confirm="Create link"
      busy="Creating link…"
      shownOnce={({ link, role, email }, close) =>
        link === null ? (
          <SentLink title="Invitation sent" email={email} onDone={close}>
            It joins as {role}. The link works once, and only for that address.
          </SentLink>
        ) : (
          <ShownOnceText
            title="Invitation link"
            value={link}
            label="the invitation link"
            caution={`Nothing was e-mailed. Send the link yourself${email ? ` to ${email}` : ""}: it is shown here once.`}
            onDone={close}
          >
            The first person to use it joins as {role}. It works once.
            {email ? ` Only ${email} can use it; the address isn’t verified.` : ""}
          </ShownOnceText>
        )
      }
    >
      <RoleChoice roles={roles} chosen="member" />
      <Field
        label="E-mail (optional)"
        name="email"
        type="email"
        hint={
          sendsMail
            ? "The link is e-mailed to this address, and only it can use the link. Without an address the link is shown to you."
            : "If set, only an account of this address can join with the link. The address isn’t verified: anyone with the link can sign up as this address."
        }
      />
      <Select
        label="Link expires after"
        name="days"
        defaultValue="7"
        options={optionsOf(["1", "7", "30"], (days) => (days === "1" ? "1 day" : `${days} days`))}
      />
    </DialogForm>
  );
}

/** Says what each role may do before one is chosen. `id` is unique on the page. */
export function RoleChoice({ roles, chosen, id = "role" }: { roles: Role[]; chosen: Role; id?: string }) {
  return (
    <>
      <ul className="grid gap-1 text-muted">
        {roles.map((role) => (
          <li key={role}>{ROLE_MEANINGS[role]}</li>
        ))}
      </ul>
      <Select
        label="Role"
        name="role"
        id={id}
        defaultValue={chosen}
        options={optionsOf(roles, (role) => ROLE_NAMES[role])}
      />
    </>
  );
}

type Person = { userId: string; name: string; email: string };

/** Makes a link that is e-mailed to the member, or shown once where nothing is sent by e-mail. */
export function ResetMember({ person: { userId, name, email } }: { person: Person }) {
  return (
    <DialogForm
      look="secondary"
      opener="Reset password…"
      title={`Reset the password of ${name}?`}
      action={createResetLink}
      fields={{ userId }}
      confirm="Create reset link"
      busy="Creating link…"
      shownOnce={({ link }, close) =>
        link === null ? (
          <SentLink title="Reset link sent" email={email} onDone={close}>
            It works once, within {RESET_MINUTES} minutes, and ends every session of the account. Earlier links no
            longer work.
          </SentLink>
        ) : (
          <ShownOnceText
            title="Password reset link"
            value={link}
            label="the reset link"
            caution={`Nothing was e-mailed. Send the link to ${name} (${email}) yourself. It is shown here once.`}
            onDone={close}
          >
            Anyone with the link can set the password. It works once, within {RESET_MINUTES} minutes, and ends every
            session of the account. Earlier links no longer work.
          </ShownOnceText>
        )
      }
    >
      <p>
        Creates a link with which {name} sets a new password. It works once, within {RESET_MINUTES} minutes. The current
        password keeps working until then.
      </p>
      <p className="text-muted">
        Only for accounts that belong to no other workspace. For others, ask the operator of this server.
      </p>
    </DialogForm>
  );
}

type SentLinkProps = { title: string; email: string | null; children: ReactNode; onDone: () => void };

/** Queued, not delivered: the mail server has not answered yet. */
function SentLink({ title, email, children, onDone }: SentLinkProps) {
  return (
    <Dialog title={title} isOpen onClose={onDone}>
      <div className="grid gap-4">
        <p>
          The link is on its way to <strong className="font-medium">{email}</strong>. {children}
        </p>
        <Button className="justify-self-end" onClick={onDone}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
