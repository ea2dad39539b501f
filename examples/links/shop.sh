#!/bin/sh
# Makes a workspace with the shop in three environments, in the directory it is called in.
# FCTL is the program, EXAMPLES the directory of this script.
set -eu
fctl=${FCTL:-fctl}
from=${EXAMPLES:-$(dirname "$0")}

"$fctl" workspace init --space base
"$fctl" unit create web "$from/web.yaml"
for env in dev staging prod; do
	"$fctl" unit create ns "$from/ns-$env.yaml" --space $env --create-space
	"$fctl" unit create web --space $env --upstream-space base --upstream-unit web
	"$fctl" link create - web ns --space $env
done
# dev follows the base by itself
"$fctl" link update upgrade-web --space dev --patch --auto-update
"$fctl" unit do web --space prod set-replicas 5
