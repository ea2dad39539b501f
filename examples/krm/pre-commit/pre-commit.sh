#!/bin/sh
# A hook of git: it refuses a commit if the functions that the resources in DIR declare would change
# a file. Exit status 1 of --check means that they would.
set -eu

dir=${DIR:-.}
if ! changed=$("${FCTL:-fctl}" fn run "$dir" --check --allow-exec); then
	echo "functions change these files; run 'fctl fn run $dir --allow-exec' and add them:" >&2
	echo "$changed" >&2
	exit 1
fi
