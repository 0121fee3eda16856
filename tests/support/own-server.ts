import { onTestFinished } from "vitest";
import { freePort } from "../../scripts/ports.mjs";
import { SERVER } from "../../scripts/server-process.mjs";
import { type Environment, serverEnvironment, startProgram } from "./programs";

/** A program that is killed at the end of its test. */
export function startOwnProgram(...given: Parameters<typeof startProgram>) {
  const program = startProgram(...given);
  onTestFinished(async () => {
    program.signal("SIGKILL");
    await program.exited;
  });
  return program;
}

/** A server of its own for a test, over the run's database: it starts, and is not ready yet. */
export async function startOwnServer(changes: Environment = {}, args: string[] = [], options: string[] = []) {
  const port = await freePort();
  const env = serverEnvironment({ PORT: `${port}`, ...changes });
  return { ...startOwnProgram([...options, ...SERVER, ...args], env), port, baseUrl: `http://127.0.0.1:${port}` };
}
