"use client";

import { useState } from "react";
import { Button } from "@/app/_components/button";
import { DialogButton, KeptForm } from "@/app/_components/dialog";
import { ActionButtonForm, ActionForm, Field, Select, SubmitButton, Tick } from "@/app/_components/form";
import { TextLink } from "@/app/_components/link";
import { Notice } from "@/app/_components/panels";
import { formatNumber } from "@/lib/core/text";
import { replay, replayRange, sendTest } from "../actions";

export function SendTestEvent({ endpointId, path }: { endpointId: string; path: string }) {
  return (
    <ActionButtonForm
      action={sendTest}
      fields={{ endpointId }}
      word="Send test event"
      busy="Queuing…"
      done={({ deliveryId }) => (
        <span>
          Queued. <TextLink href={`${path}/deliveries/${deliveryId}`}>See the delivery</TextLink>
        </span>
      )}
    />
  );
}

type ReplayRangeProps = {
  endpointId: string;
  isPaused: boolean;
  timeZone: string;
  /** Of the list beside it, where it is limited to a time. */
  from: string | undefined;
  to: string | undefined;
};

/** Sends the deliveries of a time range again, and says how many. */
export function ReplayRange(props: ReplayRangeProps) {
  return (
    <DialogButton look="secondary" size="small" opener="Replay…" title="Replay deliveries">
      {(close) => <ReplayStep {...props} onClose={close} />}
    </DialogButton>
  );
}

function ReplayStep({ endpointId, isPaused, onClose, ...period }: ReplayRangeProps & { onClose: () => void }) {
  const [count, setCount] = useState<number>();
  if (count !== undefined) {
    return (
      <div className="grid gap-4">
        <div role="status">
          <Notice tone={count === 0 ? "info" : "good"}>{inWords(count, isPaused)}</Notice>
        </div>
        <Button className="justify-self-end" onClick={onClose}>
          Done
        </Button>
      </div>
    );
  }
  return (
    <KeptForm
      action={replayRange}
      fields={{ endpointId }}
      confirm="Replay"
      busy="Queuing…"
      onCancel={onClose}
      onDone={(done) => setCount(done.count)}
    >
      <p className="text-muted">
        Events are sent again, oldest first, with the same <code className="font-mono">webhook-id</code> as before.
        Waiting ones are left as they are.
      </p>
      <Period {...period} />
      <Tick type="checkbox" name="isFailedOnly" defaultChecked>
        Only failed deliveries
      </Tick>
    </KeptForm>
  );
}

function Period({ timeZone, from, to }: Pick<ReplayRangeProps, "timeZone" | "from" | "to">) {
  const [lastHours, setLastHours] = useState(from || to ? "between" : "24");
  return (
    <>
      <Select label="Events of" name="lastHours" value={lastHours} onText={setLastHours} options={PERIODS} />
      {lastHours === "between" ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="From" name="from" type="datetime-local" defaultValue={from} required hint={timeZone} />
          <Field label="To" name="to" type="datetime-local" defaultValue={to} hint="Empty: until now" />
        </div>
      ) : null}
    </>
  );
}

const PERIODS = [
  { value: "1", word: "the last hour" },
  { value: "24", word: "the last 24 hours" },
  { value: "72", word: "the last 3 days" },
  { value: "168", word: "the last 7 days" },
  { value: "between", word: "other times" },
];

function inWords(count: number, isPaused: boolean): string {
  if (count === 0) return "No delivery matches. Choose a longer period, or include delivered ones.";
  const queued = count === 1 ? "1 delivery is queued." : `${formatNumber(count)} deliveries are queued.`;
  return isPaused ? `${queued} Resume the endpoint to send.` : queued;
}

type ReplayDeliveryProps = {
  endpointId: string;
  deliveryId: string;
  isWaiting: boolean;
  isPaused: boolean;
};

export function ReplayDelivery({ endpointId, deliveryId, isWaiting, isPaused }: ReplayDeliveryProps) {
  const isHeld = isWaiting && isPaused;
  return (
    <ActionForm
      action={replay}
      fields={{ endpointId, deliveryId }}
      className="grid justify-items-start gap-2 sm:justify-items-end"
      done={({ count }) => (count === 0 ? "Not queued: an attempt is under way." : "Queued.")}
    >
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
