import { expect, test } from "vitest";
import { callbackPath, HOME_PATH } from "@/lib/auth/own-origin";

const APP_URL = "https://messages.example.com";

test("a path or an address of this host is kept whole", () => {
  expect(callbackPath("/dashboard/messages?older=1#a", APP_URL)).toBe("/dashboard/messages?older=1#a");
  expect(callbackPath(`${APP_URL}/dashboard/templates`, APP_URL)).toBe("/dashboard/templates");
});

test.each([
  undefined,
  "",
  "https://evil.example/dashboard",
  "//evil.example/dashboard",
  "/\\evil.example",
  "\\\\evil.example",
  `${APP_URL}//evil.example`,
  `${APP_URL}@evil.example/`,
  "https://messages.example.com.evil.example/",
  "http://messages.example.com/dashboard",
  "javascript:alert(1)",
  "data:text/html,x",
  "https://",
])("%s leads to the dashboard", (wanted) => {
  expect(callbackPath(wanted, APP_URL)).toBe(HOME_PATH);
});
