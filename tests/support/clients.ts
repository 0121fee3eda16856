import {
  type Message,
  type SendRequest,
  Switchboard,
  SwitchboardError,
  type Template,
  type TemplateFilter,
} from "../../clients/typescript/src/switchboard";
import { callPython, PYTHON } from "./python";

/** An error of a client, with the same names whichever the language. */
export type ClientFailure = {
  name: string;
  message: string;
  code: string | undefined;
  status: number | undefined;
  idempotencyKey: string | undefined;
  details: Record<string, unknown> | undefined;
  outcome?: "not_sent" | "unknown";
};

export type ClientSettings = {
  origin: string;
  apiKey: string;
  apiSecret: string;
  maxRetries?: number;
  timeoutSeconds?: number;
  deadlineSeconds?: number;
};

/** One of our clients, as a test of both calls it. Each method rejects with a `ClientFailure`. */
export type TestedClient = {
  send: (settings: ClientSettings, request: SendRequest, idempotencyKey?: string) => Promise<Message>;
  getMessage: (settings: ClientSettings, id: string) => Promise<Message>;
  listTemplates: (settings: ClientSettings, filter?: TemplateFilter) => Promise<Template[]>;
  /** The message at the end, and each status that was read. */
  waitFor: (
    settings: ClientSettings,
    id: string,
    options: { until: "SENT" | "DELIVERED" | "READ"; timeoutSeconds: number },
  ) => Promise<{ message: Message; seen: string[] }>;
};

const ofTypeScript = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof SwitchboardError)) throw error;
    const { name, message, idempotencyKey } = error;
    throw { code: undefined, status: undefined, details: undefined, ...error, name, message, idempotencyKey };
  }
};

const typescript: TestedClient = {
  send: (settings, request, idempotencyKey) =>
    ofTypeScript(() => new Switchboard(settings).send(request, { idempotencyKey })),
  getMessage: (settings, id) => ofTypeScript(() => new Switchboard(settings).getMessage(id)),
  listTemplates: (settings, filter) => ofTypeScript(() => new Switchboard(settings).listTemplates(filter)),
  waitFor: (settings, id, options) =>
    ofTypeScript(async () => {
      const seen: string[] = [];
      const onMessage = ({ status }: Message) => void seen.push(status);
      return { message: await new Switchboard(settings).waitFor(id, { ...options, onMessage }), seen };
    }),
};

type PythonAnswer = { data?: unknown; seen?: string[]; error?: Record<string, unknown> };

const callOfPython = async (
  isAsync: boolean,
  settings: ClientSettings,
  method: string,
  args: unknown[],
  options: object = {},
) => {
  const { apiKey, apiSecret, maxRetries, timeoutSeconds, deadlineSeconds, origin } = settings;
  const answer = await callPython<PythonAnswer>("call_client.py", {
    client: {
      api_key: apiKey,
      api_secret: apiSecret,
      origin,
      ...(timeoutSeconds === undefined ? {} : { timeout_seconds: timeoutSeconds }),
      ...(deadlineSeconds === undefined ? {} : { deadline_seconds: deadlineSeconds }),
      ...(maxRetries === undefined ? {} : { max_retries: maxRetries }),
    },
    isAsync,
    method,
    args,
    options,
  });
  if (!answer.error) return answer;
  const { idempotency_key: idempotencyKey, status, ...error } = answer.error;
  // Python's None is JSON's null.
  throw {
    code: undefined,
    details: undefined,
    ...error,
    status: status ?? undefined,
    idempotencyKey: idempotencyKey ?? undefined,
  };
};

const pythonClient = (isAsync: boolean): TestedClient => {
  const ofPython = callOfPython.bind(undefined, isAsync);
  return {
    send: async (settings, request, idempotencyKey) =>
      (await ofPython(settings, "send", [request], { idempotency_key: idempotencyKey })).data as Message,
    getMessage: async (settings, id) => (await ofPython(settings, "get_message", [id])).data as Message,
    listTemplates: async (settings, filter = {}) =>
      (await ofPython(settings, "list_templates", [filter])).data as Template[],
    waitFor: async (settings, id, { until, timeoutSeconds }) => {
      const answer = await ofPython(settings, "wait_for", [id], { until, timeout_seconds: timeoutSeconds });
      return { message: answer.data as Message, seen: answer.seen ?? [] };
    },
  };
};

const skipped = PYTHON ? "" : " (skipped: no python3 of 3.9 or newer)";

/** Every client; without Python its tests are skipped, and their title says so. */
export const TESTED_CLIENTS: { name: string; client: TestedClient; isSkipped: boolean }[] = [
  { name: "TypeScript", client: typescript, isSkipped: false },
  { name: `Python${skipped}`, client: pythonClient(false), isSkipped: !PYTHON },
  { name: `Python for asyncio${skipped}`, client: pythonClient(true), isSkipped: !PYTHON },
];

export const failureOf = async (call: Promise<unknown>): Promise<ClientFailure> => {
  try {
    await call;
  } catch (error) {
    return error as ClientFailure;
  }
  throw new Error("The call was expected to fail.");
};
