#!/bin/sh
# Runs the golden cases of testdata/cases.txt with the real binary.
#
#   ./manual-test.sh                     writes out/ and compares it with golden-output/
#   QUIET=no ./manual-test.sh            also shows the differences
#   DIR=golden-output ./manual-test.sh   writes golden-output/ anew
#   FCTL=/path/to/fctl ./manual-test.sh  uses another binary than bin/fctl
#
# A case is a name and the words after `fctl`, quoted as for a shell and
# containing nothing a shell would expand (the Go harness checks that). Cases
# run inside testdata/ with nothing in the environment that could change them.
set -fu
cd "$(dirname "$0")" || exit 2
root=$(pwd)
fctl=${FCTL:-$root/bin/fctl}
dir=$root/${DIR:-out}
case ${DIR:-out} in /*) dir=$DIR ;; esac
mkdir -p "$dir" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# section TITLE FILE: the content under a heading; a missing final newline is said.
section() {
	[ -s "$2" ] || return 0
	echo "== $1"
	cat "$2"
	[ -z "$(tail -c 1 "$2")" ] || printf '\n\\ no newline at end\n'
}

cd testdata || exit 2
passed=0 failed=0 names=
while IFS= read -r line; do
	case $line in '' | '#'*) continue ;; esac
	name=${line%% *}
	names="$names $name.txt"
	eval "set -- ${line#* }"
	env -i PATH="$PATH" HOME=/nonexistent "$fctl" "$@" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null
	status=$?
	{
		echo "\$ fctl ${line#* }"
		echo "exit status $status"
		section stdout "$tmp/stdout"
		section stderr "$tmp/stderr"
	} >"$dir/$name.txt"
	golden=$root/golden-output/$name.txt
	if cmp -s "$golden" "$dir/$name.txt"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $name"
		[ "${QUIET:-yes}" = no ] && diff -u "$golden" "$dir/$name.txt"
	fi
done <cases.txt

# A golden file without a case tests nothing.
for file in $(ls "$root/golden-output"); do
	case "$names " in *" $file "*) ;; *)
		failed=$((failed + 1))
		echo "FAIL golden-output/$file has no case"
		;;
	esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
