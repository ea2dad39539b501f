#!/bin/sh
# Builds the programs of HEAD in two clones with paths of different lengths, one of them with an empty
# build cache, and compares the bytes.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

git clone -q . "$work/a"
git clone -q . "$work/another/clone"
make -s -C "$work/a" build runner mcp
GOCACHE=$work/cache make -s -C "$work/another/clone" build runner mcp
for program in fctl fctl-mcp fctl-runner fctl-wrapper; do
	cmp "$work/a/bin/$program" "$work/another/clone/bin/$program"
	echo "$(sha256sum <"$work/a/bin/$program" | cut -c 1-64)  $program"
done
