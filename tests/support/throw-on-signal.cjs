// Preloaded into the server under test: at SIGUSR2 it throws and rejects what no code waits for.
process.on("SIGUSR2", () => {
  setImmediate(() => {
    throw new Error("thrown in a turn of its own");
  });
  setTimeout(() => {
    const query = Object.assign(new Error("duplicate key, with a value that no log may hold"), { code: "23505" });
    throw new Error("Failed query: insert, with a value that no log may hold", { cause: query });
  }, 10);
  Promise.reject(new Error("Failed query: select, with a value that no log may hold"));
  Promise.reject("no error at all");
  Promise.reject(undefined);
  process.nextTick(() => {
    throw null;
  });
});
