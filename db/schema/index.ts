export * from "./api-keys";
export * from "./business-accounts";
export * from "./contacts";
export * from "./identity";
export * from "./messages";
export * from "./roll-ups";
export * from "./webhook-endpoints";
