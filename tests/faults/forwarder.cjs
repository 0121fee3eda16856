/**
 * Forwards connections to the port that it is given, and prints its own. Its queue holds two that it has not taken.
 * SIGUSR2 ends the open ones.
 */
const { connect, createServer } = require("node:net");

const open = new Set();
const server = createServer((client) => {
  const target = connect(Number(process.argv[2]), "127.0.0.1");
  client.pipe(target).pipe(client);
  for (const socket of [client, target]) {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
  }
});
process.on("SIGUSR2", () => {
  for (const socket of open) socket.destroy();
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => console.log(server.address().port));
