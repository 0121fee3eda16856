"use client";

import { ActionForm } from "@/app/_components/action-form";
import { ConfirmAction } from "@/app/_components/confirm-action";
import { SubmitButton } from "@/app/_components/submit-button";
import { TextLink } from "@/app/_components/text-link";
import { formatNumber } from "@/lib/core/number";
import { pause, remove, resume, sendTest } from "../actions";

type Props = { workspaceId: string; endpoint: { id: string; label: string }; isPaused: boolean };

const BUTTON_FORM = "grid justify-items-start [&>[role]:not(:empty)]:mt-2";

type TestProps = Omit<Props, "isPaused"> & { path: string };

export function SendTestEvent({ workspaceId, endpoint: { id }, path }: TestProps) {
  return (
    <ActionForm
      action={sendTest}
      workspaceId={workspaceId}
      className={BUTTON_FORM}
      done={({ deliveryId }) => (
        <span>
          Queued. <TextLink href={`${path}/deliveries/${deliveryId}`}>See the delivery</TextLink>
        </span>
      )}
    >
      <input type="hidden" name="endpointId" value={id} />
      <SubmitButton look="secondary" busy="Queuing…">
        Send test event
      </SubmitButton>
    </ActionForm>
  );
}

/** One button in both states, so that it keeps the focus. */
export function PauseOrResume({ workspaceId, endpoint: { id }, isPaused }: Props) {
  return (
    <ActionForm action={isPaused ? resume : pause} workspaceId={workspaceId} className={BUTTON_FORM}>
      <input type="hidden" name="endpointId" value={id} />
      <SubmitButton look={isPaused ? "primary" : "secondary"} busy={isPaused ? "Resuming…" : "Pausing…"}>
        {isPaused ? "Resume" : "Pause"}
      </SubmitButton>
    </ActionForm>
  );
}

export function DeleteEndpoint({ workspaceId, endpoint, waiting }: Omit<Props, "isPaused"> & { waiting: number }) {
  return (
    <ConfirmAction
      action={remove}
      workspaceId={workspaceId}
      opener="Delete…"
      title={`Delete ${endpoint.label}?`}
      confirm="Delete endpoint"
      busy="Deleting…"
    >
      <input type="hidden" name="endpointId" value={endpoint.id} />
      <p>It receives no further event. Its secret and its deliveries are deleted. This cannot be undone.</p>
      {waiting > 0 ? (
        <p className="rounded-control bg-caution-fill px-3 py-2 text-caution">
          {waiting === 1 ? "1 waiting event is dropped." : `${formatNumber(waiting)} waiting events are dropped.`}
        </p>
      ) : null}
    </ConfirmAction>
  );
}
