import { describe, expect, test } from "vitest";
import { type Refused, refusedBy } from "@/lib/mail/refusal";

/** As servers in use reply, by their own documentation or source. */
const REPLIES: [refused: Refused, command: string, response: string][] = [
  ["recipient", "RCPT TO", "550 No such mailbox"],
  [
    "recipient",
    "RCPT TO",
    "550 5.1.1 <ana@example.test>: Recipient address rejected: User unknown in local recipient table",
  ],
  ["recipient", "RCPT TO", "550-5.1.1 The email account that you tried to reach does not exist."],
  ["recipient", "RCPT TO", "550 5.4.1 Recipient address rejected: Access denied."],
  ["recipient", "RCPT TO", "550 5.5.0 Requested action not taken: mailbox unavailable"],
  ["recipient", "RCPT TO", "552 5.2.2 <ana@example.test>: Mailbox full"],
  ["recipient", "RCPT TO", "550 5.1.1 <sender@relay.example>: Recipient address rejected"],
  ["recipient", "DATA", "550 5.1.1 <ana@example.test> User doesn't exist"],
  ["us", "RCPT TO", "554 5.7.1 <ana@example.test>: Relay access denied"],
  ["us", "RCPT TO", "550 relay not permitted"],
  ["us", "RCPT TO", "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
  ["us", "RCPT TO", "530 5.7.0 Must issue a STARTTLS command first"],
  ["us", "RCPT TO", "553 5.7.1 <a@example.test>: Sender address rejected: not owned by user shop"],
  ["us", "RCPT TO", "550 5.1.0 <a@example.test>: Sender address rejected: User unknown in virtual mailbox table"],
  ["us", "RCPT TO", "554 Transaction failed"],
  ["us", "MAIL FROM", "550 5.1.1 Unknown sender"],
  ["us", "MAIL FROM", "530 Authentication required"],
  ["us", "AUTH PLAIN", "535 5.7.8 Error: authentication failed"],
  ["us", "CONN", "554 No SMTP service here"],
  ["us", "EHLO", "550 Access denied - Invalid HELO name"],
  ["us", "DATA", "554 5.7.1 Message rejected as spam"],
  ["us", "DATA", "552 5.3.4 Message size exceeds fixed limit"],
  ["none", "RCPT TO", "450 4.2.0 <ana@example.test>: Recipient address rejected: Greylisted"],
  ["none", "AUTH PLAIN", "454 4.7.0 Temporary authentication failure"],
  ["none", "CONN", "421 Too many connections"],
];

describe("a refusal", () => {
  test.each(REPLIES)("of %s: %s, %s", (refused, command, response) => {
    expect(refusedBy({ code: "EENVELOPE", command, response, responseCode: Number(response.slice(0, 3)) })).toBe(
      refused,
    );
  });

  test.each([
    ["us", { code: "ESOCKET", originalCode: "DEPTH_ZERO_SELF_SIGNED_CERT" }],
    ["us", { code: "ESOCKET", originalCode: "ERR_TLS_CERT_ALTNAME_INVALID" }],
    ["us", { code: "ESOCKET", originalCode: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" }],
    ["us", { code: "ETLS", command: "STARTTLS" }],
    ["us", { code: "EAUTH", command: "API" }],
    ["none", { code: "ESOCKET", originalCode: "ECONNREFUSED" }],
    ["none", { code: "ETIMEDOUT", command: "CONN" }],
    ["none", { code: "EDNS", originalCode: "ENOTFOUND" }],
  ])("of %s: %j", (refused, error) => {
    expect(refusedBy(error)).toBe(refused);
  });
});
