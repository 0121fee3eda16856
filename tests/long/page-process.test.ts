import { describe, test } from "vitest";
import { expectPagesBack, pagesOf, startInspected, stopInspectedServers } from "../support/page-process";

stopInspectedServers();

// tests/api/server/two-processes.test.ts has one that is killed.
describe("while sends go on, none fails and the pages are back, where the page process", () => {
  test.each([
    ["runs out of memory", "const kept = []; for (;;) kept.push(new Array(1e5).fill(1.5));"],
    ["never comes to an end", "for (;;);"],
  ])("%s", { timeout: 120_000 }, async (_, code) => {
    const instance = await startInspected();
    await expectPagesBack(instance, async () => {
      const inspector = await instance.open(pagesOf(instance));
      await inspector.evaluate(code, { isAwaited: false });
    });
  });
});
