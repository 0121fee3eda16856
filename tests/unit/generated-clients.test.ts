import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ERROR_CODES } from "@/lib/docs/error-catalogue";
import { POLL_AT_SECONDS as DOCUMENTED } from "@/lib/docs/placeholders";
import { ERROR_CLASSES } from "../../clients/typescript/src/api-errors";
import { POLL_AT_SECONDS } from "../../clients/typescript/src/switchboard";
import { readApiModel } from "../../scripts/clients/api-model";
import { generatedClientFiles } from "../../scripts/clients/generated-files";

const read = (file: string) => readFileSync(file, "utf8");

describe("the generated files of the clients", () => {
  test.each(Object.entries(generatedClientFiles()))("%s is what `npm run clients:release` writes", (file, source) => {
    expect(read(file)).toBe(source);
  });

  test("have every request, resource and filter of the document, and a class for each error code", () => {
    const { requests, resources, errorCodes } = readApiModel();
    expect([...requests.unions, ...resources.unions]).toEqual([
      { name: "SendRequest", members: ["SendText", "SendInteractive", "SendTemplate"] },
      {
        name: "WebhookEvent",
        members: [
          ...["MessageEvent", "MessageReceivedEvent", "ContactPreferenceEvent", "ContactChangedEvent"],
          ...["TemplateEvent", "AlertEvent", "WebhookTestEvent"],
        ],
      },
    ]);
    const names = [...requests.models, ...resources.models].map(({ name }) => name);
    const some = ["Message", "Template", "ErrorDetails", "TemplateFilter", "CarouselCard"];
    expect(names).toEqual(expect.arrayContaining(some));
    expect(new Set(names).size).toBe(names.length);
    expect(errorCodes.map(({ code }) => code)).toEqual(ERROR_CODES);
    expect(Object.keys(ERROR_CLASSES)).toEqual(ERROR_CODES);
  });
});

describe("what the clients have copies of", () => {
  test("they read a status when the docs say, and at 1, 2 and 3 s, since most messages are delivered by then", () => {
    expect(POLL_AT_SECONDS).toEqual([1, 2, 3, ...DOCUMENTED]);
    const [, seconds = ""] =
      /^POLL_AT_SECONDS = \((.*)\)$/m.exec(read("clients/python/src/switchboard_client/client.py")) ?? [];
    expect(seconds.split(",").map(Number)).toEqual(POLL_AT_SECONDS);
  });

  test("a copy of the TypeScript package is compiled as it is here", () => {
    const { dependencies } = JSON.parse(read("package.json"));
    const { devDependencies, dependencies: none } = JSON.parse(read("clients/typescript/package.json"));
    expect(none).toBeUndefined();
    expect(dependencies).toMatchObject(devDependencies);
  });

  test("each package has the licence, and takes its version from one place", () => {
    for (const name of ["typescript", "python"]) expect(read(`clients/${name}/LICENSE`)).toBe(read("clients/LICENSE"));
    expect(read("clients/python/pyproject.toml")).toContain('\ndynamic = ["version"]\n');
  });
});
