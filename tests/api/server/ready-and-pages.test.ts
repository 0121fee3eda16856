import { afterEach, expect, test } from "vitest";
import { freePort } from "../../../scripts/ports.mjs";
import { SERVER } from "../../../scripts/server-process.mjs";
import { type Program, serverEnvironment, startProgram } from "../../support/programs";
import { request } from "../../support/workspace";

const running: Program[] = [];
afterEach(async () => {
  for (const program of running.splice(0)) {
    program.signal("SIGKILL");
    await program.exited;
  }
});

test.each(["1", "2"])(
  "with %s workers, what ready says of the pages is what a page's visitor gets, from the first second",
  async (WORKERS) => {
    const port = await freePort();
    const server = startProgram([...SERVER, "-H", "127.0.0.1"], serverEnvironment({ PORT: `${port}`, WORKERS }));
    running.push(server);
    const get = (path: string) =>
      request("GET", `http://127.0.0.1:${port}${path}`).then(
        ({ status, body }) => ({ status, body }),
        () => undefined,
      );
    const pagesState = async () => Reflect.get((await get("/api/health/ready"))?.body ?? {}, "pages");
    const seen = new Set<string>();
    for (let afterReady = 0; afterReady < 40; ) {
      const before = await pagesState();
      const page = await get("/docs");
      if (before !== undefined && page && before === (await pagesState())) seen.add(`${before} ${page.status}`);
      if (page && page.status !== 503) afterReady += 1;
    }
    expect([...seen].toSorted()).toEqual(["ok 200", "starting 503"]);
  },
);
