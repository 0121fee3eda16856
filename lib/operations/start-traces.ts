import { env } from "@/lib/core/env";
import { hostLookup } from "@/lib/core/host-lookup";
import { errorFields, log } from "@/lib/core/log";
import { collectTraces } from "@/lib/core/telemetry";

/** For one request to the collector, with its retries; meanwhile 2,048 spans wait, and the rest is dropped. */
const EXPORT_MS = 5_000;
const COMPLAIN_EVERY_MS = 60_000;

/**
 * Sends traces to OTEL_EXPORTER_OTLP_ENDPOINT from now on. Returns what sends the spans that wait; without that variable
 * returns undefined, and the API's process loads no package.
 */
export async function startTraces(): Promise<(() => Promise<void>) | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: service } = env();
  if (!endpoint) return undefined;
  const [api, core, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/core"),
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const lost = complain();
  core.setGlobalErrorHandler(lost);
  // What does not fit the queue reaches this logger only.
  api.diag.setLogger({ error: lost, warn: lost, info() {}, debug() {}, verbose() {} }, api.DiagLogLevel.WARN);
  const httpAgentOptions = { keepAlive: true, lookup: hostLookup };
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_MS, httpAgentOptions });
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": service, "process.pid": process.pid }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter, { exportTimeoutMillis: EXPORT_MS })],
  });
  const tracer = provider.getTracer("switchboard");
  const { ROOT_CONTEXT, SpanKind, trace } = api;
  collectTraces((name, kind, parent) => {
    const above = typeof parent === "string" ? core.parseTraceParent(parent) : parent?.spanContext();
    const context = above ? trace.setSpanContext(ROOT_CONTEXT, above) : ROOT_CONTEXT;
    return tracer.startSpan(name, { kind: SpanKind[kind] }, context);
  });
  return () => provider.shutdown();
}

/** Reports lost spans, but not each batch of an outage. */
function complain() {
  let silentUntilMs = 0;
  return (error: unknown): void => {
    if (performance.now() < silentUntilMs) return;
    silentUntilMs = performance.now() + COMPLAIN_EVERY_MS;
    log("warn", "traces.lost", errorFields(error));
  };
}
