#!/bin/sh
# Runs the golden cases of testdata/cases.txt with the real binary.
#
#   ./manual-test.sh                     writes out/golden/ and compares it with golden-output/
#   QUIET=no ./manual-test.sh            also shows the differences
#   DIR=golden-output ./manual-test.sh   writes golden-output/, removes the files of cases that are gone,
#                                        and says which files those are
#   FCTL=/path/to/fctl ./manual-test.sh  uses another binary than bin/fctl
#
# A case is a name and the words after `fctl`, quoted as for a shell and
# containing nothing a shell would expand (the Go harness checks that). Cases
# run inside testdata/ with nothing in the environment that could change them.
#
# The golden file of a case is FOLDER/NAME.out: the folder is the first function
# that a `do` case names, and the command of every other case. Global flags with
# a value before the command do not count, as in internal/golden.
set -fu
cd "$(dirname "$0")" || exit 2
root=$(pwd)
fctl=${FCTL:-$root/bin/fctl}
[ -x "$fctl" ] || { echo "$0: there is no $fctl: run make build" >&2; exit 2; }
golden=$root/golden-output
dir=${DIR:-out/golden}
dir=${dir%/}
case $dir in /*) ;; *) dir=$root/$dir ;; esac
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

# fctl runs the binary without the caller's environment.
fctl() {
	env -i PATH="$PATH" HOME=/nonexistent "$fctl" "$@" </dev/null
}

# folder WORDS: where the golden file of a case is.
folder() {
	while [ $# -gt 2 ]; do
		case $1 in -C | --directory | --config | --color | --max-size) shift 2 ;; *) break ;; esac
	done
	command=$1
	[ "$command" = do ] && for word; do
		case $functions in *"
$word
"*) command=$word && break ;; esac
	done
	command=${command#-}
	echo "${command#-}"
}

# differs FILE: a golden file is not what it should be, which is a failure unless it is updated.
differs() {
	if [ "$dir" = "$golden" ]; then
		updated=$((updated + 1))
		echo "updated golden-output/$1"
	else
		failed=$((failed + 1))
		echo "FAIL golden-output/$1"
	fi
}

cd testdata || exit 2
functions=$(fctl __complete list --toolchain '' 2>/dev/null | grep / | while read -r toolchain; do
	fctl list --all -o name --toolchain "$toolchain"
done)
functions="
$functions
"

passed=0 failed=0 updated=0 names=
while IFS= read -r line; do
	case $line in '' | '#'*) continue ;; esac
	eval "set -- ${line#* }"
	name=$(folder "$@")/${line%% *}
	names="$names $name.out"
	fctl "$@" >"$tmp/stdout" 2>"$tmp/stderr"
	status=$?
	mkdir -p "$dir/${name%/*}"
	{
		echo "\$ fctl ${line#* }"
		echo "exit status $status"
		section stdout "$tmp/stdout"
		section stderr "$tmp/stderr"
	} >"$tmp/out"
	if cmp -s "$golden/$name.out" "$tmp/out"; then
		passed=$((passed + 1))
	else
		differs "$name.out"
		[ "${QUIET:-yes}" = no ] && diff -u "$golden/$name.out" "$tmp/out"
	fi
	cp "$tmp/out" "$dir/$name.out"
done <cases.txt

# A golden file without a case tests nothing.
for file in $(cd "$golden" && find . -type f); do
	case "$names " in *" ${file#./} "*) continue ;; esac
	differs "${file#./}, which has no case"
	[ "$dir" = "$golden" ] && rm "$golden/$file"
done
[ "$dir" = "$golden" ] && find "$golden" -mindepth 1 -type d -empty -delete
if [ "$dir" = "$golden" ]; then
	echo "$passed unchanged, $updated updated"
else
	echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
