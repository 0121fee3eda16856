import fc from "fast-check";
import { expect, test } from "vitest";
import { describeFaultsOf, expectOneKey, expectSentOnce, scene, TEXT } from "../../support/client-faults";
import { TESTED_CLIENTS } from "../../support/clients";
import { PROXY_FAULTS } from "../../support/fault-proxy";

const [typescript] = TESTED_CLIENTS;
if (!typescript) throw new Error("no client in TypeScript");

// The same for the client in Python: tests/long/client-faults.test.ts.
describeFaultsOf(typescript);

test("no order of faults makes the client in TypeScript send twice", async () => {
  const orders = fc.sample(fc.array(fc.constantFrom(...PROXY_FAULTS), { minLength: 1, maxLength: 3 }), 8);
  await Promise.all(
    orders.map(async (faults) => {
      const { workspace, proxy, settings } = await scene();
      proxy.next(...faults);
      const message = await typescript.client.send({ ...settings, timeoutSeconds: 3 }, TEXT);
      expect(message.status, faults.join()).toBe("SENT");
      expectOneKey(proxy, faults.length + 1);
      await expectSentOnce(workspace);
    }),
  );
});
