#!/bin/sh
# Waits for the Job fleet and writes, for each of its parts I, DIR/I.patch and DIR/I.json.
#
#   ./collect.sh DIR && cd repository && git apply DIR/*.patch
set -eu
dir=${1:?usage: collect.sh DIR}
kubectl=${KUBECTL:-kubectl}
mkdir -p "$dir"
parts=$($kubectl get job fleet -o 'jsonpath={.spec.completions}')
while [ -z "$($kubectl get job fleet -o 'jsonpath={.status.conditions[?(@.status=="True")].type}')" ]; do
	sleep 1
done
i=0
while [ "$i" -lt "$parts" ]; do
	pod=$($kubectl get pods -l "job-name=fleet,batch.kubernetes.io/job-completion-index=$i" -o name)
	$kubectl logs "$pod" -c change >"$dir/$i.patch"
	$kubectl logs "$pod" -c report >"$dir/$i.json"
	i=$((i + 1))
done
failed=$($kubectl get job fleet -o 'jsonpath={.status.failedIndexes}')
if [ -n "$failed" ]; then
	echo "the parts $failed did not pass; see $dir" >&2
	exit 1
fi
