import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "@opentelemetry/api";
import type * as PromClient from "prom-client";
import { processWide } from "./process-wide";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LAG_SECONDS = [0.5, 1, 2.5, 5, 15, 60, 300, 1_800, 21_600, 86_400];

/** Labels are of few values each: never a workspace, a key or a number. */
const HISTOGRAMS = {
  switchboard_call_seconds: {
    help: "Calls under /api, without the time that clients took for their bodies.",
    labels: ["endpoint", "status"],
    buckets: SECONDS,
  },
  switchboard_edge_seconds: {
    help: "Rate limits and authentication of a call of the partner API.",
    labels: [],
    buckets: SECONDS,
  },
  switchboard_whatsapp_seconds: {
    help: "Requests to WhatsApp, by HTTP status, or `failed`.",
    labels: ["status"],
    buckets: SECONDS,
  },
  switchboard_database_seconds: {
    help: "Work on the database, without the wait for a slot.",
    labels: ["pool", "outcome"],
    buckets: SECONDS,
  },
  switchboard_webhook_lag_seconds: {
    help: "Events in WhatsApp's webhooks, by delay until receipt.",
    labels: ["kind"],
    buckets: LAG_SECONDS,
  },
} as const;

const COUNTERS = {
  switchboard_sends_total: { help: "Calls of the send endpoint, by outcome.", labels: ["outcome"] },
  switchboard_limit_checks_total: { help: "Calls that were counted on a rate limit.", labels: ["result"] },
  switchboard_webhook_events_total: { help: "Events in WhatsApp's webhooks.", labels: ["kind"] },
  switchboard_webhook_no_effect_total: {
    help: "Parts of WhatsApp's webhooks that changed nothing, by kind.",
    labels: ["kind"],
  },
  switchboard_refusals_total: {
    help: "Calls under /api that were refused, by error code.",
    labels: ["endpoint", "code"],
  },
  switchboard_webhooks_refused_total: { help: "Webhooks with an invalid signature.", labels: [] },
  switchboard_mails_total: {
    help: "Attempts to send a mail, by outcome, with the mail server's code or the fault's.",
    labels: ["outcome", "reason"],
  },
  switchboard_delivery_attempts_total: { help: "Attempts to deliver an event to a partner.", labels: ["outcome"] },
} as const;

type Labels<M extends { labels: readonly string[] }> = Record<M["labels"][number], string | number>;

/** One value of a gauge. */
export type Reading = { value: number; labels?: Record<string, string> };

/** Undefined until `startMetrics`, and for good without a METRICS_TOKEN. */
const recorder = processWide("metrics", (): { of?: Recorder } => ({}));

type Recorder = {
  client: typeof PromClient;
  registry: PromClient.Registry;
  histograms: Record<string, PromClient.Histogram>;
  counters: Record<string, PromClient.Counter>;
};

export function observe<N extends keyof typeof HISTOGRAMS>(
  name: N,
  seconds: number,
  labels: Labels<(typeof HISTOGRAMS)[N]>,
  times = 1,
): void {
  const histogram = recorder.of?.histograms[name];
  for (let time = 0; histogram && time < times; time++) histogram.observe(labels, seconds);
}

export function count<N extends keyof typeof COUNTERS>(name: N, labels: Labels<(typeof COUNTERS)[N]>, by = 1): void {
  recorder.of?.counters[name]?.inc(labels, by);
}

/** Registers a gauge that is read at each scrape. A no-op without metrics. */
export function gauge(name: string, help: string, labels: readonly string[], read: () => readonly Reading[]): void {
  if (!recorder.of) return;
  const { client, registry } = recorder.of;
  const collect = function (this: PromClient.Gauge) {
    this.reset();
    for (const { value, labels: of = {} } of read()) this.set(of, value);
  };
  new client.Gauge({ name, help, labelNames: [...labels], registers: [registry], collect });
}

