import { isIPv4 } from "node:net";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { expect, test } from "vitest";
import { IS_PROVEN, PROOF } from "@/lib/api-keys/authenticate";
import { hashSecret } from "@/lib/api-keys/key-pair";
import { sql } from "../../support/rows";

type Asked = {
  secret?: string | null;
  previous?: string | null;
  hash?: string;
  formerHash?: string | null;
  ip?: string | null;
  ranges?: string[];
};

/** What the database finds of each call and its key. */
const judged = (asked: Asked[]) => sql<{ isProven: boolean | null; isUnderFormerPepper: boolean; isWithin: boolean }[]>`
  select ${sql.unsafe(IS_PROVEN)} as "isProven", ${sql.unsafe(PROOF)}
  from (
    select place, ip, decode(hash, 'hex') as hash, decode("formerHash", 'hex') as former_hash,
      decode(secret, 'hex') as secret, decode(previous, 'hex') as previous, ranges
    from rows from (json_to_recordset(${JSON.stringify(asked)}::text::json) as
      (secret text, previous text, hash text, "formerHash" text, ip text, ranges jsonb)) with ordinality
      as given (secret, previous, hash, "formerHash", ip, ranges, place)
  ) as call cross join lateral (
    select true as "isUsable", secret as "secretHash", previous as "previousSecretHash",
      case when ranges is null then '{}' else jsonb_build_object('ipRanges', ranges) end as limits
  ) as key order by call.place`;

test("a secret is proven if one of its hashes is one of the key's two, and an absent hash is no secret's", async () => {
  const secrets = ["one", "two", ""].map((secret) => Buffer.from(hashSecret(secret, "pepper")).toString("hex"));
  const hash = fc.constantFrom(...secrets, "00", "");
  const absent = fc.option(hash, { nil: null });
  const asked = fc.sample(fc.record({ secret: hash, previous: absent, hash, formerHash: absent }), 500);
  expect(await judged(asked)).toEqual(
    asked.map(({ secret, previous, hash: given, formerHash }) => {
      const own = [secret, ...(previous === null ? [] : [previous])];
      const isUnderFormerPepper = formerHash !== null && own.includes(formerHash);
      const isProven = own.includes(given) || isUnderFormerPepper;
      return { isProven: isProven ? true : expect.not.toSatisfy(Boolean), isUnderFormerPepper, isWithin: true };
    }),
  );
});

/** As `callerIp` returns it: IPv4 in IPv6 as IPv4. */
const v6 = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => ipaddr.fromByteArray([...bytes]).toString());
const caller = fc.oneof(fc.ipV4(), v6).map((ip) => ipaddr.process(ip).toString());
const range = fc.tuple(caller, fc.nat(128)).map(([ip, bits]) => {
  const length = isIPv4(ip) ? bits % 33 : bits;
  return `${(isIPv4(ip) ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(`${ip}/${length}`)}/${length}`;
});

const bitsOf = (ip: string): string =>
  ipaddr
    .parse(ip)
    .toByteArray()
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("");

function isIn(ip: string, text: string): boolean {
  const [network = "", length] = text.split("/");
  return isIPv4(ip) === isIPv4(network) && bitsOf(ip).startsWith(bitsOf(network).slice(0, Number(length)));
}

test("a range has exactly the addresses of its family that begin with its bits; an unknown address is in none", async () => {
  const near = fc.constantFrom("203.0.113.7", "203.0.113.0", "2001:db8::1", "0.0.0.0", "::");
  const nearRange = fc.constantFrom("203.0.113.0/24", "203.0.113.7/32", "2001:db8::/32", "0.0.0.0/0", "::/0");
  const ranges = fc.array(fc.oneof(range, nearRange), { minLength: 1, maxLength: 4 });
  const asked = fc.sample(fc.record({ ip: fc.option(fc.oneof(caller, near), { nil: null }), ranges }), 2_000);
  const found = await judged([...asked, { ip: null }]);
  const expected = asked.map(({ ip, ranges: given }) => ip !== null && given.some((text) => isIn(ip, text)));
  expect(found.map(({ isWithin }) => isWithin)).toEqual([...expected, true]);
});
