"use client";

import { useCallback, useState } from "react";
import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Field, Select } from "@/app/_components/field";
import { Notice } from "@/app/_components/notice";
import { formatNumber } from "@/lib/core/number";
import { DialogForm } from "../../_components/dialog-form";
import { replayRange } from "../actions";

type Props = {
  workspaceId: string;
  endpointId: string;
  isPaused: boolean;
  timeZone: string;
  /** Of the list beside it, where it is limited to a time. */
  from: string | undefined;
  to: string | undefined;
};

/** Sends the deliveries of a time again, and says how many. */
export function ReplayRange({ workspaceId, endpointId, isPaused, timeZone, from, to }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const [count, setCount] = useState<number | null>(null);
  const close = useCallback(() => {
    setIsOpen(false);
    setCount(null);
  }, []);
  return (
    <>
      <Button look="secondary" size="small" onClick={() => setIsOpen(true)}>
        Replay…
      </Button>
      <Dialog title="Replay deliveries" isOpen={isOpen} onClose={close}>
        {count === null ? (
          <DialogForm
            action={replayRange}
            workspaceId={workspaceId}
            confirm="Replay"
            busy="Queuing…"
            onCancel={close}
            onDone={(done) => setCount(done.count)}
          >
            <input type="hidden" name="endpointId" value={endpointId} />
            <p className="text-muted">
              Events are sent again, oldest first, with the same <code className="font-mono">webhook-id</code> as
              before. Waiting ones are left as they are.
            </p>
            <Period timeZone={timeZone} from={from} to={to} />
            <label className="flex min-h-6 items-start gap-2 pointer-coarse:min-h-11">
              <input
                type="checkbox"
                name="isFailedOnly"
                defaultChecked
                className="mt-[3px] size-4 shrink-0 accent-accent"
              />
              Only failed deliveries
            </label>
          </DialogForm>
        ) : (
          <div className="grid gap-4">
            <div role="status">
              <Notice tone={count === 0 ? "info" : "good"}>{inWords(count, isPaused)}</Notice>
            </div>
            <div className="flex justify-end">
              <Button onClick={close}>Done</Button>
            </div>
          </div>
        )}
      </Dialog>
    </>
  );
}

function Period({ timeZone, from, to }: Pick<Props, "timeZone" | "from" | "to">) {
  const [lastHours, setLastHours] = useState(from || to ? "between" : "24");
  return (
    <>
      <Select
        label="Events of"
        name="lastHours"
        value={lastHours}
        onChange={(event) => setLastHours(event.currentTarget.value)}
      >
        <option value="1">the last hour</option>
        <option value="24">the last 24 hours</option>
        <option value="72">the last 3 days</option>
        <option value="168">the last 7 days</option>
        <option value="between">other times</option>
      </Select>
      {lastHours === "between" ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="From" name="from" type="datetime-local" defaultValue={from} required hint={timeZone} />
          <Field label="To" name="to" type="datetime-local" defaultValue={to} hint="Empty: until now" />
        </div>
      ) : null}
    </>
  );
}

const inWords = (count: number, isPaused: boolean): string => {
  if (count === 0) return "No delivery matches. Choose a longer period, or include delivered ones.";
  const queued = count === 1 ? "1 delivery is queued." : `${formatNumber(count)} deliveries are queued.`;
  return isPaused ? `${queued} Resume the endpoint to send.` : queued;
};
