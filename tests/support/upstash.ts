import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { listenOnLoopback } from "./loopback";
import { createLuaStore, type RedisValue } from "./redis-lua";

/** How the store behaves: as a Redis, or as one that is sick. */
export type UpstashMood = "well" | "hanging" | "html" | "error" | "nonsense";

export type UpstashStandIn = {
  url: string;
  token: string;
  feel: (mood: UpstashMood) => void;
  keys: () => string[];
  /** How often it was asked, whatever it answered. */
  asked: () => number;
  /** Loses every key and every script, as a Redis that is flushed or restarts. */
  forget: () => void;
  /** All that the store holds. */
  entries: () => [key: string, value: string][];
  /** Takes no connections any more. */
  close: () => Promise<void>;
  stop: () => Promise<void>;
};

/** Upstash's REST API over a store in memory, which runs the library's own Lua. */
export const startUpstash = async (): Promise<UpstashStandIn> => {
  const token = createHash("sha256").update("a token of this test run").digest("hex");
  const store = createLuaStore();
  let mood: UpstashMood = "well";
  let asked = 0;

  const server = createServer(async (request, response) => {
    asked += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (mood !== "well") return answerSick(mood, response);
    if (request.headers.authorization !== `Bearer ${token}`) return answer(response, 401, { error: "Unauthorized" });
    const encode = request.headers["upstash-encoding"] === "base64" ? toBase64 : (value: RedisValue) => value;
    const run = (command: unknown[]) => {
      try {
        return { result: encode(store.call(command)) };
      } catch (error) {
        return { error: error instanceof Error ? error.message : "ERR" };
      }
    };
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (request.url === "/pipeline" || request.url === "/multi-exec") return answer(response, 200, body.map(run));
    const result = run(body);
    answer(response, "error" in result ? 400 : 200, result);
  });
  const { url, close } = await listenOnLoopback(server);
  return {
    url,
    token,
    feel: (next) => {
      mood = next;
    },
    keys: () => store.entries().map(([key]) => key),
    asked: () => asked,
    entries: store.entries,
    forget: store.forget,
    close,
    stop: async () => {
      if (server.listening) await close();
    },
  };
};

const answerSick = (mood: UpstashMood, response: ServerResponse) => {
  if (mood === "html") return void response.writeHead(200, { "content-type": "text/html" }).end("<html>502</html>");
  if (mood === "error") return answer(response, 500, { error: "ERR max daily request limit exceeded" });
  if (mood === "nonsense") return answer(response, 200, { result: "nonsense" });
};

const answer = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const toBase64 = (value: RedisValue): RedisValue => {
  if (Array.isArray(value)) return value.map(toBase64);
  return typeof value === "string" && value !== "OK" ? Buffer.from(value).toString("base64") : value;
};
