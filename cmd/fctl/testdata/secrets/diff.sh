# diff.sh FORMAT prints the differences of a/s.FORMAT and b/s.FORMAT, and those that a function makes
# in colour, without the colours.
f=b/s.$1
fctl diff a/s.$1 $f
fctl do --color=always --diff -f $f search-replace hunter spy | sed 's/\x1b[[][0-9;]*m//g'
exit 0
