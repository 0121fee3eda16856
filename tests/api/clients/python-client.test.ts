import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { listenOnLoopback } from "../../support/loopback";
import { PYTHON, PYTHON_SOURCE, pythonTitle, runPython } from "../../support/python";

type Seen = { url: string; userAgent: string | undefined; idempotencyKey: unknown; socket: Socket };
type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => unknown;

const message = (_: IncomingMessage, response: ServerResponse) =>
  response
    .writeHead(201, { "Content-Type": "application/json", "X-Request-Id": "req_1", "RateLimit-Remaining": "41" })
    .end('{"success":true,"data":{"id":"msg_1","status":"SENT"}}');

/** A gateway with the responses of `answer`, and the requests that it received. */
async function startGateway(answer: Answer = message) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const idempotencyKey = body ? JSON.parse(body).idempotencyKey : undefined;
    const { url = "", headers, socket } = request;
    seen.push({ url, userAgent: headers["user-agent"], idempotencyKey, socket });
    answer(request, response, seen.length);
  });
  const { url, close } = await listenOnLoopback(server);
  onTestFinished(close);
  return { url, seen };
}

/** Runs a program that has a `client` of the gateway at `url` and a `request`, and returns what it prints. */
async function python(url: string, program: string, env: Record<string, string> = {}): Promise<string> {
  const head = `import asyncio, os, switchboard_client as s
options = {"origin": "${url}", "max_retries": 1}
client = s.Switchboard("pk_test_a", "sk_test_a", **options)
request = {"type": "text", "phone": "447700900003", "content": "Hi"}
`;
  const { exitCode, stdout, stderr } = await runPython(["-W", "error", "-c", head + program], {
    env: { PYTHONPATH: PYTHON_SOURCE, ...env },
  });
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout.trim();
}

