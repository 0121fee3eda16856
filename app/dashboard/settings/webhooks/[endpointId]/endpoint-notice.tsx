import { Notice } from "@/app/_components/notice";
import { Timestamp } from "@/app/_components/timestamp";
import type { Endpoint } from "@/lib/outgoing/endpoint-queries";
import { endpointState } from "@/lib/outgoing/endpoint-state";

/** Why an endpoint does not receive its events, and what to do; nothing where it does. */
export function EndpointNotice({ endpoint, timeZone }: { endpoint: Endpoint; timeZone: string }) {
  const when = (at: Date | null) => <Timestamp at={at} timeZone={timeZone} />;
  switch (endpointState(endpoint)) {
    case "active":
      return null;
    case "listening":
      return (
        <Notice>
          The command <code className="font-mono text-sm">listen</code> on a developer’s computer receives these events.
          The endpoint is deleted when the command ends.
        </Notice>
      );
    case "failing":
      return (
        <Notice tone="caution">
          Failing since {when(endpoint.failingSince)}. Each event is retried for three days. An endpoint that fails for
          five days is paused.
        </Notice>
      );
    case "paused":
      return (
        <Notice>
          Paused by a member, {when(endpoint.pausedAt)}. New events are stored,{" "}
          {endpoint.listensUntil ? "while the command runs" : "for 30 days or longer"}, and sent when you resume.
        </Notice>
      );
    case "pausedGone":
      return (
        <Notice tone="bad">
          Paused {when(endpoint.pausedAt)}, because it answered 410 Gone. New events wait. Fix the endpoint, then
          resume.
        </Notice>
      );
    case "pausedFailing":
      return (
        <Notice tone="bad">
          Paused {when(endpoint.pausedAt)}, after five days of failures. New events wait. Fix the endpoint, then resume.
        </Notice>
      );
  }
}
