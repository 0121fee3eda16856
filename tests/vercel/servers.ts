import { freePort } from "../../scripts/ports.mjs";
import { startEnvironment, testServers } from "../support/environment";
import { buildOutput } from "./build-output";
import { startRunner } from "./runner";

/** The world of the API tests, in which the build of Vercel answers instead of our server. */
export default async (): Promise<() => Promise<void>> => {
  const stop = await startEnvironment();
  const servers = testServers();
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const environment = { ...servers.environment, APP_URL: baseUrl };
  const build = buildOutput();
  const runner = await startRunner(build, { port, environment: { PATH: process.env.PATH, ...environment } });
  for (const [name, bytes] of Object.entries(runner.bytes)) console.log(`${name}: ${(bytes / 1e6).toFixed(1)} MB`);
  process.env.TEST_SERVERS = JSON.stringify({ ...servers, baseUrl, environment, build: build.root });
  return async () => {
    runner.stop();
    await stop();
  };
};
