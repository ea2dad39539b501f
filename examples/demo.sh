#!/bin/sh
# The main job on a manifest of 25 resources: a chain of three functions from a
# file, the same from the standard input, and what changed.
set -eu
cd "$(dirname "$0")"
fctl=../bin/fctl
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

chain='set-replicas 5 then set-container-image nginx docker.io/library/nginx:1.27.3 then set-int-path autoscaling/v2/HorizontalPodAutoscaler spec.maxReplicas 20'
echo "\$ fctl do shop.yaml $chain >new.yaml"
# shellcheck disable=SC2086 # words, split on purpose
$fctl do shop.yaml $chain >"$tmp/new.yaml"
# shellcheck disable=SC2086
$fctl do - $chain <shop.yaml | cmp - "$tmp/new.yaml"
echo "\$ diff -u shop.yaml new.yaml"
diff -u --label shop.yaml --label new.yaml shop.yaml "$tmp/new.yaml" || [ $? -eq 1 ]
