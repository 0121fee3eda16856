import { expect, test } from "vitest";
import { startOwnServer } from "../../support/own-server";
import { request } from "../../support/workspace";

test.each(["1", "2"])(
  "with %s workers, what ready says of the pages is what a page's visitor gets, from the first second",
  async (WORKERS) => {
    const { baseUrl } = await startOwnServer({ WORKERS }, ["-H", "127.0.0.1"]);
    const get = (path: string) =>
      request("GET", `${baseUrl}${path}`).then(
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
