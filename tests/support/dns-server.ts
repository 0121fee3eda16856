import { createSocket } from "node:dgram";
import { once } from "node:events";
import ipaddr from "ipaddr.js";

const SPELLED = ".dns.test";
const SILENT = ".silent.test";
const TYPE = { A: 1, CNAME: 5, AAAA: 28 } as const;
const HEADER_BYTES = 12;
const OK = 0x8180;
const NO_SUCH_NAME = 0x8183;

export type DnsServer = {
  /** As `Resolver.setServers` takes it. */
  address: string;
  /** The names that were asked for, once for each question. */
  asked: string[];
  stop: () => Promise<void>;
};

/** A name that the DNS server answers as `answers` say: `1.2.3.4|127.0.0.1,::1` is one address first, then always two. */
export const named = (answers: string): string => {
  const labels =
    Buffer.from(answers)
      .toString("hex")
      .match(/.{1,60}/g) ?? [];
  return `${labels.join(".")}${SPELLED}`;
};

/** A name for which no answer ever comes. */
export const silentName = (label: string): string => `${label}${SILENT}`;

/**
 * A DNS server on loopback, over UDP: names made by `named` have the addresses that they spell, behind an alias (CNAME)
 * where they begin with `alias.`; those of `silentName` get no answer, and all others do not exist.
 */
export const startDnsServer = async (): Promise<DnsServer> => {
  const asked: string[] = [];
  const rounds = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    if (name.endsWith(SILENT)) return;
    const round = rounds.get(`${name} ${type}`) ?? 0;
    rounds.set(`${name} ${type}`, round + 1);
    const question = query.subarray(HEADER_BYTES, end);
    socket.send(writeAnswer(query.readUInt16BE(0), question, recordsOf(name, type, round)), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
};

type DnsRecord = { owner: string; type: number; data: Buffer };

/** Undefined where there is no such name. */
const recordsOf = (asked: string, type: number, round: number): DnsRecord[] | undefined => {
  if (!asked.endsWith(SPELLED)) return undefined;
  const owner = asked.replace(/^alias\./, "");
  const alias = owner === asked ? [] : [{ owner: asked, type: TYPE.CNAME, data: nameBytes(owner) }];
  const text = Buffer.from(owner.slice(0, -SPELLED.length).replaceAll(".", ""), "hex").toString();
  const answers = text.split("|");
  const addresses = (answers[Math.min(round, answers.length - 1)] ?? "")
    .split(",")
    .filter((address) => (address.includes(":") ? TYPE.AAAA : TYPE.A) === type)
    .map((address) => ({ owner, type, data: Buffer.from(ipaddr.parse(address).toByteArray()) }));
  return [...alias, ...addresses];
};

const readQuestion = (query: Buffer) => {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
};

const writeAnswer = (id: number, question: Buffer, records: DnsRecord[] | undefined): Buffer => {
  const numbers = [id, records ? OK : NO_SUCH_NAME, 1, records?.length ?? 0, 0, 0];
  const body = (records ?? []).flatMap(({ owner, type, data }) => [
    nameBytes(owner),
    // Type, class IN, a lifetime of 0 s, and the length of what follows.
    ...[type, 1, 0, 0, data.length].map(twoBytes),
    data,
  ]);
  return Buffer.concat([...numbers.map(twoBytes), question, ...body]);
};

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, "latin1")])),
    Buffer.from([0]),
  ]);

const twoBytes = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
