import { describe, expect, onTestFinished, test } from "vitest";
import { formsOf, templateSendBody } from "@/lib/docs/template-send";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { readDefinition } from "@/lib/templates/definition";
import { withSamples } from "@/lib/templates/sample-values";
import { testServers } from "../../support/environment";
import { fromOwnAddress } from "../../support/own-address";
import { runProgram, SWITCHBOARD } from "../../support/programs";
import { expectSent } from "../../support/sends";
import { signIn } from "../../support/session";
import { TEMPLATE_SHAPES } from "../../support/template-shapes";
import { provisionWorkspace, request, type TestWorkspace } from "../../support/workspace";

const PHONE = "447700900003";
const approved = FIXTURE_TEMPLATES.filter(({ status, language }) => status === "APPROVED" && language === "en_US");
const all: Record<string, unknown>[] = [...TEMPLATE_SHAPES, ...approved];
/** Each workspace has limits of its own, which are those of a deployment. */
const chunks = Array.from({ length: Math.ceil(all.length / 12) }, (_, at) => all.slice(at * 12, at * 12 + 12));

type Listed = Awaited<ReturnType<TestWorkspace["call"]>>["body"]["data"]["templates"][number];

/** Where the sample of a template's picture, video or document can be fetched. */
const mediaLinks = ({ components, variables }: Listed): [string, string][] => {
  const formats = JSON.stringify(components).match(/"format":"(IMAGE|VIDEO|DOCUMENT)"/g) ?? [];
  const file = formats[0]?.includes("VIDEO") ? "video.mp4" : formats[0]?.includes("DOCUMENT") ? "file.pdf" : "a.png";
  return variables
    .filter(({ key }) => key.endsWith("header_link"))
    .map(({ key }) => [key, `${testServers().mediaUrl}/${file}`]);
};

const definitionOf = (record: Listed) => readDefinition({ ...record, components: [...record.components] });

describe("201", () => {
  test.each(chunks.map((chunk, at) => [at + 1, chunk] as const))(
    "every call that is written for a template of any shape is taken by the gateway and its sandbox (part %i)",
    async (_part, chunk) => {
      const workspace = await provisionWorkspace({ mode: "test", templates: chunk });
      const { templates } = (await workspace.call("GET", "/api/v1/public/templates")).body.data;
      expect(templates).toHaveLength(chunk.length);
      for (const record of templates) {
        const definition = definitionOf(record);
        const values = withSamples(definition, new Map(mediaLinks(record)));
        for (const form of formsOf(definition)) {
          const body = templateSendBody({ definition, values, phone: PHONE }, form);
          const answer = await workspace.send(body);
          expect(answer.status, `${record.name} by ${form}: ${JSON.stringify(body)} ${answer.text}`).toBe(201);
        }
      }
    },
  );

  test("the page that sends begins with a call that goes through, whatever the template needs", async () => {
    const shapes = TEMPLATE_SHAPES.filter(
      ({ name }) => !/image|video|document|media|named|full|offer$/.test(String(name)),
    );
    const workspace = await provisionWorkspace({ mode: "test", templates: shapes });
    const cookie = await signIn(workspace.owner);
    const headers = { cookie, origin: testServers().environment.APP_URL ?? "", "content-type": "application/json" };
    const { templates } = (await workspace.call("GET", "/api/v1/public/templates")).body.data;
    for (const record of templates) {
      const definition = definitionOf(record);
      const values = JSON.stringify(Object.fromEntries(withSamples(definition, new Map(mediaLinks(record)))));
      const query = new URLSearchParams({ template: record.id, values });
      const page = await request("GET", `${workspace.baseUrl}/dashboard/send?${query}`, { headers });
      const body = JSON.stringify({ ...prefilledOn(page.text), phone: PHONE });
      const path = `/api/v1/workspaces/${workspace.workspaceId}/messages/send?mode=test`;
      const answer = await request("POST", `${workspace.baseUrl}${path}`, { headers, body });
      expect(answer.status, `${record.name}: ${body} ${answer.text}`).toBe(201);
    }
  });

  test("a one-time code goes by key 1 from the command line, in the form in which the template is created", async () => {
    const shapes = TEMPLATE_SHAPES.filter(({ name }) => name === "code_as_created");
    const workspace = await provisionWorkspace({ mode: "test", templates: shapes });
    const { url, close } = await fromOwnAddress(workspace);
    onTestFinished(close);
    const { apiKey, apiSecret } = workspace;
    const partner = { PATH: process.env.PATH, CHAT_API_KEY: apiKey, CHAT_API_SECRET: apiSecret, CHAT_API_URL: url };
    const words = ["send", "--to", PHONE, "--template", "code_as_created", "--var", "1=123456"];
    const { exitCode, stdout, stderr } = await runProgram([...SWITCHBOARD, ...words], partner);
    expect([exitCode, JSON.parse(stdout || "{}").status], stderr).toEqual([0, "SENT"]);
  });

  test("one product is enough for a multi-product template, or sections as components", async () => {
    const workspace = await provisionWorkspace({ mode: "test", templates: TEMPLATE_SHAPES.filter(isMultiProduct) });
    const named = { type: "template", phone: PHONE, templateName: "button_multiproduct" };
    expectSent(await workspace.send({ ...named, templateVariables: { catalog_product_retailer_id: "SKU-1" } }));
    const sections = ["Shirts", "Shoes"].map((title) => ({ title, product_items: [{ product_retailer_id: title }] }));
    const action = { thumbnail_product_retailer_id: "Shirts", sections };
    const button = { type: "button", sub_type: "mpm", index: "0", parameters: [{ type: "action", action }] };
    expectSent(await workspace.send({ ...named, templateLanguage: "en_US", templateComponents: [button] }));
  });
});

describe("400", () => {
  test("a multi-product template without a product says what is missing, and nothing is bound", async () => {
    const workspace = await provisionWorkspace({ mode: "test", templates: TEMPLATE_SHAPES.filter(isMultiProduct) });
    const { templates } = (await workspace.call("GET", "/api/v1/public/templates")).body.data;
    const oneOf = ["catalog_product_retailer_id", "product_sections"];
    expect(templates[0]?.variables).toEqual([
      { key: oneOf[0], where: ["button 0 product"], example: null, maxLength: null, required: false, oneOf },
      {
        key: oneOf[1],
        where: ["button 0 sections"],
        example: null,
        maxLength: null,
        required: true,
        oneOf,
        fillWith: "templateComponents",
      },
    ]);
    const body = { type: "template", phone: PHONE, templateName: "button_multiproduct", templateVariables: {} };
    const answer = await workspace.send(body);
    expect([answer.status, answer.body.error]).toEqual([400, "VALIDATION_ERROR"]);
    const message = expect.stringMatching(/one product.*`templateComponents`/);
    expect(answer.body.details.issues).toEqual([{ path: `templateVariables.${oneOf[0]}`, message }]);
  });
});

/** The body of the call that a page shows for a shell. */
const prefilledOn = (page: string): Record<string, unknown> => {
  const figure = /<figure[\s\S]*?<\/figure>/.exec(page.replaceAll("<!-- -->", ""))?.[0] ?? "";
  const text = figure
    .replace(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");
  return JSON.parse(/-d '(\{[\s\S]*?\n\s*\})'/.exec(text)?.[1] ?? "{}");
};

const isMultiProduct = ({ name }: Record<string, unknown>): boolean => name === "button_multiproduct";
