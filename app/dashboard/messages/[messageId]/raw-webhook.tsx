"use client";

import { useState } from "react";
import { ActionForm } from "@/app/_components/action-form";
import { CodeBlock } from "@/app/_components/code-block";
import { SubmitButton } from "@/app/_components/submit-button";
import { revealRaw } from "./actions";

type Props = { workspaceId: string; eventId: string; word: string };

/** WhatsApp's own words name the recipient, so they are loaded on request, and the request is logged. */
export function RawWebhook({ workspaceId, eventId, word }: Props) {
  const [raw, setRaw] = useState<string | null>();
  const [isOpen, setOpen] = useState(true);
  if (raw === null) return <p className="mt-1 text-sm text-muted">The raw webhook was removed a moment ago.</p>;
  return (
    <ActionForm action={revealRaw} workspaceId={workspaceId} onDone={setRaw} className="mt-1.5 grid gap-2">
      <input type="hidden" name="eventId" value={eventId} />
      <SubmitButton
        look="secondary"
        size="small"
        busy="Fetching…"
        className="justify-self-start"
        aria-expanded={raw !== undefined && isOpen}
        onClick={(event) => {
          if (raw === undefined) return;
          event.preventDefault();
          setOpen(!isOpen);
        }}
      >
        Raw webhook<span className="sr-only"> of {word}</span>
      </SubmitButton>
      {raw !== undefined && isOpen ? <CodeBlock label={`Raw webhook of ${word}`} code={raw} /> : null}
    </ActionForm>
  );
}
