#!/bin/sh
# Runs a chain of functions on the manifests that Helm renders:
#
#   post-renderer.sh CHAIN
#
# Manifests come on the standard input and go to the standard output.
set -eu
exec fctl do -q - release --functions "$1"
