// One function as Vercel runs it: the launcher of its folder behind a port, with a request context. It tells its parent
// what it was asked to finish after its response; the parent freezes it otherwise.
const { createServer } = require("node:http");
const { AsyncLocalStorage } = require("node:async_hooks");
const path = require("node:path");

const contexts = new AsyncLocalStorage();
globalThis[Symbol.for("@vercel/request-context")] = { get: () => contexts.getStore() };

let pending = 0;
const tell = (change) => {
  pending += change;
  process.send({ pending });
};
const waitUntil = (work) => {
  tell(1);
  Promise.resolve(work).then(
    () => tell(-1),
    () => tell(-1),
  );
};

const [folder, kind] = process.argv.slice(2);
process.chdir(folder);
const serve = require(path.join(folder, "___next_launcher.cjs"));

/** The proxy is given and returns the web's own objects; its body is never read. */
async function serveWeb(request, response) {
  const headers = new Headers();
  for (let i = 0; i < request.rawHeaders.length; i += 2)
    headers.append(request.rawHeaders[i], request.rawHeaders[i + 1]);
  const answer = await serve(
    new Request(`http://${request.headers.host}${request.url}`, { method: request.method, headers }),
  );
  const fields = [...answer.headers].filter(([name]) => name !== "set-cookie");
  response.writeHead(
    answer.status,
    [...fields, ...answer.headers.getSetCookie().map((cookie) => ["set-cookie", cookie])].flat(),
  );
  response.end(Buffer.from(await answer.arrayBuffer()));
}

const server = createServer((request, response) => {
  contexts
    .run({ waitUntil }, () => (kind === "web" ? serveWeb(request, response) : serve(request, response)))
    .catch((error) => {
      console.error(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end("A server error has occurred\n\nFUNCTION_INVOCATION_FAILED");
    });
});
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
