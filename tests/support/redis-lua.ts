import { createHash } from "node:crypto";
import fengari, { type LuaState } from "fengari";

const { lua, lauxlib, lualib, to_luastring: toLua, to_jsstring: toJs } = fengari;

export type RedisValue = string | number | null | RedisValue[];
export type LuaStore = {
  call: (command: unknown[]) => RedisValue;
  entries: () => [key: string, value: string][];
  forget: () => void;
};

type Entry = { value: string; expiresAtMs: number };
type Command = (...args: string[]) => RedisValue;

/** The few commands of Redis that the limiter uses, with scripts in real Lua; one at a time, as in Redis. */
export const createLuaStore = (): LuaStore => {
  const entries = new Map<string, Entry>();
  const scripts = new Map<string, string>();
  const runScript = createLua((args) => call(args));

  const live = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    if (entry && entry.expiresAtMs > Date.now()) return entry;
    entries.delete(key);
    return undefined;
  };
  const evaluate = (script: string, count: string, rest: string[]) =>
    runScript(script, rest.slice(0, Number(count)), rest.slice(Number(count)));

  const commands: Record<string, Command> = {
    GET: (key = "") => live(key)?.value ?? null,
    INCRBY: (key = "", by = "1") => {
      const entry = live(key) ?? { value: "0", expiresAtMs: Number.POSITIVE_INFINITY };
      entry.value = String(Number(entry.value) + Number(by));
      entries.set(key, entry);
      return Number(entry.value);
    },
    PEXPIRE: (key = "", ms = "0") => {
      const entry = live(key);
      if (entry) entry.expiresAtMs = Date.now() + Number(ms);
      return entry ? 1 : 0;
    },
    EVAL: (script = "", count = "0", ...rest) => {
      scripts.set(createHash("sha1").update(script).digest("hex"), script);
      return evaluate(script, count, rest);
    },
    EVALSHA: (digest = "", count = "0", ...rest) => {
      const script = scripts.get(digest);
      if (script === undefined) throw new Error("NOSCRIPT No matching script. Please use EVAL.");
      return evaluate(script, count, rest);
    },
  };
  const call = ([name, ...args]: unknown[]): RedisValue => {
    const command = commands[String(name).toUpperCase()];
    if (!command) throw new Error(`ERR unknown command '${name}'`);
    return command(...args.map(String));
  };
  const forget = () => {
    entries.clear();
    scripts.clear();
  };
  return { call, entries: () => [...entries].map(([key, { value }]) => [key, value]), forget };
};

const createLua = (redisCall: (args: string[]) => RedisValue) => {
  const state = lauxlib.luaL_newstate();
  lualib.luaL_openlibs(state);
  lua.lua_createtable(state, 0, 1);
  lua.lua_pushcfunction(state, (inner) => {
    const args = Array.from({ length: lua.lua_gettop(inner) }, (_, i) => String(pull(inner, i + 1)));
    push(inner, redisCall(args));
    return 1;
  });
  lua.lua_setfield(state, -2, toLua("call"));
  lua.lua_setglobal(state, toLua("redis"));

  const compiled = new Map<string, number>();
  const load = (script: string): boolean => {
    const known = compiled.get(script);
    if (known !== undefined) {
      lua.lua_rawgeti(state, lua.LUA_REGISTRYINDEX, known);
      return true;
    }
    // The library's scripts begin with a line for Redis 7 that is no Lua.
    const source = toLua(script.replace(/^\s*#!lua[^\n]*\n/, ""));
    if (lauxlib.luaL_loadstring(state, source) !== lua.LUA_OK) return false;
    compiled.set(script, lauxlib.luaL_ref(state, lua.LUA_REGISTRYINDEX));
    return load(script);
  };

  return (script: string, keys: string[], args: string[]): RedisValue => {
    push(state, keys);
    lua.lua_setglobal(state, toLua("KEYS"));
    push(state, args);
    lua.lua_setglobal(state, toLua("ARGV"));
    const isFine = load(script) && callLoaded(state);
    const result = isFine ? pull(state, -1) : toJs(lua.lua_tostring(state, -1));
    lua.lua_settop(state, 0);
    if (!isFine) throw new Error(`ERR ${result}`);
    return result;
  };
};

const callLoaded = (state: LuaState) => lua.lua_pcall(state, 0, 1, 0) === lua.LUA_OK;

const push = (state: LuaState, value: RedisValue): void => {
  if (value === null) {
    lua.lua_pushboolean(state, 0);
  } else if (typeof value === "number") {
    lua.lua_pushnumber(state, value);
  } else if (typeof value === "string") {
    lua.lua_pushstring(state, toLua(value));
  } else {
    lua.lua_createtable(state, value.length, 0);
    for (const [i, item] of value.entries()) {
      push(state, item);
      lua.lua_rawseti(state, -2, i + 1);
    }
  }
};

const pull = (state: LuaState, index: number): RedisValue => {
  const type = lua.lua_type(state, index);
  if (type === lua.LUA_TNUMBER) return Math.trunc(lua.lua_tonumber(state, index));
  if (type === lua.LUA_TSTRING) return toJs(lua.lua_tostring(state, index));
  if (type === lua.LUA_TBOOLEAN) return lua.lua_toboolean(state, index) ? 1 : null;
  if (type !== lua.LUA_TTABLE) return null;
  const table = lua.lua_absindex(state, index);
  const items: RedisValue[] = [];
  for (;;) {
    lua.lua_rawgeti(state, table, items.length + 1);
    const isEnd = lua.lua_isnil(state, -1);
    if (!isEnd) items.push(pull(state, -1));
    lua.lua_pop(state, 1);
    if (isEnd) return items;
  }
};
