"use client";

import { ActionForm } from "@/app/_components/action-form";
import { SubmitButton } from "@/app/_components/submit-button";
import { replay } from "../../../actions";

type Props = { workspaceId: string; endpointId: string; deliveryId: string; isWaiting: boolean };

export function ReplayDelivery({ workspaceId, endpointId, deliveryId, isWaiting }: Props) {
  return (
    <ActionForm
      action={replay}
      workspaceId={workspaceId}
      className="grid justify-items-start gap-2 sm:justify-items-end"
      done={({ count }) => (count === 0 ? "It is waiting already." : "Queued.")}
    >
      <input type="hidden" name="endpointId" value={endpointId} />
      <input type="hidden" name="deliveryId" value={deliveryId} />
      <SubmitButton busy="Queuing…" disabled={isWaiting} aria-describedby={isWaiting ? "why-no-replay" : undefined}>
        Replay
      </SubmitButton>
      {isWaiting ? (
        <p id="why-no-replay" className="text-sm text-muted">
          It waits for its next attempt.
        </p>
      ) : null}
    </ActionForm>
  );
}
