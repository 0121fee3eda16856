import type { z } from "zod";
import type { Operation } from "@/lib/api/log/request-record";
import type { HeaderName, Timing } from "@/lib/api/response-headers";
import type { ErrorCode } from "@/lib/core/app-error";
import type { Principal } from "@/lib/core/principal";
import type { Call } from "@/lib/http/call";
import { parsed } from "@/lib/http/issues";
import type { KeyedCall } from "@/lib/http/request-headers";
import { pathReader } from "@/lib/http/route-table";
import type { MessageName, NamedMessage } from "@/lib/messages/queries";

/** An authenticated call, as passed to its endpoint. `body` is parsed JSON, not validated. */
export type EndpointCall = {
  call: Call;
  requestId: string;
  principal: Principal;
  params: Record<string, string>;
  body: unknown;
  /** The message that the call names, null if there is none, undefined if it was not looked up. */
  named: NamedMessage | null | undefined;
  /** For an endpoint to report time spent in WhatsApp. */
  timing: Timing;
  /** When the request had fully arrived, by `performance.now()`. */
  receivedAtMs: number;
};

export type EndpointAnswer<Data = unknown> = (
  | { data: Data }
  | { /** The data, where it is kept as JSON. */ json: string }
) & {
  status: 200 | 201;
  headers?: Record<string, string>;
  logged?: Record<string, unknown>;
};

/** An endpoint's body: the documented schemas, and a reader that reports all faults at once. */
export type RequestBody<Body> = {
  /** The name of the type in the clients. */
  name: string;
  /** Each has its component's `id`. A body matches one of them. */
  schemas: readonly z.ZodType[];
  /** Throws VALIDATION_ERROR. */
  read: (body: unknown, call: KeyedCall) => Body;
};

type Example = { idempotencyKey?: string; body?: unknown };

type Declaration<Params, Query, Body, Data> = {
  /** The operation's name in the document, the docs and the clients. */
  id: string;
  method: "GET" | "POST";
  /** Below the API's root, with parameters in braces: `/messages/{messageId}`. */
  path: `/${string}`;
  tag: "Messages" | "Templates";
  /** Its name in the request log. */
  operation: Operation;
  summary: string;
  /** Markdown. */
  description: string;
  /** Path parameters, passed to the handler unchanged. */
  params?: z.ZodObject & { _output: Params };
  query?: z.ZodObject & { _output: Query };
  /** The message that the call is about: the statement that admits the call may read it. */
  messageNameOf?: (call: KeyedCall & { params: Record<string, string> }) => MessageName | undefined;
  /** For the docs; the body's reader reads them. */
  headers?: z.ZodObject;
  body?: RequestBody<Body>;
  /** By status. The last is what a first call returns. */
  responses: Partial<
    Record<
      200 | 201,
      { description: string; data: z.ZodType<Data>; example: NoInfer<Data>; headers?: readonly HeaderName[] }
    >
  >;
  errors: readonly ErrorCode[];
  /** Calls that the docs show and run; by message type where there are several. */
  examples: Record<string, Example>;
  handle: (
    call: Omit<EndpointCall, "call" | "params" | "body"> & { params: Params; query: Query; body: Body },
  ) => Promise<EndpointAnswer<NoInfer<Data>>>;
};

/** One endpoint of the partner API. Validation, OpenAPI, reference, routes and the clients' types follow from it. */
export type Endpoint = Omit<Declaration<unknown, unknown, unknown, unknown>, "params" | "query" | "handle"> & {
  params?: z.ZodObject;
  query?: z.ZodObject;
  handle: (call: EndpointCall) => Promise<EndpointAnswer>;
};

export function endpoint<Data, Params = object, Query = object, Body = undefined>(
  declaration: Declaration<Params, Query, Body, Data>,
): Endpoint {
  const { body, handle } = declaration;
  // A filter that is misspelt would list everything.
  const query = declaration.query?.strict();
  return {
    ...declaration,
    handle: ({ call, params, body: given, ...rest }) =>
      handle({
        ...rest,
        params: params as Params,
        query: (query ? readQuery(query, call.url.searchParams) : {}) as Query,
        body: body?.read(given, call) as Body,
      }),
  };
}

/** Parses the query parameters; the first of a name counts. Throws VALIDATION_ERROR with every fault, such as a typo in a name. */
export function readQuery<Query extends z.ZodObject>(schema: Query, given: URLSearchParams): z.output<Query> {
  return parsed(schema, Object.fromEntries([...given].toReversed()), "query parameter of this endpoint");
}

/** The error codes of read-only endpoints. */
export const READ_ERRORS = [
  "VALIDATION_ERROR",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "METHOD_NOT_ALLOWED",
  "RATE_LIMIT_EXCEEDED",
  "INTERNAL_ERROR",
  "SERVICE_UNAVAILABLE",
] as const satisfies ErrorCode[];

/** Where the API begins. */
export const API_ROOT = "/api/v1/public";

/** A path's endpoints by method, none if it does not exist, and its decoded parameters. */
export type EndpointsAt = {
  byMethod: Partial<Record<string, Endpoint>>;
  params: Record<string, string>;
  operation: Operation;
};

/** Finds the endpoints of a path. The first path that matches wins; a trailing slash is ignored. */
export function pathTable(endpoints: readonly Endpoint[]): (pathname: string) => EndpointsAt {
  const paths = [...new Set(endpoints.map(({ path }) => path))].map((path) => {
    const own = endpoints.filter((endpoint) => endpoint.path === path);
    return {
      paramsOf: pathReader(API_ROOT + path),
      byMethod: Object.fromEntries(own.map((endpoint) => [endpoint.method, endpoint])),
      operation: own[0]?.operation ?? "other",
    };
  });
  return (pathname) => {
    for (const { paramsOf, ...found } of paths) {
      const params = paramsOf(pathname);
      if (params) return { ...found, params };
    }
    return NOTHING;
  };
}

const NOTHING: EndpointsAt = { byMethod: {}, params: {}, operation: "other" };
