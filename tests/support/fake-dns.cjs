// Loaded into a server of the tests before its own code: names below .dns.test answer what they themselves spell, in
// hexadecimal and over several labels: `1.2.3.4|127.0.0.1,::1` is first one address, and two from the next lookup on.
const dns = require("node:dns");
const { syncBuiltinESMExports } = require("node:module");

const SUFFIX = ".dns.test";
const lookups = new Map();
const { lookup } = dns;

dns.lookup = (hostname, options, callback) => {
  if (!hostname.endsWith(SUFFIX)) return lookup(hostname, options, callback);
  const text = Buffer.from(hostname.slice(0, -SUFFIX.length).replaceAll(".", ""), "hex").toString();
  const answers = text.split("|");
  const earlier = lookups.get(hostname) ?? 0;
  lookups.set(hostname, earlier + 1);
  const list = answers[Math.min(earlier, answers.length - 1)]
    .split(",")
    .map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const settings = typeof options === "object" ? options : {};
  const done = typeof options === "function" ? options : callback;
  setImmediate(() => (settings.all ? done(null, list) : done(null, list[0].address, list[0].family)));
};
syncBuiltinESMExports();
