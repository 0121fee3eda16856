import { describe, expect } from "vitest";
import { type RefusedSend, refusesSends } from "../../support/refused-sends";
import {
  expectError,
  expectInvalid,
  expectNothingBound,
  expectSent,
  listContacts,
  PHONE,
  sentBodies,
  wire,
} from "../../support/sends";
import { test } from "../../support/test";
import { provisionWorkspace } from "../../support/workspace";

const text = (more: object) => ({ type: "text", content: "Hello", ...more });
const HELLO = { type: "text", text: { preview_url: false, body: "Hello" } };
const ADA = { ref: "ada", phone: PHONE };

describe("201", () => {
  test("a phone goes out as plus sign and digits, however it is written", async ({ workspace }) => {
    // As typed, and as a chat copies it: between bidirectional marks, with a hyphen and a space that do not break.
    for (const phone of ["(+44) 7700.900-123", "\u202a+44 7700\u2011900\u00a0123\u202c"]) {
      const answer = await workspace.send(text({ phone }));
      expectSent(answer);
      expect((await sentBodies(workspace)).at(-1)).toBe(wire(answer, HELLO));
    }
    expect(await listContacts(workspace)).toEqual([{ id: expect.stringMatching(/^ct_/), phone: PHONE }]);
  });

  test("a send by contactId goes to the contact's number", async () => {
    const workspace = await provisionWorkspace({ contacts: [ADA] });
    const answer = await workspace.send(text({ contactId: workspace.contacts.ada }));
    expectSent(answer);
    expect(await sentBodies(workspace)).toEqual([wire(answer, HELLO)]);
  });

  test("phone and contactId of one contact agree, however the number is written", async () => {
    const workspace = await provisionWorkspace({ contacts: [ADA] });
    const answer = await workspace.send(text({ phone: "+44 7700 900123", contactId: workspace.contacts.ada }));
    expectSent(answer);
    expect(await listContacts(workspace)).toEqual([{ id: workspace.contacts.ada, phone: PHONE }]);
  });

  test("a known number keeps its contact, a new one gets one, which then works as contactId", async () => {
    const workspace = await provisionWorkspace({ contacts: [ADA] });
    expectSent(await workspace.send(text({ phone: PHONE })));
    expectSent(await workspace.send(text({ phone: "447700900124" })));
    const [ada, other, ...more] = await listContacts(workspace);
    expect([ada?.id, more]).toEqual([workspace.contacts.ada, []]);
    const answer = await workspace.send(text({ contactId: other?.id }));
    expectSent(answer);
    expect((await sentBodies(workspace)).at(-1)).toBe(wire(answer, HELLO, "447700900124"));
  });

  test("20 first messages to one new number at once make one contact, and all leave", async ({ workspace }) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => workspace.send(text({ phone: PHONE }))));
    answers.forEach(expectSent);
    expect(await listContacts(workspace)).toHaveLength(1);
    expect(await sentBodies(workspace)).toHaveLength(20);
  });
});

describe("400", () => {
  refusesSends(
    [
      ["00447700900123", "Send the country code first: 447700900123"],
      [447700900123, 'must be a string of digits: "447700900123"'],
      [["447700900123"], "must be a string"],
    ].map(
      ([phone, message]): RefusedSend => [`phone ${JSON.stringify(phone)}`, text({ phone }), { phone: `${message}` }],
    ),
  );

  test("phone of one contact and contactId of another disagree", async () => {
    const workspace = await provisionWorkspace({ contacts: [ADA] });
    const answer = await workspace.send(text({ phone: "447700900999", contactId: workspace.contacts.ada }));
    expectInvalid(answer, { phone: "contactId" });
    await expectNothingBound(workspace);
    expect(await listContacts(workspace)).toHaveLength(1);
  });
});

describe("404", () => {
  test("an unknown contact and another workspace's answer alike, and nothing leaves", async () => {
    const [workspace, other] = await Promise.all([provisionWorkspace(), provisionWorkspace({ contacts: [ADA] })]);
    const foreign = other.contacts.ada ?? "";
    for (const contactId of ["ct_unknown", foreign]) {
      const answer = await workspace.send(text({ contactId }));
      expectError(answer, {
        status: 404,
        error: "NOT_FOUND",
        message: expect.stringContaining(`No contact "${contactId}" in this workspace.`),
        details: { field: "contactId", retryable: false },
      });
    }
    await expectNothingBound(workspace);
    await expectNothingBound(other);
  });
});
