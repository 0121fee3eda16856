import { Notice } from "@/app/_components/panels";
import { Chip, type Chips, Code, Muted } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import type { Mode } from "@/lib/core/principal";
import { type Endpoint, type EndpointState, endpointState } from "@/lib/outgoing/endpoint-queries";
import { isTrustedUrl, urlRules } from "@/lib/outgoing/endpoint-url";
import { PRINTED_ONLY } from "@/lib/outgoing/events/event-types";

export function EndpointStateChip({ endpoint }: { endpoint: Endpoint }) {
  return <Chip {...LOOKS[endpointState(endpoint)]} />;
}

/** The state with what explains it: since when, and by whom. */
export function EndpointStateCell({ endpoint }: { endpoint: Endpoint }) {
  const state = endpointState(endpoint);
  const since = state === "failing" ? endpoint.failingSince : endpoint.pausedAt;
  return (
    <div className="grid justify-items-start gap-1">
      <Chip {...LOOKS[state]} />
      {since ? (
        <p className="text-sm text-muted">
          {LOOKS[state].reason} <Timestamp at={since} />
        </p>
      ) : null}
    </div>
  );
}

/** `reason` is followed by the time since when. */
const LOOKS: Record<EndpointState, Chips<string>[string] & { reason?: string }> = {
  active: { tone: "good", icon: "check", word: "Active" },
  listening: { tone: "good", icon: "check", word: "Listening" },
  failing: { tone: "caution", icon: "alert", word: "Failing", reason: "since" },
  paused: { tone: "pending", icon: "pause", word: "Paused", reason: "by a member," },
  pausedGone: { tone: "bad", icon: "pause", word: "Paused", reason: "because it returned 410," },
  pausedFailing: { tone: "bad", icon: "pause", word: "Paused", reason: "after five days of failures," },
};

/** Where the events of an endpoint go. */
export function EndpointUrl({ url }: { url: string }) {
  if (url === PRINTED_ONLY) return <Muted>None: events are printed</Muted>;
  return <Code>{url}</Code>;
}

/** Why an endpoint does not receive its events, and what to do; nothing where it does. */
export function EndpointNotice({ endpoint }: { endpoint: Endpoint }) {
  const { failingSince, pausedAt, listensUntil } = endpoint;
  switch (endpointState(endpoint)) {
    case "active":
      return null;
    case "listening":
      return (
        <Notice>
          The command <Code>listen</Code> on a developer’s computer receives these events. The endpoint is deleted when
          the command ends.
        </Notice>
      );
    case "failing":
      return (
        <Notice tone="caution">
          Failing since <Timestamp at={failingSince} />. Each event is retried for three days. An endpoint that fails
          for five days is paused.
        </Notice>
      );
    case "paused":
      return (
        <Notice>
          Paused by a member, <Timestamp at={pausedAt} />. New events are stored,{" "}
          {listensUntil ? "while the command runs" : "for 30 days or longer"}, and sent when you resume.
        </Notice>
      );
    case "pausedGone":
    case "pausedFailing":
      return (
        <Notice tone="bad">
          Paused <Timestamp at={pausedAt} />,{" "}
          {endpointState(endpoint) === "pausedGone" ? "because it returned 410 Gone" : "after five days of failures"}.
          New events wait. Fix the endpoint, then resume.
        </Notice>
      );
  }
}

const THIS_MACHINE = new URL("http://localhost");

/** What a URL of an endpoint must be. */
export function urlHint(mode: Mode): string {
  return isTrustedUrl(THIS_MACHINE, urlRules(mode))
    ? "A public https:// address. This deployment is on your own machine, so http://localhost works too."
    : "A public https:// address.";
}
