// Of package.json, by `npm run clients:generate`.
export const VERSION = "0.4.3";
