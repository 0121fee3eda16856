import type { Schema } from "./openapi-schemas";
import { type ReferenceOperation, readReference } from "./reference";

/** The API as a Postman collection (v2.1), from the OpenAPI document. Keys are variables, which stay empty here. */
export const postmanCollection = (document: Schema, origin: string) => {
  const { operations } = readReference(document);
  const places = operations.flatMap(({ parameters }) => parameters).filter(({ place }) => place === "path");
  return {
    info: {
      name: "Switchboard messaging API",
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    variable: [
      { key: "origin", value: origin },
      ...["apiKey", "apiSecret", ...places.map(({ path }) => path)].map((key) => ({ key, value: "" })),
    ],
    item: operations.map((operation) => ({ name: operation.summary, request: requestOf(operation) })),
  };
};

const requestOf = ({ method, path, parameters, example }: ReferenceOperation) => {
  const below = `api/v1/public${path.replace(/\{(\w+)\}/g, ":$1")}`;
  const named = (place: string) => parameters.filter((parameter) => parameter.place === place);
  const query = named("query").map(({ path: key, description }) => ({ key, value: "", disabled: true, description }));
  return {
    method,
    header: [
      { key: "apiKey", value: "{{apiKey}}" },
      { key: "apiSecret", value: "{{apiSecret}}" },
      // Another one for each request.
      ...named("header").map(({ path: key, description }) => ({ key, value: "{{$guid}}", description })),
      ...(example === undefined ? [] : [{ key: "Content-Type", value: "application/json" }]),
    ],
    url: {
      raw: `{{origin}}/${below}`,
      host: ["{{origin}}"],
      path: below.split("/"),
      variable: named("path").map(({ path: key, description }) => ({ key, value: `{{${key}}}`, description })),
      query,
    },
    ...(example === undefined
      ? {}
      : { body: { mode: "raw", raw: JSON.stringify(example, null, 2), options: JSON_BODY } }),
  };
};

const JSON_BODY = { raw: { language: "json" } };
