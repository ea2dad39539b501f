#!/bin/sh
# Installs a release of fctl:
#
#   install.sh VERSION [DIRECTORY]
#
# VERSION is a tag, such as v0.1.0, and DIRECTORY is where the program goes (default: /usr/local/bin).
# Nothing is installed unless the archive has the checksum of the release. $FCTL_RELEASES is the
# address of a mirror, which has a directory for each tag.
set -eu

fail() {
	echo "install.sh: $1" >&2
	exit 1
}
fetch() {
	if command -v curl >/dev/null; then
		curl -fsSL --retry 3 -o "$2" "$1" || fail "$1 cannot be fetched"
	elif command -v wget >/dev/null; then
		wget -q -O "$2" "$1" || fail "$1 cannot be fetched"
	else
		fail "neither curl nor wget is installed"
	fi
}

case ${1-} in
v[0-9]*) tag=$1 ;;
*) fail "\"${1-}\" is not a tag such as v0.1.0" ;;
esac
directory=${2:-/usr/local/bin}
releases=${FCTL_RELEASES:-https://github.com/fctl-dev/fctl/releases/download}

os=$(uname -s) form=tar.gz program=fctl
case $os in
Linux) os=linux ;;
Darwin) os=darwin ;;
MINGW* | MSYS* | CYGWIN*) os=windows form=zip program=fctl.exe ;;
*) fail "there are no releases for $os: build it with Go" ;;
esac
arch=$(uname -m)
case $arch in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there are no releases for $arch: build it with Go" ;;
esac

archive=fctl_${tag#v}_${os}_$arch.$form
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fetch "$releases/$tag/checksums.txt" "$work/checksums.txt"
fetch "$releases/$tag/$archive" "$work/$archive"
cd "$work"
grep " $archive\$" checksums.txt >wanted || fail "checksums.txt of $tag does not have $archive"
if command -v sha256sum >/dev/null; then
	sha256sum -c wanted >/dev/null || fail "$archive does not have the checksum of the release"
else
	shasum -a 256 -c wanted >/dev/null || fail "$archive does not have the checksum of the release"
fi
case $form in
zip) unzip -q "$archive" "$program" ;;
*) tar xzf "$archive" "$program" ;;
esac
cd "$OLDPWD"
mkdir -p "$directory"
# A program that runs keeps its file: the new one takes its place in one step.
cp "$work/$program" "$directory/.$program.new"
chmod 755 "$directory/.$program.new"
mv -f "$directory/.$program.new" "$directory/$program"
echo "installed $directory/$program $tag"
