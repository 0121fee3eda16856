// What Vercel gives a function: its work after a response runs only if it was registered. Nothing is frozen here.
globalThis[Symbol.for("@vercel/request-context")] = { get: () => ({ waitUntil: (work) => void work }) };
