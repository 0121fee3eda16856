import { readApiModel } from "./api-model";
import { pythonErrors, pythonRequests, pythonResources } from "./python-source";
import { typescriptErrors, typescriptRequests, typescriptResources } from "./typescript-source";

const TYPESCRIPT = "clients/typescript/src";
const PYTHON = "clients/python/src/switchboard_client";

/** The source of every generated file of the clients, by its path from the project's root. */
export const generatedClientFiles = (): Record<string, string> => {
  const model = readApiModel();
  return {
    [`${TYPESCRIPT}/requests.ts`]: typescriptRequests(model),
    [`${TYPESCRIPT}/resources.ts`]: typescriptResources(model),
    [`${TYPESCRIPT}/api-errors.ts`]: typescriptErrors(model),
    [`${PYTHON}/requests.py`]: pythonRequests(model),
    [`${PYTHON}/resources.py`]: pythonResources(model),
    [`${PYTHON}/api_errors.py`]: pythonErrors(model),
  };
};
