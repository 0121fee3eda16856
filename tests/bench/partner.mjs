// A partner's server: takes every event at once, and returns when each came. Prints its address when it listens.
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
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