/** Collects metrics from now on, each under the label `process`, also of Node itself: event loop, memory, CPU. */
export async function startMetrics(processName: string): Promise<void> {
  const client = await import("prom-client");
  const registry = new client.Registry();
  registry.setDefaultLabels({ process: processName });
  client.collectDefaultMetrics({ register: registry });
  // Gauges named like counters, which `promtool check metrics` refuses; those without `_total` have the same by type.
  for (const kind of ["handles", "requests", "resources"]) registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  const made = <M, T>(definitions: Record<string, M>, make: (name: string, definition: M) => T) =>
    Object.fromEntries(Object.entries(definitions).map(([name, definition]) => [name, make(name, definition)]));
  recorder.of = {
    client,
    registry,
    histograms: made(
      HISTOGRAMS,
      (name, { help, labels, buckets }) =>
        new client.Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers: [registry] }),
    ),
    counters: made(
      COUNTERS,
      (name, { help, labels }) => new client.Counter({ name, help, labelNames: [...labels], registers: [registry] }),
    ),
  };
}

/** The metrics of this process, as `mergeMetrics` takes them; undefined where none are collected. */
export async function ownMetrics(): Promise<unknown[] | undefined> {
  const metrics = await recorder.of?.registry.getMetricsAsJSON();
  // Each series names its process, so none is merged away: prom-client omits `process_start_time_seconds`.
  return metrics?.map((metric) => (metric.aggregator === "omit" ? { ...metric, aggregator: "first" } : metric));
}

/** Merges the metrics of processes. Returns Prometheus' text format. */
export async function mergeMetrics(ofProcesses: readonly unknown[][]): Promise<string> {
  const { AggregatorRegistry } = await import("prom-client");
  return AggregatorRegistry.aggregate([...ofProcesses]).metrics();
}

type Kind = "SERVER" | "CLIENT" | "INTERNAL";

/** Starts a span below another, or below the one that a `traceparent` names; without a valid one it begins a trace. */
type StartSpan = (name: string, kind: Kind, parent: Span | string | null) => Span;

/** Undefined until `collectTraces`, and for good without OTEL_EXPORTER_OTLP_ENDPOINT: following a call costs CPU. */
const tracing = processWide("tracing", (): { of?: { calls: AsyncLocalStorage<Span>; start: StartSpan } } => ({}));

export function collectTraces(start: StartSpan): void {
  tracing.of = { calls: new AsyncLocalStorage(), start };
}

/** Runs a call, in a span if traces are collected: the spans that start in it are below that one. */
export function inTrace<T>(
  { headers }: { headers: Pick<Headers, "get"> },
  call: (span?: Span) => Promise<T>,
): Promise<T> {
  if (!tracing.of) return call();
  const span = tracing.of.start("call", "SERVER", headers.get("traceparent"));
  return tracing.of.calls.run(span, call, span).finally(() => span.end());
}

/** The caller ends it. Undefined without a parent, such as in background work. */
export function startSpan(
  name: string,
  kind: Kind = "INTERNAL",
  parent: Span | string | null = currentSpan() ?? null,
): Span | undefined {
  return parent === null ? undefined : tracing.of?.start(name, kind, parent);
}

/** Returns the `traceparent` header of a span, by default the current call's: https://www.w3.org/TR/trace-context/. */
export function traceparent(span = currentSpan()): string | null {
  if (!span) return null;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Runs a part of a call as a span; one that throws has failed. */
export async function inSpan<T>(name: string, part: () => Promise<T>): Promise<T> {
  const span = startSpan(name);
  try {
    return await part();
  } catch (error) {
    if (span) failSpan(span, error instanceof Error ? error.name : "unknown");
    throw error;
  } finally {
    span?.end();
  }
}

/** `type` is a code or a class, never a message: messages may quote what was sent. */
export function failSpan(span: Span, type: string): void {
  span.setAttribute("error.type", type).setStatus({ code: ERROR });
}

const currentSpan = (): Span | undefined => tracing.of?.calls.getStore();

/** `SpanStatusCode.ERROR`, without loading its package. */
const ERROR = 2;
