// Preloaded into the server under test: something fails before it is ready.
setTimeout(() => {
  throw new Error("thrown while it starts");
}, 300);
