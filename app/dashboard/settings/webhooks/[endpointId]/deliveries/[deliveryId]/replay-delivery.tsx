"use client";

import { ActionForm } from "@/app/_components/action-form";
import { SubmitButton } from "@/app/_components/submit-button";
import { replay } from "../../../actions";

type Props = { workspaceId: string; endpointId: string; deliveryId: string; isWaiting: boolean; isPaused: boolean };

export function ReplayDelivery({ workspaceId, endpointId, deliveryId, isWaiting, isPaused }: Props) {
  const isHeld = isWaiting && isPaused;
  return (
    <ActionForm
      action={replay}
      workspaceId={workspaceId}
      className="grid justify-items-start gap-2 sm:justify-items-end"
      done={({ count }) => (count === 0 ? "Not queued: an attempt is under way." : "Queued.")}
    >
      <input type="hidden" name="endpointId" value={endpointId} />
      <input type="hidden" name="deliveryId" value={deliveryId} />
      <SubmitButton busy="Queuing…" disabled={isHeld} aria-describedby={isHeld ? "why-no-replay" : undefined}>
        {isWaiting ? "Send now" : "Replay"}
      </SubmitButton>
      {isHeld ? (
        <p id="why-no-replay" className="text-sm text-muted">
          Resume the endpoint to send it.
        </p>
      ) : null}
    </ActionForm>
  );
}
