// The platform of the benchmark: accepts every send at once. Prints its address when it listens.
import { createServer } from "node:http";

let accepted = 0;

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    accepted += 1;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      `{"messaging_product":"whatsapp","contacts":[{"input":"+447700900123","wa_id":"447700900123"}],"messages":[{"id":"wamid.${process.pid}.${accepted}"}]}`,
    );
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
