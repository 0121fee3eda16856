import net from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Canaries, startCanaries } from "../../support/canaries";
import { type DnsServer, named, startDnsServer } from "../../support/dns-server";
import { startInstance, testServers } from "../../support/environment";
import { expectNothingBound, PHONE } from "../../support/sends";
import { bodyOf, imageHeader, templateRecord } from "../../support/template-records";
import { type Answer, provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const PICTURE = templateRecord("picture", [imageHeader, bodyOf("Look")]);
const PUBLIC = "1.2.3.4";
const LOOPBACKS = ["127.0.0.1", "127.0.0.2", "127.1.2.3", "::1"];

let canaries: Canaries;
let dns: DnsServer;
let instance: Awaited<ReturnType<typeof startInstance>>;
let workspace: TestWorkspace;

beforeAll(async () => {
  canaries = await startCanaries(LOOPBACKS.flatMap((host) => [80, 443, 0].map((port) => [host, port] as const)));
  dns = await startDnsServer();
  instance = await startInstance(
    {
      NODE_OPTIONS: `--require ${path.resolve("tests/support/own-resolver.cjs")}`,
      TEST_DNS_SERVER: dns.address,
      PUBLIC_API_IP_RATE_LIMIT: "100000",
      PUBLIC_API_KEY_RATE_LIMIT: "100000",
    },
    "API",
  );
  workspace = await provisionWorkspace({ templates: [PICTURE] });
});
afterAll(async () => {
  await instance.stop();
  await dns.stop();
  await canaries.stop();
});

const fetchLink = (link: string): Promise<Answer> =>
  workspace.at(instance.baseUrl).send({
    type: "template",
    phone: PHONE,
    templateName: "picture",
    templateVariables: { header_link: link },
  });

const redirectTo = (link: string) => `${testServers().mediaUrl}/redirect?to=${encodeURIComponent(link)}`;

/** Loopback, private and reserved addresses, and their other spellings. */
const HOSTS = [
  "127.0.0.1 127.0.0.2 127.1.2.3 127.1 127.0.1 0 0.0.0.0 2130706433 127.0.0.1.",
  "0x7f000001 0x7f.1 017700000001 0177.0.0.1 0177.0.1",
  "①②⑦.0.0.1 127。0。0。1 １２７.0.0.1 %31%32%37.0.0.1",
  "[::1] [::] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:0:127.0.0.1]",
  "[64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::1]",
  "[fe80::1] [fc00::1] [fd00:ec2::254] [fec0::1] [ff02::1] [100::1] [5f00::1]",
  "10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 169.254.169.254 192.0.0.192 198.18.0.1",
  "224.0.0.1 255.255.255.255 240.0.0.1",
  "localhost LOCALHOST localhost. ip6-localhost",
].flatMap((hosts) => hosts.split(" "));

const NAMES: [title: string, answers: string][] = [
  ["a name of loopback", "127.0.0.1"],
  ["a name of IPv6 loopback", "::1"],
  ["a name of mapped loopback", "::ffff:127.0.0.1"],
  ["a name of a private network", "10.0.0.1"],
  ["a name of a cloud's metadata", "169.254.169.254"],
  ["a name of nothing in particular", "0.0.0.0"],
  ["a name of NAT64 loopback", "64:ff9b::7f00:1"],
  ["a public address and loopback behind it", `${PUBLIC},127.0.0.1`],
  ["loopback and a public address behind it", `127.0.0.1,${PUBLIC}`],
  ["a public address and IPv6 loopback", `${PUBLIC},::1`],
  ["an IPv6 address alone, of loopback in a public prefix", "2002:7f00:1::"],
];

const hostile = () => [
  ...HOSTS.map((host) => `http://${host}/a.png`),
  ...NAMES.map(([, answers]) => `http://${named(answers)}/a.png`),
  ...NAMES.map(([, answers]) => `https://${named(answers)}/a.png`),
  ...NAMES.map(([, answers]) => `http://alias.${named(answers)}/a.png`),
  ...canaries.places.flatMap((place) => [`http://${place}/a.png`, `https://${place}/a.png`]),
  "file:///etc/passwd",
  "ftp://127.0.0.1/a",
  "gopher://127.0.0.1:80/_GET",
  "data:image/png;base64,AAAA",
  "http://user@127.0.0.1/",
  "http://1.2.3.4@127.0.0.1/",
  "http://127.0.0.1#@1.2.3.4/",
  "http://127.0.0.1\\@1.2.3.4/",
  "//127.0.0.1/a.png",
  "http:127.0.0.1/a.png",
  "http:\\\\127.0.0.1\\a.png",
  "http://127.0.0.1:80:80/",
  "unix:/tmp/x",
];

const expectRefused = (answer: Answer, link: string) => {
  expect([answer.status, answer.body.error], `${link} ${answer.text}`).toEqual([400, "VALIDATION_ERROR"]);
  expect(answer.body.details.field, link).toBe("templateVariables.header_link");
  expect(answer.text.replaceAll(link, ""), link).not.toMatch(/ECONNREFUSED|EHOSTUNREACH|SocketError/);
};

const inTurns = async <T>(items: readonly T[], width: number, work: (item: T) => Promise<void>) => {
  const left = [...items];
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
};

describe("400, and no connection to anything but public addresses", () => {
  test("the canaries notice each connection", async () => {
    for (const place of canaries.places) {
      const port = Number(place.slice(place.lastIndexOf(":") + 1));
      const host = place.slice(0, place.lastIndexOf(":")).replace(/[[\]]/g, "");
      await new Promise((resolve) => net.connect({ host, port }).on("close", resolve).on("error", resolve));
    }
    expect(canaries.heard.splice(0)).toEqual(canaries.places);
    console.log(`canaries at ${canaries.places.join(", ")}`);
  });

  test("the links themselves", async () => {
    const links = hostile();
    expect(new Set(links).size).toBeGreaterThanOrEqual(60);
    await inTurns(links, 8, async (link) => expectRefused(await fetchLink(link), link));
    console.log(`${links.length} hostile links, ${canaries.heard.length} connections`);
    expect(canaries.heard).toEqual([]);
  });

  test("the same behind a redirect of a host that is trusted, and behind two", async () => {
    for (const behind of [redirectTo, (link: string) => redirectTo(redirectTo(link))]) {
      // A Location header holds ASCII alone, and there `http:` without slashes is a path of the same host.
      const links = hostile().filter((link) => /^[\x20-\x7e]+$/.test(link) && !/^http:[^/\\]/.test(link));
      await inTurns(links, 8, async (link) => {
        const answer = await fetchLink(behind(link));
        expect([answer.status, answer.body.error], `${link} ${answer.text}`).toEqual([400, "VALIDATION_ERROR"]);
      });
    }
    expect(canaries.heard).toEqual([]);
  });

  test("names that are public when they are looked up first, and private ever after", async () => {
    const rebinding = ["127.0.0.1", "::1", "127.0.0.2", "169.254.169.254"].map((then, i) =>
      ["http", "https"].map((scheme) => `${scheme}://${named(`${PUBLIC}|${then}`)}/${i}.png`),
    );
    let refusedAsPrivate = 0;
    await inTurns(rebinding.flat(), 8, async (link) => {
      for (let again = 0; again < 3; again++) {
        const answer = await fetchLink(`${link}?${again}`);
        expect([answer.status, answer.body.error], answer.text).toEqual([400, "VALIDATION_ERROR"]);
        if (answer.body.message.includes("does not lead to a public internet address")) refusedAsPrivate++;
      }
    });
    // A connection to the public address may live on, where there is one; a new connection looks the name up again.
    expect(refusedAsPrivate).toBeGreaterThan(0);
    await inTurns(rebinding.flat(), 8, async (link) => {
      expect((await fetchLink(redirectTo(`${link}?later`))).status).toBe(400);
    });
    expect(canaries.heard).toEqual([]);
  });

  test("nothing of all that was bound or sent", () => expectNothingBound(workspace));
});
