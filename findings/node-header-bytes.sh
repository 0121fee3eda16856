#!/usr/bin/env bash
# One name in a response header of a Node server arrives in one of four forms: Content-Disposition is damaged before it leaves
# if the whole body is known, and any header is UTF-8 or Latin-1 depending on whether that body is a string or a Buffer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact node@24.11.1 >/dev/null
cat >serve.mjs <<'JS'
import http from "node:http";
import net from "node:net";

const answers = {
  "string body": (response) => response.end("x"),
  "Buffer body": (response) => response.end(Buffer.from("x")),
  "streamed body": (response) => response.write("x") && response.end(),
};
for (const header of ["Content-Disposition", "X-Name"]) {
  for (const [body, answer] of Object.entries(answers)) {
    const server = http.createServer((_, response) => answer(response.setHeader(header, 'attachment; filename="März"')));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const bytes = await new Promise((resolve) => {
      const chunks = [];
      const socket = net.connect(server.address().port, "127.0.0.1");
      socket.on("data", (chunk) => chunks.push(chunk)).on("end", () => resolve(Buffer.concat(chunks).toString("latin1")));
      socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    });
    const letter = /filename="M(.*?)rz"/.exec(bytes)[1];
    console.log(`${header}, ${body}: ${Buffer.from(letter, "latin1").toString("hex")}`);
    server.close();
  }
}
JS
echo "node $(./node_modules/.bin/node --version), the bytes that arrive for ä (Latin-1 e4, UTF-8 c3a4):"
seen="$(./node_modules/.bin/node serve.mjs)"
echo "$seen"
[ "$seen" = "Content-Disposition, string body: efbfbd
Content-Disposition, Buffer body: fd
Content-Disposition, streamed body: e4
X-Name, string body: c3a4
X-Name, Buffer body: e4
X-Name, streamed body: e4" ] || { echo "The behaviour has changed." >&2; exit 1; }
