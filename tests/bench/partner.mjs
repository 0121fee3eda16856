// A partner's server: takes every event, and returns when each came. `/after/MS` answers so many milliseconds later, `/hang`
// never does. Prints its address when it listens.
import { createServer } from "node:http";

/** By `webhook-id`, milliseconds since 1970. */
const arrivals = {};

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "application/json" });
    return void response.end(JSON.stringify(arrivals));
  }
  request.resume();
  request.on("end", () => {
    arrivals[request.headers["webhook-id"]] ??= performance.timeOrigin + performance.now();
    if (request.url === "/hang") return;
    const [, after = "0"] = /^\/after\/(\d+)$/.exec(request.url) ?? [];
    if (after === "0") response.writeHead(204).end();
    else setTimeout(() => response.writeHead(204).end(), Number(after));
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
