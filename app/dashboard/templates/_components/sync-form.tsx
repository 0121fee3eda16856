"use client";

import type { ReactNode } from "react";
import { ActionForm } from "@/app/_components/action-form";
import { FormProgress } from "@/app/_components/form-progress";
import { Icon } from "@/app/_components/icon";
import { SubmitButton } from "@/app/_components/submit-button";
import { syncTemplates } from "../actions";

type Props = { workspaceId: string; mode: "live" | "test" /** When it was done last. */; children: ReactNode };

export function SyncForm({ workspaceId, mode, children }: Props) {
  return (
    <ActionForm
      action={syncTemplates}
      workspaceId={workspaceId}
      className="grid min-w-48 gap-1"
      done={({ count, queued }) =>
        queued > 0
          ? "Read less than a minute ago. The next read follows on its own within a minute."
          : `${count === 1 ? "1 template" : `${count} templates`} read.`
      }
    >
      <input type="hidden" name="mode" value={mode} />
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        {children}
        <SubmitButton look="secondary" busy="Syncing…">
          <Icon name="refresh" />
          Sync now
        </SubmitButton>
      </p>
      <FormProgress text="Reading the templates from WhatsApp…" />
    </ActionForm>
  );
}
