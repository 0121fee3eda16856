"use client";

import { TextLink } from "@/app/_components/text-link";
import { ShownOnceDialog, ShownOnceValue } from "../_components/shown-once-dialog";

type Props = { secret: string; title: string; onDone: () => void };

export function EndpointSecretDialog({ secret, title, onDone }: Props) {
  return (
    <ShownOnceDialog title={title} onDone={onDone}>
      <p className="mb-4 text-muted">
        Use this secret on your server to verify that events come from Switchboard. It is shown here once. Anyone with
        it can forge events.
      </p>
      <dl className="grid gap-3">
        <ShownOnceValue name="Signing secret" value={secret} mask={`whsec_${"•".repeat(16)}`} />
      </dl>
      <p className="mt-4 text-sm">
        {/* A new tab: leaving this page would lose the secret. */}
        <TextLink href="/docs/webhooks#signature" target="_blank">
          How to check signatures
        </TextLink>{" "}
        <span className="text-muted">(new tab)</span>
      </p>
    </ShownOnceDialog>
  );
}
