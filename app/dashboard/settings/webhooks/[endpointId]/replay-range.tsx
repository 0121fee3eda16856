"use client";

import { useCallback, useState } from "react";
import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Select } from "@/app/_components/field";
import { Notice } from "@/app/_components/notice";
import { formatNumber } from "@/lib/text/number";
import { DialogForm } from "../../_components/dialog-form";
import { replayRange } from "../actions";

type Props = { workspaceId: string; endpointId: string; isPaused: boolean };

/** Sends the deliveries of a time again, and says how many. */
export function ReplayRange({ workspaceId, endpointId, isPaused }: Props) {
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
            <Select label="Events of the last" name="lastHours" defaultValue="24">
              <option value="1">1 hour</option>
              <option value="24">24 hours</option>
              <option value="72">3 days</option>
              <option value="168">7 days</option>
            </Select>
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

const inWords = (count: number, isPaused: boolean): string => {
  if (count === 0) return "No delivery matches. Choose a longer period, or include delivered ones.";
  const queued = count === 1 ? "1 delivery is queued." : `${formatNumber(count)} deliveries are queued.`;
  return isPaused ? `${queued} Resume the endpoint to send.` : queued;
};
