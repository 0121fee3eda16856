import { describe, expect, test } from "vitest";
import { testServers } from "../../support/environment";
import { request } from "../../support/workspace";

// The client itself is tested in tests/api/clients.

describe("200", () => {
  test("/docs/client.ts is the package's client in one file, with this deployment's address", async () => {
    const { status, headers, text } = await request("GET", `${testServers().baseUrl}/docs/client.ts`);
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(text).toContain(`const DEFAULT_ORIGIN = "${testServers().baseUrl}";`);
    expect(text).toContain("export class Switchboard {");
  });
});
