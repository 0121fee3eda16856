import { Chip, type Tone } from "@/app/_components/chip";
import type { IconName } from "@/app/_components/icon";
import { Timestamp } from "@/app/_components/timestamp";
import type { Endpoint } from "@/lib/outgoing/endpoint-queries";
import { type EndpointState, endpointState } from "@/lib/outgoing/endpoint-state";

export function EndpointStateChip({ endpoint }: { endpoint: Endpoint }) {
  return <Chip {...LOOKS[endpointState(endpoint)]} />;
}

/** The state with what explains it: since when, and by whom. */
export function EndpointStateCell({ endpoint, timeZone }: { endpoint: Endpoint; timeZone: string }) {
  const state = endpointState(endpoint);
  const since = state === "failing" ? endpoint.failingSince : endpoint.pausedAt;
  return (
    <div className="grid justify-items-start gap-1">
      <Chip {...LOOKS[state]} />
      {since ? (
        <p className="text-xs text-muted">
          {REASONS[state]} <Timestamp at={since} timeZone={timeZone} />
        </p>
      ) : null}
    </div>
  );
}

const LOOKS: Record<EndpointState, { tone: Tone; icon: IconName; word: string }> = {
  active: { tone: "good", icon: "check", word: "Active" },
  listening: { tone: "good", icon: "check", word: "Listening" },
  failing: { tone: "caution", icon: "alert", word: "Failing" },
  paused: { tone: "pending", icon: "pause", word: "Paused" },
  pausedGone: { tone: "bad", icon: "pause", word: "Paused" },
  pausedFailing: { tone: "bad", icon: "pause", word: "Paused" },
};

const REASONS: Record<EndpointState, string> = {
  active: "",
  listening: "",
  failing: "since",
  paused: "by a member,",
  pausedGone: "because it answered 410,",
  pausedFailing: "after five days of failures,",
};
