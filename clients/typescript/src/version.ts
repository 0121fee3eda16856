// Of package.json, by `npm run clients:release`.
export const VERSION = "0.4.8";
