import { describe, expect, test } from "vitest";
import { readSignUpMessage } from "@/lib/whatsapp/sign-up-message";

const META = "https://www.facebook.com";
const IDS = { waba_id: "1020304050", phone_number_id: "2020304050", business_id: "3020304050" };
const message = (event: string, data: unknown = IDS) =>
  JSON.stringify({ type: "WA_EMBEDDED_SIGNUP", event, data, version: 3 });

test.each([META, "https://web.facebook.com"])("Meta's window at %s names the account and the number", (origin) => {
  expect(readSignUpMessage(origin, message("FINISH"))).toEqual({
    outcome: "finished",
    whatsappBusinessAccountId: "1020304050",
    whatsappPhoneNumberId: "2020304050",
  });
});

test.each([
  "https://www.facebook.com.evil.example",
  "https://evilfacebook.com",
  "https://evil.example/https://www.facebook.com",
  "https://www.facebook.com@evil.example",
  "https://www.facebook.com:8443",
  "http://www.facebook.com",
  "https://m.facebook.com",
  "https://facebook.com",
  "https://WWW.FACEBOOK.COM",
  "null",
  "",
])("a window of any other origin says nothing: %j", (origin) => {
  expect(readSignUpMessage(origin, message("FINISH"))).toBeUndefined();
});

test.each([
  ["other text of Meta's script", "cb=f1&origin=https%3A%2F%2Fmessages.example.com"],
  ["JSON that was cut off", message("FINISH").slice(0, -3)],
  ["another type", message("FINISH").replace("WA_EMBEDDED_SIGNUP", "OTHER")],
  ["an unknown event", message("STEP")],
  ["a value that is no text", { type: "WA_EMBEDDED_SIGNUP", event: "FINISH", data: IDS }],
  ["null", "null"],
  ["an array", "[]"],
  ["no event", '{"type":"WA_EMBEDDED_SIGNUP"}'],
  ["too much", message("FINISH", { ...IDS, more: "x".repeat(20_000) })],
])("what is not its message is ignored: %s", (_, data) => {
  expect(readSignUpMessage(META, data)).toBeUndefined();
});

describe("an end without a number is said in plain words", () => {
  const saidOf = (event: string, data?: unknown) => {
    const read = readSignUpMessage(META, message(event, data));
    return read?.outcome === "stopped" ? read.message : undefined;
  };

  test.each([
    ["FINISH_ONLY_WABA", { waba_id: "1020304050" }],
    ["FINISH", { ...IDS, phone_number_id: "../me" }],
    ["FINISH", { ...IDS, waba_id: { toString: "1020304050" } }],
    ["FINISH", null],
  ])("%s with %j", (event, data) => {
    expect(saidOf(event, data)).toMatch(/ended without a phone number/);
  });

  test("a closed window, and an error in Meta's words", () => {
    expect(saidOf("CANCEL", { current_step: "PHONE_NUMBER_SETUP" })).toMatch(/closed before it was finished/);
    expect(saidOf("CANCEL", { error_message: "The number is in use" })).toContain("Meta said: The number is in use. N");
    expect(saidOf("ERROR", { error_message: "y".repeat(5_000) })?.length).toBeLessThan(500);
    expect(saidOf("ERROR")).toMatch(/ended with an error/);
  });
});
