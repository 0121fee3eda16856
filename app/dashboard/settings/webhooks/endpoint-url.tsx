import { PRINTED_ONLY } from "@/lib/public-api/listener";

/** Where the events of an endpoint go. */
export function EndpointUrl({ url }: { url: string }) {
  if (url === PRINTED_ONLY) return <span className="text-muted">None: events are printed</span>;
  return <code className="font-mono text-sm break-all">{url}</code>;
}
