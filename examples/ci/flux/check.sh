#!/bin/sh
# Validates what Flux will apply, before it is merged: the manifests in a directory with the variables
# of a ConfigMap or Secret. A variable without a value is an error.
#
#   check.sh DIRECTORY VARIABLES [OUT]
#
# OUT has the result, which a release may publish for an OCIRepository:
#
#   flux push artifact oci://registry.example.com/apps:v1 --path OUT --source URL --revision REVISION
set -eu
out=${3-}
if [ -z "$out" ]; then
	out=$(mktemp -d)
	trap 'rm -rf "$out"' EXIT
fi
fctl do -q -f "$1" -R -O "$out" substitute "file:$2"
fctl vet -f "$out" -R
