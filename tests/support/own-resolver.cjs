// Loaded into a server of the tests before its own code: it asks the DNS server at TEST_DNS_SERVER. The operating system's
// own look-up cannot be pointed there, so below .test it does what a silent DNS makes of it: it holds one of libuv's
// four threads, by opening a pipe that nobody writes to, and then fails.
const { execFileSync } = require("node:child_process");
const dns = require("node:dns");
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const os = require("node:os");
const path = require("node:path");

const HELD_MS = 20_000;
const { lookup } = dns;

const asking = (Resolver) =>
  class extends Resolver {
    constructor(options) {
      super(options);
      this.setServers([process.env.TEST_DNS_SERVER]);
    }
  };
dns.Resolver = asking(dns.Resolver);
dns.promises.Resolver = asking(dns.promises.Resolver);

const held = new Set();
const release = (pipe) => fs.closeSync(fs.openSync(pipe, fs.constants.O_RDWR));
// A process waits for its threads before it ends.
process.on("exit", () => {
  for (const pipe of held) release(pipe);
});

let pipes = 0;
dns.lookup = (hostname, options, callback) => {
  if (!/\.test$/.test(hostname)) return lookup(hostname, options, callback);
  const done = typeof options === "function" ? options : callback;
  const pipe = path.join(os.tmpdir(), `silent-dns-${process.pid}-${pipes++}`);
  execFileSync("mkfifo", [pipe]);
  held.add(pipe);
  setTimeout(release, HELD_MS, pipe);
  fs.open(pipe, "r", (_error, file) => {
    held.delete(pipe);
    fs.closeSync(file);
    fs.unlinkSync(pipe);
    done(Object.assign(new Error(`getaddrinfo EAI_AGAIN ${hostname}`), { code: "EAI_AGAIN", hostname }));
  });
};
syncBuiltinESMExports();
