#!/usr/bin/env bash
# A parallel slot whose page is an optional catch-all, so that it is empty beside the list and beside each record, does not build:
# Next takes it for a second page at the list's address, although the two fill different slots. A required catch-all with a
# page.tsx of its own in the slot builds.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund --save-exact next@16.4.6 react@19.3.1 react-dom@19.3.1 >/dev/null
export NEXT_TELEMETRY_DISABLED=1
mkdir -p "app/orders/[id]" app/orders/@panel
echo 'export default ({ children }) => <html><body>{children}</body></html>;' >app/layout.jsx
echo 'export default ({ children, panel }) => <main>{children}{panel}</main>;' >app/orders/layout.jsx
echo 'export default () => "orders";' | tee app/orders/page.jsx app/orders/default.jsx >"app/orders/[id]/page.jsx"
empty='export default () => null;'
build() { npx --no -- next build 2>&1 | grep -oE "You cannot define .*|Compiled successfully" || true; }
mkdir "app/orders/@panel/[[...rest]]" && echo "$empty" >"app/orders/@panel/[[...rest]]/page.jsx"
optional=$(build)
mv "app/orders/@panel/[[...rest]]" "app/orders/@panel/[...rest]" && echo "$empty" >app/orders/@panel/page.jsx
required=$(build)
seen="next $(node -p 'JSON.parse(fs.readFileSync("node_modules/next/package.json")).version')
[[...rest]]: $optional
[...rest] and page: $required"
echo "$seen"
[ "$seen" = 'next 16.4.6
[[...rest]]: You cannot define a route with the same specificity as an optional catch-all route ("/orders" and "/orders/[[...rest]]").
[...rest] and page: Compiled successfully' ] || { echo "The behaviour has changed." >&2; exit 1; }
