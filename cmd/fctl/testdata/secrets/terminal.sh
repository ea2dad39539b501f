# terminal.sh prints what a person sees of the secret values of b on a terminal.
. ./secret.sh
for f in b/*; do
  run() { fctl do --color=never -f $f "$@" >/dev/tty 2>&1; }
  secret $f
  run --diff set-string-path $type $path new-value then delete-path '*' keys.first
  run -o mutations set-string-path $type $path new-value then set-path port 1
  run -o mutations delete-path '*' $path
  run get-path $path
  fctl diff --color=never a/${f#b/} $f >/dev/tty 2>&1
done
exit 0
