import { describe, expect, test } from "vitest";
import { readRetryAfterMs, retryDelayMs } from "../../clients/typescript/src/retry-delay";
import { callPython, PYTHON, PYTHON_SOURCE, pythonTitle, runPython } from "../support/python";
import { webhookVectors } from "../support/webhook-vectors";

/** Runs lines of Python with the client, which must end well. */
const python = async (...lines: string[]): Promise<string> => {
  const program = ["import switchboard_client as s", ...lines].join("\n");
  const { exitCode, stdout, stderr } = await runPython(["-W", "error", "-c", program], {
    env: { PYTHONPATH: PYTHON_SOURCE },
  });
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout.trim();
};

describe.skipIf(!PYTHON)(pythonTitle("the client in Python"), () => {
  test("verifies webhooks as the client in TypeScript does, from text and from bytes", async () => {
    const vectors = webhookVectors();
    const given = [...vectors, ...vectors.map((vector) => ({ ...vector, isBytes: true }))];
    const verified = await callPython<unknown[]>("verify_webhooks.py", given);
    expect(verified).toEqual(
      given.map(({ fault, body }) =>
        fault === null ? { event: JSON.parse(body) } : { fault, message: expect.any(String) },
      ),
    );
  });

  test("compares whole seconds, as the client in TypeScript does", async () => {
    const [{ body, headers, secret } = { body: "", headers: {} as Record<string, string>, secret: "" }] =
      webhookVectors();
    const signedAt = Number(headers["webhook-timestamp"]);
    const vectors = [-300.001, -300, 300, 300.999, 301].map((offset) => ({
      body,
      headers,
      secret,
      now: signedAt + offset,
    }));
    const verified = await callPython<object[]>("verify_webhooks.py", vectors);
    expect(verified.map((one) => "event" in one)).toEqual([false, true, true, true, false]);
  });

  test("takes header values as lists, and names a secret that the environment does not hold", async () => {
    const [{ body, headers, secret } = { body: "", headers: {}, secret: "" }] = webhookVectors();
    const listed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    const vectors = [
      { body, headers: listed, secret },
      { body, headers, secret: null },
    ];
    expect(await callPython("verify_webhooks.py", vectors)).toEqual([
      { event: JSON.parse(body) },
      { fault: "secret", message: expect.stringMatching(/^The secret is missing: /) },
    ]);
  });

  test("waits before a retry as the client in TypeScript does", async () => {
    const now = Date.parse("2026-11-23T12:00:00Z");
    const delays = [0, 1, 2, 5, 40].flatMap((retry) =>
      [0, 7].flatMap((asked) => [
        [retry, asked, 0],
        [retry, asked, 0.9],
      ]),
    );
    const headers = ["7", "0.5", "Mon, 23 Nov 2026 12:00:05 GMT", "Mon, 23 Nov 2026 11:00:00 GMT", "soon", "", null];
    const read = await callPython<object>("retry_delays.py", { delays, headers, now: now / 1_000 });
    expect(read).toEqual({
      delays: delays.map(([retry = 0, asked = 0, number = 0]) =>
        expect.closeTo(retryDelayMs(retry, asked * 1_000, () => number) / 1_000, 6),
      ),
      headers: headers.map((header) => {
        const ms = readRetryAfterMs(header, now);
        return ms === undefined ? null : ms / 1_000;
      }),
    });
  });

  test("goes on with a wait where a read failed for a reason that passes", async () => {
    const lines = [
      "import types, switchboard_client.client as module",
      "clock = [0.0]",
      "module.time = types.SimpleNamespace(monotonic=lambda: clock[0], sleep=lambda s: clock.__setitem__(0, clock[0] + s))",
      "limited = s.RateLimitExceededError('No.', code='RATE_LIMIT_EXCEEDED', status=429, details={'retryable': True})",
      "replies = [limited, s.NoResponseError('No.'), {'status': 'UNKNOWN'}, {'status': 'FAILED'}]",
      "client = s.Switchboard('a', 'b')",
      "def read(_):",
      "    reply = replies.pop(0)",
      "    if isinstance(reply, Exception): raise reply",
      "    return reply",
      "client.get_message = read",
      "seen = []",
      "print(client.wait_for('msg_1', on_message=lambda message: seen.append(clock[0])), seen)",
    ];
    expect(await python(...lines)).toBe("{'status': 'FAILED'} [3.0, 5.0]");
  });

  test("resolves every annotation, and exports every name that it lists", async () => {
    const lines = [
      "import typing",
      "names = [getattr(s, name) for name in s.__all__]",
      "models = [one for one in names if isinstance(one, type) and hasattr(one, '__total__')]",
      "print(len([typing.get_type_hints(one) for one in models]) > 15, len(set(s.__all__)) == len(s.__all__))",
    ];
    expect(await python(...lines)).toBe("True True");
  });

  test("has errors that survive a task queue, which pickles them", async () => {
    const error =
      "s.ValidationError('No.', code='VALIDATION_ERROR', status=400, details={}, idempotency_key='order-1')";
    const lines = [
      "import pickle",
      `copy = pickle.loads(pickle.dumps(${error}))`,
      "print(type(copy).__name__, copy, copy.code, copy.status, copy.idempotency_key)",
    ];
    expect(await python(...lines)).toBe("ValidationError No. VALIDATION_ERROR 400 order-1");
  });

  test("does not show its secret where it is logged, and refuses a broken one without quoting it", async () => {
    const lines = [
      "client = s.Switchboard('pk_test_a', 'sk_test_a')",
      "print(repr(client), client._settings)",
      "try: s.Switchboard('pk_test_a', 'sk_test_a ')",
      "except ValueError as error: print(error)",
      "try: s.Switchboard('a', 'b', origin='messages.example.com')",
      "except ValueError as error: print(error)",
    ];
    const printed = await python(...lines);
    expect(printed).not.toContain("sk_test_a");
    expect(printed).toMatch(/api_secret is required: [\s\S]*origin must be the gateway's address/);
  });
});
