// WhatsApp of the benchmark: accepts every send at once. Prints its address when it listens.
import { createServer } from "node:http";

const TO = /"to":"\+?(\d+)"/;
let accepted = 0;

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    accepted += 1;
    // Another number than the one that was asked for would be learned as the contact's second.
    const recipient = TO.exec(body)?.[1] ?? "447700900123";
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      `{"messaging_product":"whatsapp","contacts":[{"input":"${recipient}","wa_id":"${recipient}"}],"messages":[{"id":"wamid.HBgMNDQ3NzAwOTAwMTIzFQIAERgSOUE${String(process.pid * 1e9 + accepted).padStart(16, "0")}AA=="}]}`,
    );
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
