#!/bin/sh
# Prints the sizes of the programs in bin/ beside their budgets, and the ten packages with the most code
# and constants in fctl, whose symbols are in the file that the argument names. It fails if a program is larger than its budget.
set -eu

# Megabytes (of 1,000,000 bytes). In fctl-runner, the types of Kubernetes and gRPC take most.
budgets='fctl 47
fctl-mcp 35
fctl-runner 87
fctl-wrapper 14'

echo "$budgets" | while read -r program most; do
	bytes=$(wc -c <"bin/$program")
	printf '%-12s %5.1f MB of %s\n' "$program" "$(echo "$bytes" | awk '{ print $1 / 1e6 }')" "$most"
	if [ "$bytes" -gt "${most}000000" ]; then
		echo "$program exceeds its budget: look at its imports, or change the budget and give the reason" >&2
		exit 1
	fi
done

echo
echo 'the ten packages of fctl with the most code and constants'
# Symbols name their package up to the first dot after the last slash. Those of the compiler, such as
# types, have none, and variables without a value are not in the file.
go tool nm -size "$1" | awk '
	$3 ~ /^[TtRr]$/ {
		symbol = $4
		if (symbol ~ /^(type:|go:|runtime\.(pclntab|etypes|types))/) next
		path = symbol
		sub(/\[.*/, "", path)
		slash = match(path, /\/[^\/]*$/) ? RSTART : 0
		rest = substr(path, slash + 1)
		sub(/\..*/, "", rest)
		sizes[substr(path, 1, slash) rest] += $2
	}
	END { for (p in sizes) printf "%9.2f MB  %s\n", sizes[p] / 1e6, p }' | sort -rn | head -n 10
