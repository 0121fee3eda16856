import { request } from "undici";
import { quantile } from "../faults/fault";
import { cookiesOf, submitSignIn } from "../support/session";
import type { Loads } from "./loads";
import { middleBy } from "./measure-scenario";
import { SEND_TEXT, type Target } from "./scenarios";

const ROUNDS = 3;
const SENDS_PER_SECOND = 50;
const SECONDS = 5;
const NEWLINE = 10;

export type BesidePages = {
  /** Of sends, in milliseconds, in the middle round by their ratio. */
  alone: number;
  beside: number;
  ratio: number;
  /** Over all rounds. */
  overviews: number;
  exportedRows: number;
};

type Visitor = { baseUrl: string; cookie: string; workspaceId: string };

/** Signs the owner in as the sign-in page does. */
export const signInOwner = async (baseUrl: string, sign: { email: string; password: string }): Promise<string> => {
  const answer = await submitSignIn(sign, { baseUrl });
  if (answer.status !== 200) throw new Error(`the owner could not sign in: ${answer.status} ${answer.text}`);
  return cookiesOf(answer.headers);
};

/** The p99 of one workspace's sends, alone and while another's member loads the Overview and exports its messages. */
export const measureBesidePages = async (loads: Loads, ours: Target, visitor: Visitor): Promise<BesidePages> => {
  const p99 = async () => {
    const { times } = await loads.run(SEND_TEXT, ours, { calls: SENDS_PER_SECOND * SECONDS, rate: SENDS_PER_SECOND });
    return quantile(times, 0.99);
  };
  const rounds: { alone: number; beside: number }[] = [];
  const seen = { overviews: 0, exportedRows: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await p99();
    const isOver = new AbortController();
    const visits = [loadOverviews(visitor, isOver.signal), exportMessages(visitor, isOver.signal)] as const;
    const beside = await Promise.race([p99(), ...visits.map(failing)]);
    isOver.abort();
    const [overviews, rows] = await Promise.all(visits);
    seen.overviews += overviews;
    seen.exportedRows += rows;
    rounds.push({ alone, beside });
  }
  const middle = middleBy(rounds, ({ alone, beside }) => beside / alone);
  return { ...middle, ...seen, ratio: middle.beside / middle.alone };
};

/** Never resolves, and rejects as `work` does. */
const failing = (work: Promise<unknown>) => work.then(() => new Promise<never>(() => {}));

/** One whole page after the other; returns how many there were. */
const loadOverviews = async ({ baseUrl, cookie }: Visitor, signal: AbortSignal): Promise<number> => {
  for (let count = 0; ; count++) {
    if (signal.aborted) return count;
    const { statusCode, body } = await request(`${baseUrl}/dashboard?mode=live`, { headers: { cookie } });
    await body.text();
    if (statusCode !== 200) throw new Error(`the Overview was ${statusCode}`);
  }
};

/** Exports all messages, again from the start where that ends early; returns how many rows came. */
const exportMessages = async ({ baseUrl, cookie, workspaceId }: Visitor, signal: AbortSignal): Promise<number> => {
  let rows = 0;
  while (!signal.aborted) {
    const { statusCode, body } = await request(
      `${baseUrl}/api/v1/workspaces/${workspaceId}/messages/export?mode=live`,
      {
        headers: { cookie },
      },
    );
    if (statusCode !== 200) throw new Error(`the export was ${statusCode}: ${await body.text()}`);
    for await (const chunk of body) {
      rows += countLines(chunk);
      // Leaving the loop closes the connection.
      if (signal.aborted) break;
    }
  }
  return rows;
};

const countLines = (chunk: Buffer): number => {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
};
