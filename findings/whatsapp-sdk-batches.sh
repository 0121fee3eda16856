#!/usr/bin/env bash
# WhatsApp may put many messages and statuses into one webhook, and does under load. An SDK that receives webhooks handles the first of
# each and answers 200 for all, so WhatsApp does not repeat the rest: they are lost without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact whatsapp-api-js@6.3.0 >/dev/null
cat >receive.mjs <<'JS'
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { WhatsAppAPI } from "whatsapp-api-js/middleware/node-http";

const appSecret = "an app secret";
const api = new WhatsAppAPI({ token: "a token", appSecret, v: "v24.0" });
const handled = [];
api.on.message = ({ message }) => void handled.push(message.id);
api.on.status = ({ id, status }) => void handled.push(`${id} ${status}`);
const server = createServer(async (request, response) => {
  response.statusCode = await api.handle_post(request);
  response.end();
}).listen(0, "127.0.0.1");
await once(server, "listening");

const [phone, timestamp] = ["447700900003", "1764331200"];
const message = (n) => ({ from: phone, id: `wamid.${n}`, timestamp, type: "text", text: { body: `text ${n}` } });
const status = (n) => ({ id: `wamid.${n}`, status: "delivered", timestamp, recipient_id: phone });
for (const [kind, value] of [
  ["messages", { contacts: [{ wa_id: phone, profile: { name: "Anna" } }], messages: [1, 2, 3].map(message) }],
  ["statuses", { statuses: [4, 5, 6].map(status) }],
]) {
  handled.length = 0;
  const metadata = { display_phone_number: "15550000001", phone_number_id: "2" };
  const change = { field: "messages", value: { messaging_product: "whatsapp", metadata, ...value } };
  const body = JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "1", changes: [change] }] });
  const signature = `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
  const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
  const answer = await fetch(`http://127.0.0.1:${server.address().port}`, { method: "POST", headers, body });
  console.log(`3 ${kind}: answered ${answer.status}, handled ${handled.join(", ")}`);
}
server.close();
JS
echo "whatsapp-api-js $(node -p 'JSON.parse(require("fs").readFileSync("node_modules/whatsapp-api-js/package.json")).version')"
seen="$(node receive.mjs)"
echo "$seen"
[ "$seen" = "3 messages: answered 200, handled wamid.1
3 statuses: answered 200, handled wamid.4 delivered" ] || { echo "The behaviour has changed." >&2; exit 1; }
