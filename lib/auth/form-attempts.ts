import { asAttempt } from "./attempts";

/** What a stranger may try, and how often from one address in 15 minutes. */
const MOST = { signUp: 10, setUp: 30, invitation: 60, passwordReset: 60 } as const;

/** Runs `work` as one attempt of the address, and throws 429 where there were too many. */
export async function countedForm<T>(kind: keyof typeof MOST, address: string, work: () => Promise<T>): Promise<T> {
  const windows = [{ id: `${kind}:ip:${address}`, limit: MOST[kind] }];
  const refusal = (minutes: number) => `Too many attempts. Try again in ${minutes} min.`;
  return (await asAttempt({ windows, scope: kind, refusal }, work)).result;
}
