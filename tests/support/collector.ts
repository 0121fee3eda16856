import { createServer, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { listenOnLoopback } from "./loopback";

type Value = { stringValue?: string; intValue?: number };

/** A span as OTLP's JSON has it. */
export type SeenSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Value }[];
  status: { code: number };
};

type Export = {
  resourceSpans: { resource: { attributes: SeenSpan["attributes"] }; scopeSpans: { spans: SeenSpan[] }[] }[];
};

const TAKE = (response: ServerResponse): void => void response.writeHead(200).end("{}");

/** A collector of traces (OTLP over HTTP). It keeps what it is sent, and answers as `answerWith` says. */
export const startCollector = async () => {
  const exports: { path: string | undefined; authorization: string | undefined; body: Export }[] = [];
  let answer = TAKE;
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Export;
    exports.push({ path: request.url, authorization: request.headers.authorization, body });
    answer(response);
  });
  const { url, close } = await listenOnLoopback(server);
  return {
    url,
    exports,
    answerWith: (next = TAKE) => {
      answer = next;
    },
    spans: (): SeenSpan[] =>
      exports.flatMap(({ body }) => body.resourceSpans.flatMap((of) => of.scopeSpans.flatMap(({ spans }) => spans))),
    stop: close,
  };
};

/** The attributes of a span or resource by name. */
export const attributesOf = ({ attributes }: Pick<SeenSpan, "attributes">): Record<string, string | number> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));
