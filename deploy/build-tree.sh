#!/bin/sh
# Builds the production tree in the new folder TARGET: compiled code, its data, and the packages that it needs.
#
#   deploy/build-tree.sh TARGET
#
# Needs Node 24.21 and npm. Installs the packages of this checkout if they are missing.
set -eu
target=$1
cd "$(dirname "$0")/.."
mkdir "$target"
target=$(cd "$target" && pwd)

[ -e node_modules ] || npm ci --include=dev
rm -rf dist
NODE_ENV=production npm run build # the console would contain the development version of React
cp -R dist "$target"
rm "$target/dist/console/sources.sha256" # for checkouts only

# No package of production has an install script that it needs.
cp package.json package-lock.json .npmrc "$target"
(cd "$target" && npm ci --omit=dev --ignore-scripts --prefer-offline)
# An optional peer, which npm installs because it is also a development dependency.
rm -rf "$target/node_modules/typescript" "$target/node_modules/@typescript" "$target/node_modules/.bin"
# Type declarations and source maps are 40 percent of the packages' files.
find "$target/node_modules" -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete

# Copies for bundlers, which Node never loads.
find "$target/node_modules/@opentelemetry" -type d \( -path '*/build/esm' -o -path '*/build/esnext' \) -prune -exec rm -rf {} +

rm "$target/package-lock.json" "$target/.npmrc"
node deploy/write-package.ts "$target"