describe.skipIf(!PYTHON)(pythonTitle("a client in Python"), () => {
  test("uses one connection for calls one after the other, and says who it is", async () => {
    const { url, seen } = await startGateway();
    await python(url, "for _ in range(3): client.send(request)\nclient.close()");
    expect([seen.length, new Set(seen.map(({ socket }) => socket)).size]).toEqual([3, 1]);
    expect(seen[0]?.userAgent).toMatch(/^switchboard-client-python\/\d+\.\d+\.\d+$/);
  });

  test("repeats at once, under the same key, what a connection that the gateway had closed did not take", async () => {
    const { url, seen } = await startGateway((request, response, count) =>
      count === 2 ? request.socket.destroy() : message(request, response),
    );
    await python(url, "for key in ('a', 'b'): client.send(request, idempotency_key=key)");
    expect(seen.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["a", "b", "b"]);
  });

  test("shares no connection with a process that it is forked into", async () => {
    const { url, seen } = await startGateway();
    const program = `client.send(request)
child = os.fork()
client.send(request)
if child == 0: os._exit(0)
os.waitpid(child, 0)
client.send(request)`;
    await python(url, program);
    const counts = seen.map(({ socket }) => seen.filter((other) => other.socket === socket).length);
    expect(counts.toSorted()).toEqual([1, 3, 3, 3]);
  });

  test("goes through the proxy of the environment, and past it where no_proxy says so", async () => {
    const { url: proxy, seen } = await startGateway();
    const send = "print(client.send(request)['id'])";
    const env = { http_proxy: proxy.replace("//", "//user:pass@"), no_proxy: "127.0.0.1" };
    expect(await python("http://gateway.test", send, env)).toBe("msg_1");
    expect(seen[0]?.url).toBe("http://gateway.test/api/v1/public/messages/send");
    const { url, seen: direct } = await startGateway();
    await python(url, send, env);
    expect([seen.length, direct.length]).toEqual([1, 1]);
  });

  test("gives the response of a result and of an error, which both stay as they are otherwise", async () => {
    const refusal = JSON.stringify({ error: "NOT_FOUND", message: "No.", details: { retryable: false } });
    const { url } = await startGateway((request, response) =>
      request.method === "POST"
        ? message(request, response)
        : response.writeHead(404, { "X-Request-Id": "req_2" }).end(refusal),
    );
    const program = `sent = client.send(request)
info = s.response_of(sent)
print(sent == {"id": "msg_1", "status": "SENT"}, sent, info.status, info.request_id, info.headers["ratelimit-remaining"])
try: client.get_message("msg_1")
except s.NotFoundError as error: print(error.response.status, error.response.request_id)`;
    const printed = (await python(url, program)).split("\n");
    expect(printed).toEqual(["True {'id': 'msg_1', 'status': 'SENT'} 201 req_1 41", "404 req_2"]);
  });

  test("reports each attempt to its hook; a hook that fails changes nothing", async () => {
    const { url } = await startGateway((request, response, count) =>
      count === 1 ? response.writeHead(502).end("<html>") : message(request, response),
    );
    const program = `def log(a):
    print(a.attempt, a.method, a.response.status, type(a.error).__name__, a.retry_in_seconds is not None, a.idempotency_key)
    raise RuntimeError()
client = s.Switchboard("pk_test_a", "sk_test_a", on_attempt=log, **options)
client.send(request, idempotency_key="order-1")`;
    const printed = (await python(url, program)).split("\n");
    expect(printed).toEqual(["1 POST 502 NoResponseError True order-1", "2 POST 201 NoneType False order-1"]);
  });

  test("makes its requests with the transport that it is given, for asyncio with a coroutine, and repeats them", async () => {
    const { url, seen } = await startGateway();
    const program = `count = 0
def transport(request):
    global count
    count += 1
    if count % 2: raise OSError("no connection")
    print(request.method, request.url[len("${url}"):], "sk_test" in repr(request))
    return s.Response(201, {"x-request-id": f"req_{count}"}, b'{"success":true,"data":{"id":"msg_1"}}')
client = s.Switchboard("pk_test_a", "sk_test_a", transport=transport, **options)
print(s.response_of(client.send(request)).request_id)
async def coroutine(request):
    await asyncio.sleep(0)
    return transport(request)
async def main():
    async with s.AsyncSwitchboard("a", "b", transport=coroutine, **options) as client:
        print(s.response_of(await client.send(request)).request_id)
asyncio.run(main())`;
    const asked = "POST /api/v1/public/messages/send False";
    expect((await python(url, program)).split("\n")).toEqual([asked, "req_2", asked, "req_4"]);
    expect(seen).toEqual([]);
  });

  test("puts the generated key on what interrupts a send: a signal's exception, or the end of a task", async () => {
    const { url, seen } = await startGateway(() => undefined);
    const program = `import signal
def stop(*_): raise KeyboardInterrupt()
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try: client.send(request)
except KeyboardInterrupt as error: print(error.idempotency_key)
async def main():
    sending = asyncio.create_task(s.AsyncSwitchboard("a", "b", origin="${url}", timeout_seconds=2).send(request))
    await asyncio.sleep(0.5)
    sending.cancel()
    try: await sending
    except asyncio.CancelledError as error: print(getattr(error, "idempotency_key", None))
asyncio.run(main())`;
    const printed = (await python(url, program)).split("\n");
    expect(printed).toEqual(seen.map(({ idempotencyKey }) => idempotencyKey));
    expect(printed).toHaveLength(2);
  });

  test("for asyncio makes calls beside each other, and repeats one under its key", async () => {
    const waiting: ServerResponse[] = [];
    const { url, seen } = await startGateway((request, response) => {
      waiting.push(response);
      if (waiting.length > 20) return message(request, response);
      if (waiting.length < 20) return;
      for (const each of waiting.slice(1)) message(request, each);
      waiting[0]?.writeHead(502).end("<html>");
    });
    const program = `async def main():
    async with s.AsyncSwitchboard("a", "b", **options) as client:
        sent = await asyncio.gather(*(client.send(request) for _ in range(20)))
        print(len(sent), s.response_of(sent[0]).request_id)
asyncio.run(main())`;
    expect(await python(url, program)).toBe("20 req_1");
    expect(seen[20]?.idempotencyKey).toBe(seen[0]?.idempotencyKey);
  });

  test("iterates over templates, and reads a page only once it is needed", async () => {
    const page = (names: string[], nextCursor: string | null) =>
      JSON.stringify({ success: true, data: { templates: names.map((name) => ({ name })), nextCursor } });
    const { url, seen } = await startGateway((request, response) =>
      response.writeHead(200).end(request.url?.includes("cursor=two") ? page(["c"], null) : page(["a", "b"], "two")),
    );
    const program = `print(next(client.iter_templates({"language": "en_US"}))["name"])
print([one["name"] for one in client.iter_templates()])
print([one["name"] for one in client.list_templates()])
async def main():
    async with s.AsyncSwitchboard("a", "b", **options) as client:
        print([one["name"] async for one in client.iter_templates()])
asyncio.run(main())`;
    const all = "['a', 'b', 'c']";
    expect((await python(url, program)).split("\n")).toEqual(["a", all, all, all]);
    expect(seen.map(({ url }) => url.includes("cursor=two"))).toEqual([
      false,
      ...[1, 2, 3].flatMap(() => [false, true]),
    ]);
    expect(seen[0]?.url).toContain("language=en_US");
  });
});
