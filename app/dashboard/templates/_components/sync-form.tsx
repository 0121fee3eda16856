"use client";

import type { ReactNode } from "react";
import { ActionForm, FormProgress, SubmitButton } from "@/app/_components/form";
import type { Mode } from "@/lib/core/principal";
import { syncTemplates } from "../actions";

/** `last` is the time of the last sync. */
export function SyncForm({ mode, last }: { mode: Mode; last: ReactNode }) {
  return (
    <ActionForm
      action={syncTemplates}
      fields={{ mode }}
      className="grid min-w-48 gap-1"
      done={({ count, queued }) =>
        queued > 0
          ? "Read less than a minute ago. The next read follows on its own within a minute."
          : `${count === 1 ? "1 template" : `${count} templates`} read.`
      }
    >
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        {last ? <span>Synced {last}</span> : "Not synced yet"}
        <SubmitButton look="secondary" icon="refresh" busy="Syncing…">
          Sync now
        </SubmitButton>
      </p>
      <FormProgress text="Reading the templates from WhatsApp…" />
    </ActionForm>
  );
}
