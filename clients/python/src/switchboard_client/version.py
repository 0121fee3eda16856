# Of the TypeScript client, by `npm run clients:release`.
__version__ = "0.4.8"
