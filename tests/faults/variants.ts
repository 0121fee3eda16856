import { buildVariant, type Patch } from "./builds";
import { outgoing } from "./client";
import type { Invariant, Violation } from "./history";
import { recipientFor } from "./platform";
import { createScene, type Scene, timeUntil } from "./scene";
import type { Instance, World } from "./world";

/** A product with one fault built in, and the accident in which the checker must see it. */
export type Variant = {
  name: string;
  patches: Patch[];
  /** What the checker must find, and nothing beside it: a fault that trips another rule is not understood. */
  breaks: Invariant[];
  provoke: (scene: Scene, instances: [Instance, Instance], world: World) => Promise<unknown>;
};

const CLAIM = "lib/messages/claim-message.ts";

/** The owner freezes before its mark, another takes the row over and sends it; then the owner wakes up. */
const pauseOwner: Variant["provoke"] = async (scene, [a, b]) => {
  const message = scene.withPicture(outgoing(recipientFor("well")));
  a.order({ point: "before-mark", signal: "SIGSTOP" });
  const frozen = scene.send(a, message);
  await timeUntil(async () => !a.isOrderOpen() && (await scene.rows()).length === 1, 5_000);
  await scene.expireLeases();
  await scene.send(b, message);
  a.signal("SIGCONT");
  await frozen;
};

/** WhatsApp takes the message and its answer is lost; then the client asks again elsewhere. */
const loseAnswer = async (scene: Scene, [a, b]: [Instance, Instance]) => {
  const message = outgoing(recipientFor("reset"));
  await scene.send(a, message);
  await scene.send(b, message);
};

export const VARIANTS: Variant[] = [
  {
    name: "no fence",
    breaks: ["I1"],
    patches: [
      {
        file: CLAIM,
        from: "fencingToken} and phase = 'ACCEPTED'",
        to: "fencingToken} * 0 + fencing_token",
      },
    ],
    provoke: pauseOwner,
  },
  {
    name: "resume after unknown",
    breaks: ["I1"],
    patches: [
      {
        file: "lib/messages/send-message.ts",
        from: 'message.phase === "REFUSED_RETRYABLE" ||',
        to: 'message.phase === "REFUSED_RETRYABLE" || message.phase === "UNKNOWN" ||',
      },
      {
        file: CLAIM,
        from: "and (phase = 'REFUSED_RETRYABLE' or",
        to: "and (phase in ('REFUSED_RETRYABLE', 'UNKNOWN') or",
      },
    ],
    provoke: loseAnswer,
  },
  {
    name: "time-out says FAILED",
    breaks: ["I3"],
    patches: [
      {
        file: "lib/messages/dispatch-message.ts",
        from: 'return await write({ kind: "unknown" });',
        to: 'return await write({ kind: "refused", isRetryable: false, reason: outcome.reason, code: null, traceId: null });',
      },
    ],
    provoke: loseAnswer,
  },
  {
    name: "no opaque id",
    breaks: ["I2"],
    patches: [
      { file: "lib/whatsapp/message-payload.ts", from: "  biz_opaque_callback_data: messageId,\n", to: "" },
      {
        file: "lib/whatsapp/message-payload.ts",
        from: "{ messageId }: { messageId: string }",
        to: "_: { messageId: string }",
      },
    ],
    provoke: async (scene, [a, b]) => {
      await loseAnswer(scene, [a, b]);
      await scene.tell(b);
      await scene.sweep(b);
    },
  },
  {
    // The last one: the database is without its index from here on.
    name: "look, then insert",
    breaks: ["I1", "I6"],
    patches: [
      {
        file: CLAIM,
        from: "        on conflict (workspace_id, mode, idempotency_key) do nothing\n        returning contact_id",
        to: "        returning contact_id",
      },
      {
        file: CLAIM,
        from: "const isNew = key === undefined ? sql`true` : sql`not exists (select from earlier)`;",
        to: "const isNew = sql`true`;",
      },
      {
        file: "lib/messages/send-message.ts",
        from: "const before = mayFetchMedia(request) ? await find() : NEW;",
        to: "const before = await find();",
      },
    ],
    provoke: async (scene, [a, b], { sql }) => {
      await sql`drop index messages_idempotency_key`;
      // Two servers that have just started may take the first racers one after the other.
      for (let round = 0; round < 6; round++) {
        const message = outgoing(recipientFor("well"));
        await Promise.all(Array.from({ length: 40 }, (_, racer) => scene.send(racer % 2 ? a : b, message)));
      }
    },
  },
];

/** Builds a broken product, lets its accident happen, and answers with what the checker says of it. */
export const breakVariant = async (world: World, { name, patches, provoke }: Variant): Promise<Violation[]> => {
  const directory = await buildVariant(`variant ${name}`.replace(/[^a-z]+/gi, "-"), patches);
  const start = () => world.startInstance({ directory });
  const instances = await Promise.all([start(), start()]);
  try {
    const scene = await createScene(world, instances);
    await provoke(scene, [instances[0], instances[1]], world);
    return await scene.check();
  } finally {
    await Promise.all(instances.map((instance) => instance.stop()));
  }
};
