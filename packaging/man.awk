# Writes a manual page for each command and topic of docs/cli.md to the directory DIR:
#
#   awk -v DIR=out/man -f packaging/man.awk docs/cli.md
#
# A command has a block with its help, whose last paragraph is the usage, a block with examples, and
# one with its flags. A topic is one block; its page is in section 7.
function escaped(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	if (text ~ /^[.']/) text = "\\\\&" text
	return text
}
function section(title, text) {
	if (text == "") return
	sub(/\n+$/, "", text)
	printf ".SH %s\n.nf\n%s\n.fi\n", title, text >page
}
function finish(  last, summary, chapter) {
	if (name == "") return
	chapter = name ~ /^fctl/ ? 1 : 7
	if (chapter == 7) name = "fctl-" name
	page = DIR "/" name "." chapter
	sub(/\n+$/, "", help)
	if (chapter == 1) {
		last = help
		while (match(last, /\n\n/)) last = substr(last, RSTART + 2)
		help = substr(help, 1, length(help) - length(last))
	}
	summary = help
	gsub(/\n/, " ", summary)
	if (match(summary, /[.:](  | |$)/)) summary = substr(summary, 1, RSTART - 1)
	printf ".TH \"%s\" %d \"\" \"fctl\" \"fctl\"\n", toupper(name), chapter >page
	printf ".SH NAME\n%s \\- %s\n", escaped(name), summary >page
	section("SYNOPSIS", last)
	section("DESCRIPTION", help)
	section("EXAMPLES", examples)
	section("FLAGS", flags)
	if (name != "fctl") printf ".SH SEE ALSO\n.BR fctl (1)\n" >page
	close(page)
	count++
}
/^```/ {
	if (inside) inside = 0
	else {
		inside = 1
		part++
		if ($0 == "```sh") part = 2
		else if (part > 1) part = 3
	}
	next
}
!inside && /^## / {
	finish()
	name = substr($0, 4)
	gsub(/ /, "-", name)
	help = examples = flags = ""
	part = 0
	next
}
inside && part == 1 { help = help escaped($0) "\n" }
inside && part == 2 { examples = examples escaped($0) "\n" }
inside && part == 3 { flags = flags escaped($0) "\n" }
END {
	finish()
	if (count < 100) {
		print "docs/cli.md has only " count+0 " commands" >"/dev/stderr"
		exit 1
	}
}
