// Generated from the OpenAPI document by `npm run clients:release`. Change the API's schemas, not this file.

/** The fields of `TemplateFilter`. */
export const FILTERS = ["name", "language", "category", "phoneNumberId"] as const;
