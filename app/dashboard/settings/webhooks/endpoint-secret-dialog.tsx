"use client";

import { TextLink } from "@/app/_components/text-link";
import { ShownOnceDialog, ShownOnceValue } from "../_components/shown-once-dialog";

type Props = { secret: string; title: string; onDone: () => void };

export function EndpointSecretDialog({ secret, title, onDone }: Props) {
  return (
    <ShownOnceDialog title={title} onDone={onDone}>
      <p className="mb-4 text-muted">
        Your server checks with this secret that an event is from Switchboard. It is shown here once. Anyone with it can
        forge events.
      </p>
      <dl className="grid gap-3">
        <ShownOnceValue name="Signing secret" value={secret} mask={`whsec_${"•".repeat(16)}`} />
      </dl>
      <p className="mt-4 text-sm">
        {/* In this tab it would take the secret away. */}
        <TextLink href="/docs/webhooks#signature" target="_blank">
          How to check signatures
        </TextLink>{" "}
        <span className="text-muted">(new tab)</span>
      </p>
    </ShownOnceDialog>
  );
}
