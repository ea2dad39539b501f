# messages.sh prints findings, errors and reports about the files of b.
. ./secret.sh
details='def validate(r): return {"passed": False, "details": [str(r)]}'
for f in b/*; do
  run() { fctl do -f $f "$@" 2>&1; }
  secret $f
  for report in github sarif junit; do
    run --report $report vet-starlark "$details"
  done
  run vet-starlark 'def validate(r): fail(str(r))'
  run -o output vet-starlark "$details"
  run set-attributes "[{\"ResourceType\": \"$type\", \"Path\": \"$path\", \"Value\": \"hunter3\", \"DataType\": \"int\"}]"
  sed 's/hunter/hunter-ours-/' $f >ours
  sed 's/hunter/hunter-theirs-/' $f >theirs
  fctl merge --conflict-style list --path $f $f ours theirs 2>&1 >/dev/null
  # a text that cannot be read
  sed 's/[Pp]assword/password ]"/' $f >bad.${f##*.}
  fctl do -f bad.${f##*.} get-path x 2>&1
  rm bad.${f##*.}
done
exit 0
