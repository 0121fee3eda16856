import { describe, expect, test } from "vitest";
import { endpointState } from "@/lib/outgoing/endpoint-queries";
import { EVENT_GROUPS, EVENT_TYPES, eventsInShort } from "@/lib/outgoing/events/event-types";

describe("event types", () => {
  test("each is in one group", () => {
    expect(EVENT_GROUPS.flatMap(({ types }) => types)).toEqual([...EVENT_TYPES]);
  });

  const [messages = [], , templates = []] = EVENT_GROUPS.map(({ types }) => types);
  test.each([
    [EVENT_TYPES, "All events"],
    [[...messages, "template.paused"], "All message events, template.paused"],
    [messages, "All message events"],
    [templates, "All template events"],
    [["message.failed"], "message.failed"],
    [["message.failed", "message.read", "template.paused"], "2 message events, template.paused"],
    [["message.read", ...templates], "message.read, all template events"],
    [[], ""],
  ])("%j in short: %s", (events, words) => {
    expect(eventsInShort(events)).toBe(words);
  });
});

describe("an endpoint's state", () => {
  const at = new Date(0);
  test.each([
    ["active", {}],
    ["failing", { failingSince: at }],
    ["listening", { listensUntil: at, failingSince: at }],
    ["paused", { pausedAt: at, pausedBy: "member" as const, failingSince: at }],
    ["paused", { pausedAt: at }],
    ["paused", { pausedAt: at, pausedBy: "member" as const, listensUntil: at }],
    ["pausedGone", { pausedAt: at, pausedBy: "gone" as const, failingSince: at }],
    ["pausedFailing", { pausedAt: at, pausedBy: "failing" as const, failingSince: at }],
  ] as const)("is %s", (state, facts) => {
    const none = { pausedAt: null, pausedBy: null, failingSince: null, listensUntil: null };
    expect(endpointState({ ...none, ...facts })).toBe(state);
  });
});
