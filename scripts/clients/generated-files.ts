import { readFileSync, writeFileSync } from "node:fs";
import { readApiModel } from "./api-model";
import { clientVersion } from "./packages";
import { pythonErrors, pythonRequests, pythonResources } from "./python-source";
import { typescriptErrors, typescriptRequests, typescriptResources } from "./typescript-source";

const TYPESCRIPT = "clients/typescript/src";
const PYTHON = "clients/python/src/switchboard_client";

/** The source of every generated file of the clients, by its path from the project's root. */
export function generatedClientFiles(): Record<string, string> {
  const model = readApiModel();
  const version = clientVersion();
  return {
    [`${TYPESCRIPT}/requests.ts`]: typescriptRequests(model),
    [`${TYPESCRIPT}/resources.ts`]: typescriptResources(model),
    [`${TYPESCRIPT}/api-errors.ts`]: typescriptErrors(model),
    [`${PYTHON}/requests.py`]: pythonRequests(model),
    [`${PYTHON}/resources.py`]: pythonResources(model),
    [`${PYTHON}/api_errors.py`]: pythonErrors(model),
    [`${TYPESCRIPT}/version.ts`]: `// Of package.json, by \`npm run clients:generate\`.\nexport const VERSION = "${version}";\n`,
    [`${PYTHON}/version.py`]: `# Of the TypeScript client, by \`npm run clients:generate\`.\n__version__ = "${version}"\n`,
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
