// The floor of the benchmark: the same calls in bare Node with the fewest round trips that keep their meaning, without
// checks, a request log, contacts or a state machine. Prints its address when it listens.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import postgres from "postgres";
import { Agent, request as httpRequest } from "undici";

const { DATABASE_URL, WHATSAPP_GRAPH_URL, APP_SECRET } = process.env;
const sql = postgres(DATABASE_URL, { max: 10, onnotice: () => {} });
// Between two rounds a socket idles for seconds; WhatsApp closes it after five.
const platform = new Agent({ keepAliveTimeout: 1_000 });
const sha256 = (text) => createHash("sha256").update(text).digest();

const PATHS = { templates: "/api/v1/public/templates", webhooks: "/api/webhooks" };
const LIMITS = new Map([["pk_refused", 1]]);
const RANKS = { sent: 2, delivered: 4, read: 5 };

await sql.unsafe(`
  create schema floor;
  create table floor.keys (api_key text primary key, secret_hash bytea not null, workspace_id text not null);
  create table floor.usage (workspace_id text primary key, used int not null);
  create table floor.templates (workspace_id text, id text, name text, language text, category text, status text,
    components json, primary key (workspace_id, name, language));
  create table floor.messages (
    workspace_id text, id text, phone text, status int not null, wamid text, request text, idempotency_key text,
    sent_at timestamptz, delivered_at timestamptz, read_at timestamptz, created_at timestamptz default now(),
    primary key (workspace_id, id));
  create index messages_wamid on floor.messages (wamid);
  create unique index messages_idempotency_key on floor.messages (workspace_id, idempotency_key);
  insert into floor.keys values ('pk_floor', sha256('sk_floor'), 'ws'), ('pk_refused', sha256('sk_refused'), 'ws');
  insert into floor.usage values ('ws', 0);
`);

const authenticate = async ({ apikey, apisecret }) => {
  const [key] = await sql`select workspace_id, secret_hash from floor.keys where api_key = ${apikey ?? ""}`;
  return key && timingSafeEqual(key.secret_hash, sha256(apisecret ?? "")) ? key.workspace_id : undefined;
};

const used = new Map();
const refused = new Set();

/** A counter in memory. Who is over the limit was proven once and is refused without a statement. */
const admit = async (headers) => {
  const pair = `${headers.apikey} ${headers.apisecret}`;
  if (refused.has(pair)) return { code: 429 };
  const workspaceId = await authenticate(headers);
  if (!workspaceId) return { code: 401 };
  const count = (used.get(headers.apikey) ?? 0) + 1;
  used.set(headers.apikey, count);
  if (count <= (LIMITS.get(headers.apikey) ?? Number.POSITIVE_INFINITY)) return { workspaceId };
  refused.add(pair);
  return { code: 429 };
};

/** Reads the template and fills its places. */
const fill = async (workspaceId, { templateName: name, templateLanguage: language, templateVariables: values }) => {
  const [template] = await sql`
    select components from floor.templates
    where workspace_id = ${workspaceId} and name = ${name} and language = ${language}`;
  const parameters = (text) =>
    [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, key]) => ({ type: "text", text: values[key] }));
  const components = template.components.flatMap(({ type, text, buttons = [] }) => [
    ...(text ? [{ type: type.toLowerCase(), parameters: parameters(text) }] : []),
    ...buttons.flatMap(({ url }, index) =>
      url ? [{ type: "button", sub_type: "url", index: `${index}`, parameters: parameters(url) }] : [],
    ),
  ]);
  return { type: "template", template: { name, language: { code: language }, components } };
};

const send = async (workspaceId, text, key = null) => {
  const request = JSON.parse(text);
  const id = `msg_${Date.now().toString(36)}${randomBytes(10).toString("hex")}`;
  const content =
    request.type === "template" ? await fill(workspaceId, request) : { type: "text", text: { body: request.content } };
  const [earlier] = await sql`
    with earlier as (
      select id, wamid from floor.messages where workspace_id = ${workspaceId} and idempotency_key = ${key}
    ), unit as (
      update floor.usage set used = used + 1 where workspace_id = ${workspaceId} and not exists (select from earlier)
      returning 1
    ), made as (
      insert into floor.messages (workspace_id, id, phone, status, request, idempotency_key)
      select ${workspaceId}, ${id}, ${request.phone}, 0, ${text}, ${key} from unit
    )
    select * from earlier`;
  if (earlier) return [200, { success: true, data: { id: earlier.id, chatMessageId: earlier.wamid } }];
  const { body } = await httpRequest(`${WHATSAPP_GRAPH_URL}/v25.0/1055/messages`, {
    dispatcher: platform,
    method: "POST",
    headers: { authorization: "Bearer token", "content-type": "application/json" },
    body: JSON.stringify({
      messaging_product: "whatsapp",
      to: `+${request.phone}`,
      ...content,
      biz_opaque_callback_data: id,
    }),
  });
  const { messages } = await body.json();
  await sql`
    update floor.messages set status = 2, wamid = ${messages[0].id}, sent_at = now()
    where workspace_id = ${workspaceId} and id = ${id}`;
  return [201, { success: true, data: { id, status: "SENT", chatMessageId: messages[0].id } }];
};

const status = async (workspaceId, id) => {
  const [message] = await sql`select * from floor.messages where workspace_id = ${workspaceId} and id = ${id}`;
  return message ? [200, { success: true, data: message }] : [404, {}];
};

const templates = async (workspaceId) => {
  const rows = await sql`
    select id, name, language, category, status, components from floor.templates
    where workspace_id = ${workspaceId} order by name, language`;
  return [200, { success: true, data: { templates: rows } }];
};

const webhook = async (text, signature) => {
  const expected = `sha256=${createHmac("sha256", APP_SECRET).update(text).digest("hex")}`;
  if (signature !== expected) return [401, {}];
  const statuses = JSON.parse(text).entry.flatMap((entry) => entry.changes.flatMap((change) => change.value.statuses));
  await sql`
    update floor.messages m set status = greatest(m.status, locked.rank),
      delivered_at = case locked.rank when 4 then least(m.delivered_at, locked.at) else m.delivered_at end,
      read_at = case locked.rank when 5 then least(m.read_at, locked.at) else m.read_at end
    from (
      select workspace_id, id, rank, to_timestamp(seconds) as at
      from unnest(
        ${statuses.map(({ id }) => id)}::text[], ${statuses.map((one) => RANKS[one.status])}::int[],
        ${statuses.map(({ timestamp }) => Number(timestamp))}::int[]
      ) as news (wamid, rank, seconds)
      join floor.messages using (wamid)
      order by workspace_id, id for update of messages
    ) locked
    where m.workspace_id = locked.workspace_id and m.id = locked.id`;
  return [200, {}];
};

const route = async ({ method, url, headers }, text) => {
  if (url.startsWith(PATHS.webhooks)) return webhook(text, headers["x-hub-signature-256"]);
  const { workspaceId, code } = await admit(headers);
  if (!workspaceId) return [code, {}];
  if (method === "POST") return send(workspaceId, text, headers["idempotency-key"]);
  return url === PATHS.templates ? templates(workspaceId) : status(workspaceId, url.split("/").at(-1));
};

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", async () => {
    const [code, body] = await route(request, Buffer.concat(chunks).toString("utf8"));
    response.writeHead(code, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
