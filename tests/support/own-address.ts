import { createServer } from "node:http";
import { testServers } from "./environment";
import { type Loopback, listenOnLoopback } from "./loopback";
import type { TestWorkspace } from "./workspace";

/**
 * A proxy before the server under test that names this workspace's own address, for programs that can name none: all that
 * come without one share the limit of a single address with every such program of a run.
 */
export const fromOwnAddress = async ({ clientAddress }: TestWorkspace): Promise<Loopback> =>
  listenOnLoopback(
    createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const kept = Object.entries(request.headers).filter(([name]) => /^(api|idempotency|content-type)/.test(name));
      const { baseUrl } = testServers();
      const answer = await fetch(`${baseUrl}${request.url}`, {
        method: request.method ?? "GET",
        headers: [
          ...kept.map(([name, value]): [string, string] => [name, `${value}`]),
          ["x-forwarded-for", clientAddress],
        ],
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      const passed = [...answer.headers].filter(([name]) =>
        /^(content-type|date|ratelimit-.*|retry-after|x-request-id)$/.test(name),
      );
      const body = Buffer.from(await answer.arrayBuffer());
      const named = isSource(request.url)
        ? body.toString().replaceAll(baseUrl, `http://${request.headers.host}`)
        : body;
      response.writeHead(answer.status, Object.fromEntries(passed)).end(named);
    }),
  );

/** A client that names the deployment that it came from. */
const isSource = (url = ""): boolean => url.endsWith(".ts");
