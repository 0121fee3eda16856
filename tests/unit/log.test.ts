import { expect, test } from "vitest";
import { pathForLog } from "@/lib/log";

test.each([
  ["/api/v1/public/messages/msg_01kabc1234567890defghjkm", "/api/v1/public/messages/msg_01kabc1234567890defghjkm"],
  ["/api/v1/public/messages/sk_live_abcDEF123", "/api/v1/public/messages/sk_live_…"],
  ["/api/v1/public/messages/447700900123", "/api/v1/public/messages/…"],
  ["/api/v1/public/messages/%2B447700900123/x", "/api/v1/public/messages/…/x"],
  ["/api/v1/public/messages/+447700900123?phone=447700900123", "/api/v1/public/messages/…"],
])("a path in the log keeps ids and shows no secret and no number: %s", (path, shown) => {
  expect(pathForLog(`http://localhost:3000${path}`)).toBe(shown);
});

test("a path in the log has an end", () => {
  expect(pathForLog(`http://localhost:3000/${"x".repeat(5_000)}`).length).toBe(200);
});
