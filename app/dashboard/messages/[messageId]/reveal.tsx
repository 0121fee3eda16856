"use client";

import { useState } from "react";
import { FoldedCode } from "@/app/_components/code-block";
import { ActionForm, SubmitButton } from "@/app/_components/form";
import { revealBody, revealRaw } from "./actions";

/** WhatsApp's own words name the recipient, so they are loaded on request, and the request is logged. */
export function RawWebhook({ eventId, word }: { eventId: string; word: string }) {
  const [raw, setRaw] = useState<string | null>();
  const [isOpen, setOpen] = useState(true);
  if (raw === null) return <p className="mt-1 text-sm text-muted">The raw webhook was removed a moment ago.</p>;
  return (
    <ActionForm action={revealRaw} fields={{ eventId }} onDone={setRaw} className="mt-1.5 grid gap-2">
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
      {raw !== undefined && isOpen ? <FoldedCode label={`Raw webhook of ${word}`} code={raw} /> : null}
    </ActionForm>
  );
}

/** What was sent names the recipient and may be private, so it is loaded on request, and the request is logged. */
export function RequestBody({ messageId }: { messageId: string }) {
  const [body, setBody] = useState<string | null>();
  if (body) return <FoldedCode label="Body of the send" code={body} />;
  if (body === null) return <p className="text-muted">The contents were removed a moment ago.</p>;
  return (
    <ActionForm action={revealBody} fields={{ messageId }} onDone={setBody} className="grid justify-items-start gap-2">
      <p className="text-sm text-muted">It holds the recipient and the text. Showing it is logged in the audit log.</p>
      <SubmitButton look="secondary" busy="Fetching…">
        Show the body
      </SubmitButton>
    </ActionForm>
  );
}
