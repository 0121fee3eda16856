#!/usr/bin/env bash
# A password is checked by `transporter.verify()`, its documentation says: connection, TLS and sign-in. Where the server's EHLO offers
# no AUTH, as before STARTTLS or on port 25, nodemailer leaves the sign-in out: verify() is true for any password, and so is sendMail().
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund nodemailer@10.6.0 smtp-server@3.21.6 >/dev/null
cat >check.mjs <<'JS'
import { readFileSync } from "node:fs";
import nodemailer from "nodemailer";
import { SMTPServer } from "smtp-server";

const { version } = JSON.parse(readFileSync("node_modules/nodemailer/package.json", "utf8"));

/** What verify() and sendMail() say of a wrong password, and how often the server was asked to check it. */
async function tryWith(options) {
  let signIns = 0;
  const server = new SMTPServer({
    authOptional: true,
    onAuth(_, __, answer) {
      signIns += 1;
      answer(Object.assign(new Error("Wrong password"), { responseCode: 535 }));
    },
    onData(stream, _, answer) {
      stream.resume().on("end", () => answer());
    },
    ...options,
  });
  server.on("error", () => {});
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `smtp://shop:wrong@127.0.0.1:${server.server.address().port}`;
  const transport = nodemailer.createTransport({ url });
  const mail = { from: "shop@example.test", to: "ana@example.test", text: "Hi" };
  const outcome = async (work) => work.then(() => "accepted", (error) => `${error.responseCode} ${error.command}`);
  const said = [await outcome(transport.verify()), await outcome(transport.sendMail(mail))];
  await new Promise((resolve) => server.close(resolve));
  return { verify: said[0], sendMail: said[1], signIns };
}

const offered = await tryWith({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true });
const notOffered = await tryWith({ disabledCommands: ["STARTTLS", "AUTH"] });
console.log(`nodemailer ${version}, a wrong password`);
console.log("AUTH offered:    ", JSON.stringify(offered));
console.log("AUTH not offered:", JSON.stringify(notOffered));
const expected = [
  { verify: "535 AUTH PLAIN", sendMail: "535 AUTH PLAIN", signIns: 2 },
  { verify: "accepted", sendMail: "accepted", signIns: 0 },
];
if (JSON.stringify([offered, notOffered]) !== JSON.stringify(expected)) {
  console.error("It behaves otherwise now.");
  process.exit(1);
}
JS
node check.mjs
