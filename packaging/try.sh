#!/bin/sh
# Tries what goreleaser made: archives, their checksums and contents, the package for Debian, which is
# installed in a directory, and the program in it.
#
#   try.sh DIST
set -eu
dist=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "try.sh: $1" >&2
	exit 1
}

cd "$dist"
sha256sum --quiet -c checksums.txt
arch=$(go env GOARCH)
set -- fctl_*_linux_"$arch".tar.gz
archive=$1
version=${archive#fctl_}
version=${version%_linux_*}
echo "version $version"

tar xzf "$archive" -C "$work"
for file in fctl fctl-mcp LICENSE README.md licenses.txt completions/fctl.bash completions/fctl.zsh \
	completions/fctl.fish completions/fctl.powershell man/fctl.1 man/fctl-do.1 man/fctl-paths.7; do
	[ -s "$work/$file" ] || fail "$archive does not have $file"
done
if [ "$(tar tzf "$archive" | grep -c '^man/')" -lt 100 ]; then
	fail "$archive has few manual pages"
fi
case $("$work/fctl" version) in
*devel*) fail "fctl does not know its version" ;;
esac
"$work/fctl" version

# Installing the package uses a database of its own, so nothing of this machine changes.
if command -v dpkg >/dev/null; then
	package=fctl_${version}_linux_$arch.deb
	root=$work/root
	mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
	: >"$root/var/lib/dpkg/status"
	dpkg --root="$root" --force-not-root --force-bad-path --log=/dev/null -i "$package" >/dev/null
	"$root/usr/bin/fctl" version >/dev/null
	for file in usr/bin/fctl-mcp usr/share/man/man1/fctl.1.gz usr/share/man/man7/fctl-paths.7.gz \
		usr/share/bash-completion/completions/fctl usr/share/doc/fctl/copyright; do
		[ -s "$root/$file" ] || fail "$package does not install $file"
	done
	dpkg --root="$root" --force-not-root --force-bad-path --log=/dev/null -r fctl >/dev/null
	[ ! -e "$root/usr/bin/fctl" ] || fail "$package leaves files when it is removed"
	echo "installed and removed $package"
fi
ls -- *.cdx.json >/dev/null || fail "there are no lists of modules"

# A snapshot for one system has no manifests for the catalogues of others.
for os in linux darwin windows; do
	for one in fctl_"${version}_${os}"_*.tar.gz fctl_"${version}_${os}"_*.zip; do
		[ -e "$one" ] || continue
		grep -q " $one\$" checksums.txt || fail "checksums.txt does not have $one"
		echo "archive $one"
	done
done
for manifest in homebrew/Casks/fctl.rb scoop/fctl.json krew/fctl.yaml aur/fctl-bin.pkgbuild; do
	if [ -e "$manifest" ]; then
		grep -q "fctl-dev/fctl/releases/download/v[^/]*/[a-z-]*_" "$manifest" ||
			fail "$manifest does not name the archives"
		echo "manifest $manifest"
	elif [ -e "fctl_${version}_windows_amd64.zip" ]; then
		fail "$manifest is missing"
	fi
done
