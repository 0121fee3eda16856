// The floor of the benchmark: the same three calls in bare Node with the fewest round trips that keep their meaning,
// without limits, idempotency, checks or a state machine. Prints its address when it listens.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import postgres from "postgres";
import { Agent, request as httpRequest } from "undici";

const { DATABASE_URL, WHATSAPP_GRAPH_URL, APP_SECRET } = process.env;
const sql = postgres(DATABASE_URL, { max: 10, onnotice: () => {} });
// Between two rounds a socket idles for seconds; the platform closes it after five.
const platform = new Agent({ keepAliveTimeout: 1_000 });
const sha256 = (text) => createHash("sha256").update(text).digest();

await sql.unsafe(`
  create schema if not exists floor;
  create table if not exists floor.keys (api_key text primary key, secret_hash bytea not null, workspace_id text not null);
  create table if not exists floor.usage (workspace_id text primary key, used int not null);
  create table if not exists floor.messages (
    workspace_id text, id text, phone text, status int not null, wamid text, request text,
    sent_at timestamptz, delivered_at timestamptz, created_at timestamptz default now(), primary key (workspace_id, id));
  create index if not exists messages_wamid on floor.messages (wamid);
  insert into floor.keys values ('pk_floor', sha256('sk_floor'), 'ws') on conflict do nothing;
  insert into floor.usage values ('ws', 0) on conflict do nothing;
`);

const authenticate = async ({ apikey, apisecret }) => {
  const [key] = await sql`select workspace_id, secret_hash from floor.keys where api_key = ${apikey ?? ""}`;
  return key && timingSafeEqual(key.secret_hash, sha256(apisecret ?? "")) ? key.workspace_id : undefined;
};

const send = async (workspaceId, text) => {
  const { phone, content } = JSON.parse(text);
  const id = `msg_${Date.now().toString(36)}${randomBytes(10).toString("hex")}`;
  await sql`
    with unit as (update floor.usage set used = used + 1 where workspace_id = ${workspaceId} returning 1)
    insert into floor.messages (workspace_id, id, phone, status, request) select ${workspaceId}, ${id}, ${phone}, 0, ${text} from unit`;
  const { body } = await httpRequest(`${WHATSAPP_GRAPH_URL}/v25.0/1055/messages`, {
    dispatcher: platform,
    method: "POST",
    headers: { authorization: "Bearer token", "content-type": "application/json" },
    body: JSON.stringify({
      messaging_product: "whatsapp",
      to: `+${phone}`,
      type: "text",
      text: { body: content },
      biz_opaque_callback_data: id,
    }),
  });
  const { messages } = await body.json();
  await sql`update floor.messages set status = 2, wamid = ${messages[0].id}, sent_at = now() where workspace_id = ${workspaceId} and id = ${id}`;
  return [201, { success: true, data: { id, status: "SENT", chatMessageId: messages[0].id } }];
};

const status = async (workspaceId, id) => {
  const [message] = await sql`select * from floor.messages where workspace_id = ${workspaceId} and id = ${id}`;
  return message ? [200, { success: true, data: message }] : [404, {}];
};

const webhook = async (text, signature) => {
  const expected = `sha256=${createHmac("sha256", APP_SECRET).update(text).digest("hex")}`;
  if (signature !== expected) return [401, {}];
  const statuses = JSON.parse(text).entry.flatMap((entry) => entry.changes.flatMap((change) => change.value.statuses));
  await sql`
    update floor.messages m set status = greatest(status, 4), delivered_at = least(delivered_at, now())
    from (
      select workspace_id, id from floor.messages where wamid = any(${statuses.map(({ id }) => id)})
      order by workspace_id, id for update
    ) locked
    where m.workspace_id = locked.workspace_id and m.id = locked.id`;
  return [200, {}];
};

const route = async ({ method, url, headers }, text) => {
  if (url.startsWith("/api/webhooks")) return webhook(text, headers["x-hub-signature-256"]);
  const workspaceId = await authenticate(headers);
  if (!workspaceId) return [401, {}];
  return method === "POST" ? send(workspaceId, text) : status(workspaceId, url.split("/").at(-1));
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
