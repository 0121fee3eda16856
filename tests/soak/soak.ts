// `npm test -- soak --minutes 20`: a quiet tenant sends at an even pace while hostile neighbours keep up every attack
// of neighbours.ts, in turn with stretches in which it is alone. Fails where a send of the quiet tenant is refused, its
// p99 beside the neighbours is more than twice its p99 alone, or the server's memory keeps growing. `--attack TEXT` keeps
// up only the attacks whose names hold that text.
import { spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { quantile } from "../faults/fault";
import { startDnsServer } from "../support/dns-server";
import { startEnvironment, startInstance } from "../support/environment";
import { openDescriptors, residentMebibytes } from "../support/process-memory";
import { bodyOf, buttonsOf, imageHeader, templateRecord } from "../support/template-records";
import { provisionWorkspace, scriptPlatform, type TestWorkspace } from "../support/workspace";
import type { HostileOrder, HostileReport } from "./neighbours";
import type { QuietOrder, QuietReport } from "./quiet-tenant";
import type { Tenant } from "./tenant";

const ALONE_SECONDS = 60;
const BESIDE_SECONDS = 180;
const PER_SECOND = 5;
const MAX_RATIO = 2;
const MAX_GROWTH_MEBIBYTES = 64;
const MAX_MORE_DESCRIPTORS = 20;
const SAMPLE_EVERY_MS = 5_000;
const LOWEST_PRIORITY = 19;
/** Longer than any bound on a body, a link or a call to WhatsApp. */
const SETTLE_MS = 20_000;

const { values: options } = parseArgs({
  options: { minutes: { type: "string", default: "20" }, attack: { type: "string", default: "" } },
});
const rounds = Math.max(1, Math.round((Number(options.minutes) * 60) / (ALONE_SECONDS + BESIDE_SECONDS)));

const stop = await startEnvironment();
const dns = await startDnsServer();
const failures: string[] = [];
try {
  const instance = await startInstance({
    PUBLIC_API_KEY_RATE_LIMIT: "1000000",
    NODE_OPTIONS: `--require ${path.resolve("tests/support/own-resolver.cjs")}`,
    TEST_DNS_SERVER: dns.address,
  });
  const { TEST_SERVERS = "{}" } = process.env;
  const { mediaUrl }: { mediaUrl: string } = JSON.parse(TEST_SERVERS);
  const [quiet, slow, link] = await Promise.all([
    provisionWorkspace(),
    provisionWorkspace(),
    provisionWorkspace({ templates: [hostileCarousel()] }),
  ]);
  const base = { baseUrl: instance.baseUrl };
  const quietFor = (seconds: number) =>
    runChild<QuietOrder, QuietReport>("quiet-tenant.ts", {
      ...base,
      tenant: tenantOf(quiet),
      seconds,
      perSecond: PER_SECOND,
    });
  await quietFor(10);

  const alone: number[] = [];
  const beside: number[] = [];
  const memory: number[] = [];
  const descriptors: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const calm = await quietFor(ALONE_SECONDS);
    // At the end of a calm stretch nothing of the last attacks should be left.
    descriptors.push(openDescriptors(instance.pid) ?? 0);
    await scriptPlatform(slow.whatsappPhoneNumberId, "messages", Array(1_000).fill({ delayMs: 9_000 }));
    const samples: number[] = [];
    const timer = setInterval(() => samples.push(residentMebibytes(instance.pid) ?? Number.NaN), SAMPLE_EVERY_MS);
    const [storm, hostile] = await Promise.all([
      quietFor(BESIDE_SECONDS),
      runChild<HostileOrder, HostileReport>("neighbours.ts", {
        ...base,
        mediaUrl,
        seconds: BESIDE_SECONDS,
        attack: options.attack,
        slowTenant: tenantOf(slow),
        linkTenant: tenantOf(link),
      }),
    ]);
    clearInterval(timer);
    alone.push(...calm.times);
    beside.push(...storm.times);
    memory.push(quantile(samples, 0.5));
    for (const refusal of [...calm.refusals, ...storm.refusals].slice(0, 5)) failures.push(`quiet tenant: ${refusal}`);
    console.log(`round ${round} of ${rounds}`);
    console.log(
      `  alone ${inWords(calm.times)}; beside ${inWords(storm.times)}; memory ${memory.at(-1)?.toFixed(0)} MiB`,
    );
    for (const [name, counts] of Object.entries(hostile)) console.log(`  ${name}: ${JSON.stringify(counts)}`);
  }

  const ratio = quantile(beside, 0.99) / quantile(alone, 0.99);
  const growth = (memory.at(-1) ?? 0) - (memory[0] ?? 0);
  console.log(`\nalone ${inWords(alone)}\nbeside ${inWords(beside)}\np99 ratio ${ratio.toFixed(2)}`);
  console.log(`memory by round, MiB: ${memory.map((value) => value.toFixed(0)).join(", ")}`);
  if (ratio > MAX_RATIO) failures.push(`the quiet tenant's p99 grew by ${ratio.toFixed(2)}, the most is ${MAX_RATIO}`);
  if (growth > MAX_GROWTH_MEBIBYTES) failures.push(`memory grew by ${growth.toFixed(0)} MiB`);
  await sleep(SETTLE_MS);
  descriptors.push(openDescriptors(instance.pid) ?? 0);
  console.log(`open files and sockets after each calm stretch: ${descriptors.join(", ")}`);
  const more = (descriptors.at(-1) ?? 0) - (descriptors[0] ?? 0);
  if (more > MAX_MORE_DESCRIPTORS) failures.push(`${more} more files and sockets are open than at the beginning`);
  await instance.stop();
} finally {
  await dns.stop();
  await stop();
}
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${failures.length === 0 ? "ok" : "FAILED"}, ${rounds} rounds`);
process.exit(failures.length === 0 ? 0 : 1);

function tenantOf({ apiKey, apiSecret, whatsappPhoneNumberId, owner }: TestWorkspace): Tenant {
  return { apiKey, apiSecret, whatsappPhoneNumberId, email: owner.email };
}

/** Runs a file of this folder at the lowest priority: what is measured is the server, not the race for its processor. */
async function runChild<Order, Report>(file: string, order: Order): Promise<Report> {
  const child = spawn(process.execPath, ["--import", "tsx", path.join(import.meta.dirname, file)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (child.pid && file === "neighbours.ts") os.setPriority(child.pid, LOWEST_PRIORITY);
  child.stdin.end(JSON.stringify(order));
  return JSON.parse(await text(child.stdout));
}

function inWords(times: number[]): string {
  return `p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms (${times.length} sends)`;
}

/** Ten cards with a picture each, so that one send looks for ten links. */
function hostileCarousel() {
  const buttons = buttonsOf({ type: "QUICK_REPLY", text: "Stop" });
  const card = { components: [imageHeader, bodyOf("A card"), buttons] };
  const components = [bodyOf("Look"), { type: "CAROUSEL", cards: Array(10).fill(card) }];
  return templateRecord("hostile_carousel", components, { category: "MARKETING" });
}
