import type { AddressInfo } from "node:net";
import { createServer, type Socket, connect as tcpConnect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Told every chunk that a client sends on one connection; true where the answer to it is to be lost. */
export type Spotter = (chunk: Buffer) => boolean;

export type FaultyProxy = {
  port: number;
  /** Lets everything through again, for new connections; those that a fault has touched are cut. */
  heal: () => Promise<void>;
  /** Connection refused, and those that are open are reset. */
  refuse: () => Promise<void>;
  /** A black hole: connections are made, and nothing ever passes. Those that are open fall silent, too. */
  drop: () => void;
  /** Connections that are open now fall silent; new ones work. What a firewall leaves of an idle connection. */
  freezeOpen: () => void;
  /** Each chunk of an answer comes this much later. */
  delay: (ms: number) => void;
  /** Answers trickle. */
  slow: (bytesPerSecond: number) => void;
  /** Resets every connection that is open now. */
  cut: () => void;
  /** Resets a connection in the middle of its next answer, after this many bytes of it. */
  cutAnswersAfter: (bytes: number) => void;
  /** The next request that a spotter finds reaches the other side, and its answer is lost with the connection. */
  loseAnswerTo: (createSpotter: () => Spotter) => Promise<void>;
  stop: () => Promise<void>;
};

type Mood = { isDropping: boolean; delayMs: number; bytesPerSecond: number; cutAfterBytes: number };
type Loss = { createSpotter: () => Spotter; isDone: () => void };
type Link = { client: Socket; server: Socket; isSilent: boolean; spotter: Spotter | undefined; mayLose: boolean };

const TRICKLES_PER_SECOND = 20;
const WELL: Mood = { isDropping: false, delayMs: 0, bytesPerSecond: Number.POSITIVE_INFINITY, cutAfterBytes: -1 };

/** A TCP proxy on 127.0.0.1 before `targetPort` that can be made to misbehave. */
export const startProxy = async (targetPort: number): Promise<FaultyProxy> => {
  const links = new Set<Link>();
  let mood = WELL;
  let loss: Loss | undefined;
  // The spotters see a connection from its first byte, whether or not a loss is wanted yet.
  let createSpotter: (() => Spotter) | undefined;

  const server = createServer({ noDelay: true }, (client) => {
    const link: Link = {
      client,
      server: tcpConnect({ port: targetPort, host: "127.0.0.1", noDelay: true }),
      isSilent: mood.isDropping,
      spotter: createSpotter?.(),
      mayLose: false,
    };
    links.add(link);
    client.on("data", (chunk) => {
      if (link.isSilent) return;
      if (link.spotter?.(chunk) && loss) link.mayLose = true;
      link.server.write(chunk);
    });
    pipeAnswers(link);
    for (const [one, other] of [
      [client, link.server],
      [link.server, client],
    ] as const) {
      one.on("error", () => undefined);
      one.on("end", () => !link.isSilent && other.end());
      one.on("close", () => {
        links.delete(link);
        if (!link.isSilent || one === client) other.destroy();
      });
    }
  });

  const pipeAnswers = (link: Link) => {
    let queue = Promise.resolve();
    link.server.on("data", (chunk) => {
      if (link.isSilent) return;
      if (link.mayLose) {
        loss?.isDone();
        loss = undefined;
        return reset(link);
      }
      const { delayMs, bytesPerSecond, cutAfterBytes } = mood;
      if (cutAfterBytes >= 0) {
        link.client.write(chunk.subarray(0, cutAfterBytes), () => reset(link));
        return;
      }
      if (delayMs === 0 && bytesPerSecond === Number.POSITIVE_INFINITY) return void link.client.write(chunk);
      queue = queue.then(async () => {
        await sleep(delayMs);
        if (bytesPerSecond === Number.POSITIVE_INFINITY) return void writeTo(link, chunk);
        const size = Math.max(1, Math.ceil(bytesPerSecond / TRICKLES_PER_SECOND));
        for (let start = 0; start < chunk.length; start += size) {
          await sleep(1_000 / TRICKLES_PER_SECOND);
          writeTo(link, chunk.subarray(start, start + size));
        }
      });
    });
  };

  const writeTo = ({ client }: Link, chunk: Buffer) => {
    if (!client.destroyed) client.write(chunk);
  };
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  const reset = (link: Link) => {
    link.client.resetAndDestroy();
    link.server.resetAndDestroy();
  };
  const cut = () => {
    for (const link of links) reset(link);
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;

  return {
    port,
    cut,
    heal: async () => {
      const wasTouched = mood !== WELL;
      mood = WELL;
      for (const link of links) if (wasTouched || link.isSilent) reset(link);
      if (!server.listening) await listen(port);
    },
    refuse: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      await closed;
    },
    drop: () => {
      mood = { ...WELL, isDropping: true };
      for (const link of links) link.isSilent = true;
    },
    freezeOpen: () => {
      for (const link of links) link.isSilent = true;
    },
    delay: (delayMs) => {
      mood = { ...WELL, delayMs };
    },
    slow: (bytesPerSecond) => {
      mood = { ...WELL, bytesPerSecond };
    },
    cutAnswersAfter: (cutAfterBytes) => {
      mood = { ...WELL, cutAfterBytes };
    },
    loseAnswerTo: (create) => {
      createSpotter = create;
      cut();
      return new Promise((isDone) => {
        loss = { createSpotter: create, isDone };
      });
    },
    stop: async () => {
      if (!server.listening) return cut();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      await closed;
    },
  };
};
