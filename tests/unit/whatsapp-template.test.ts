import { describe, expect, test } from "vitest";
import { readGivenTemplate, readTemplate } from "@/lib/whatsapp/business-account";

const RECORD = {
  id: "5900010001",
  name: "order_ready",
  language: "en_US",
  status: "APPROVED",
  category: "UTILITY",
  components: [{ type: "BODY", text: "Hi" }],
};

describe("a record of WhatsApp's template list", () => {
  test("is read in our words, with WhatsApp's defaults", () => {
    expect(readTemplate(RECORD)).toEqual({
      ...RECORD,
      parameterFormat: "POSITIONAL",
      qualityScore: null,
      rejectedReason: null,
    });
  });

  test("may hold new fields, new words, and an empty reason or score", () => {
    const record = {
      ...RECORD,
      id: 5900010001,
      status: "A_NEW_STATUS",
      a_new_field: {},
      parameter_format: "NAMED",
      quality_score: { score: "GREEN", date: 1 },
      rejected_reason: "NONE",
    };
    expect(readTemplate(record)).toMatchObject({
      id: "5900010001",
      status: "A_NEW_STATUS",
      parameterFormat: "NAMED",
      qualityScore: "GREEN",
      rejectedReason: null,
    });
    expect(readTemplate({ ...RECORD, quality_score: 7, components: null })).toMatchObject({
      qualityScore: null,
      components: [],
    });
  });

  test("from a provisioning file leaves open what it leaves out", () => {
    const unsaid = { parameterFormat: undefined, qualityScore: undefined, rejectedReason: undefined };
    expect(readGivenTemplate(RECORD)).toMatchObject(unsaid);
    const said = { parameter_format: "NAMED", quality_score: "GREEN", rejected_reason: "NONE" };
    expect(readGivenTemplate({ ...RECORD, ...said })).toMatchObject({
      parameterFormat: "NAMED",
      qualityScore: "GREEN",
      rejectedReason: null,
    });
  });

  test.each(["id", "name", "language", "status", "category"])("without its %s is refused", (field) => {
    expect(readTemplate({ ...RECORD, [field]: undefined })).toBeUndefined();
  });
});
