import { readFileSync, writeFileSync } from "node:fs";
import { readApiModel } from "./api-model";
import { clientVersion } from "./packages";
import { pythonErrors, pythonTypes } from "./python-source";
import { typescriptErrors, typescriptFilterNames, typescriptTypes } from "./typescript-source";

const TYPESCRIPT = "clients/typescript/src";
const PYTHON = "clients/python/src/switchboard_client";

const PYTHON_REQUESTS = "What a caller sends, with the names of the API's JSON.";
const PYTHON_RESOURCES = "What the API returns and posts to webhooks, with the names of its JSON.";

/** The source of every generated file of the clients, by its path from the project's root. */
export function generatedClientFiles(): Record<string, string> {
  const { requests, resources, errorCodes } = readApiModel();
  const version = clientVersion();
  return {
    [`${TYPESCRIPT}/requests.ts`]: typescriptTypes(requests),
    [`${TYPESCRIPT}/resources.ts`]: typescriptTypes(resources),
    [`${TYPESCRIPT}/cli/template-filters.ts`]: typescriptFilterNames(requests, "TemplateFilter"),
    [`${TYPESCRIPT}/api-errors.ts`]: typescriptErrors(errorCodes),
    [`${PYTHON}/requests.py`]: pythonTypes(PYTHON_REQUESTS, requests),
    [`${PYTHON}/resources.py`]: pythonTypes(PYTHON_RESOURCES, resources),
    [`${PYTHON}/api_errors.py`]: pythonErrors(errorCodes),
    [`${TYPESCRIPT}/version.ts`]: `// Of package.json, by \`npm run clients:release\`.\nexport const VERSION = "${version}";\n`,
    [`${PYTHON}/version.py`]: `# Of the TypeScript client, by \`npm run clients:release\`.\n__version__ = "${version}"\n`,
    ...Object.fromEntries(READMES.map((file) => [file, withVersion(readFileSync(file, "utf8"), version)])),
  };
}

export function writeGeneratedFiles(): string[] {
  const files = Object.entries(generatedClientFiles());
  for (const [file, source] of files) writeFileSync(file, source);
  return files.map(([file]) => file);
}

const READMES = ["clients/typescript/README.md", "clients/python/README.md"];

/** Updates the version in the packages' URLs. */
const withVersion = (text: string, version: string): string =>
  text.replaceAll(/(switchboard[-_]client-)\d+\.\d+\.\d+/g, `$1${version}`);
