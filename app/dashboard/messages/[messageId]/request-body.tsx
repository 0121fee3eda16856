"use client";

import { useState } from "react";
import { ActionForm } from "@/app/_components/action-form";
import { CodeBlock } from "@/app/_components/code-block";
import { SubmitButton } from "@/app/_components/submit-button";
import { revealBody } from "./actions";

/** What was sent names the recipient and may be private, so it is loaded on request, and the request is logged. */
export function RequestBody({ workspaceId, messageId }: { workspaceId: string; messageId: string }) {
  const [body, setBody] = useState<string | null>();
  if (body) return <CodeBlock label="Body of the send" code={body} />;
  if (body === null) return <p className="text-muted">The contents were removed a moment ago.</p>;
  return (
    <ActionForm
      action={revealBody}
      workspaceId={workspaceId}
      onDone={setBody}
      className="grid justify-items-start gap-2"
    >
      <input type="hidden" name="messageId" value={messageId} />
      <p className="text-sm text-muted">It holds the recipient and the text. Showing it is logged in the audit log.</p>
      <SubmitButton look="secondary" busy="Fetching…">
        Show the body
      </SubmitButton>
    </ActionForm>
  );
}
