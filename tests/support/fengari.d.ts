/** The part of fengari's C-like API that the stand-in for Redis uses. */
declare module "fengari" {
  export type LuaState = { readonly luaState: unique symbol };
  type LuaString = Uint8Array;
  const fengari: {
    lua: {
      LUA_OK: number;
      LUA_REGISTRYINDEX: number;
      LUA_TNUMBER: number;
      LUA_TSTRING: number;
      LUA_TBOOLEAN: number;
      LUA_TTABLE: number;
      lua_createtable: (state: LuaState, items: number, fields: number) => void;
      lua_pushcfunction: (state: LuaState, run: (inner: LuaState) => number) => void;
      lua_pushboolean: (state: LuaState, value: number) => void;
      lua_pushnumber: (state: LuaState, value: number) => void;
      lua_pushstring: (state: LuaState, value: LuaString) => unknown;
      lua_setfield: (state: LuaState, index: number, name: LuaString) => void;
      lua_setglobal: (state: LuaState, name: LuaString) => void;
      lua_rawseti: (state: LuaState, index: number, item: number) => void;
      lua_rawgeti: (state: LuaState, index: number, item: number) => void;
      lua_gettop: (state: LuaState) => number;
      lua_settop: (state: LuaState, index: number) => void;
      lua_pop: (state: LuaState, count: number) => void;
      lua_pcall: (state: LuaState, args: number, results: number, handler: number) => number;
      lua_type: (state: LuaState, index: number) => number;
      lua_isnil: (state: LuaState, index: number) => boolean;
      lua_absindex: (state: LuaState, index: number) => number;
      lua_tonumber: (state: LuaState, index: number) => number;
      lua_toboolean: (state: LuaState, index: number) => boolean;
      lua_tostring: (state: LuaState, index: number) => LuaString;
    };
    lauxlib: {
      luaL_newstate: () => LuaState;
      luaL_ref: (state: LuaState, table: number) => number;
      luaL_loadstring: (state: LuaState, source: LuaString) => number;
    };
    lualib: { luaL_openlibs: (state: LuaState) => void };
    to_luastring: (text: string) => LuaString;
    to_jsstring: (text: LuaString) => string;
  };
  export default fengari;
}
