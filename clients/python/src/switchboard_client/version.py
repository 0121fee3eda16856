# Of the TypeScript client, by `npm run clients:generate`.
__version__ = "0.4.3"
