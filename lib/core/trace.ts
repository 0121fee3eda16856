import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "@opentelemetry/api";
import { processWide } from "./process-wide";

type Kind = "SERVER" | "CLIENT" | "INTERNAL";

/** Starts a span below another, or below the one that a `traceparent` names; without a valid one it begins a trace. */
type StartSpan = (name: string, kind: Kind, parent: Span | string | null) => Span;

/** Undefined until `collectTraces`, and for good without OTEL_EXPORTER_OTLP_ENDPOINT: following a call costs CPU. */
const tracing = processWide("tracing", (): { of?: { calls: AsyncLocalStorage<Span>; start: StartSpan } } => ({}));

export function collectTraces(start: StartSpan): void {
  tracing.of = { calls: new AsyncLocalStorage(), start };
}

/** Runs a call, in a span if traces are collected: the spans that start in it are below that one. */
export function inTrace<T>({ headers }: Request, call: (span?: Span) => Promise<T>): Promise<T> {
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

/** What tells others about the span, by default the call's: the header of https://www.w3.org/TR/trace-context/. */
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
