#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   a repository with a few files of this tree
#
# Which commit a build tells: of a repository, of a release's tar, of neither. A release is the same
# wherever and by whomever it is made, and its sums, signature and list of contents are true.
# `make test-deb` makes packages and compares them.
. "$(dirname "$0")/../../lib.sh"

needs git git
needs gpg gpg
needs "Debian's tools for packages" dpkg-deb dpkg-architecture
B=${BUILD:-$ROOT/build}
unset BUILD # the releases of trees made here have their own

# ---- the commit -------------------------------------------------------------------------------

tree=$WORK/tree
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
mkdir -p $tree/scripts
cp "$ROOT"/scripts/commit.sh $tree/scripts
cp "$ROOT"/{COMMIT,.gitattributes} $tree
G=(git -c user.name=nobody -c user.email=nobody@example.org -c init.defaultBranch=main -C "$tree")
says() { is "$1" "$($tree/scripts/commit.sh)" "$2"; }
says "neither git nor a release's tar" unknown
"${G[@]}" init -q
says "no commit yet" unknown
"${G[@]}" add .
"${G[@]}" commit -qm first
hash=$("${G[@]}" rev-parse HEAD) short=${hash:0:12}
at=$("${G[@]}" log -1 --format=%ct)
says "a commit" "$short"
check "it is written" $tree/scripts/commit.sh $WORK/commit.c
is "as a string of C" "$(<$WORK/commit.c)" "const char build_commit[] = \"$short\";"
touch -d @1000 $WORK/commit.c
check "once more" $tree/scripts/commit.sh $WORK/commit.c
is "writes nothing, so nothing is linked anew" "$(stat -c %Y $WORK/commit.c)" 1000
echo old >$WORK/commit.c
check "who may not write there" setpriv --reuid 65534 --clear-groups $tree/scripts/commit.sh \
	$WORK/commit.c
is "leaves what was built" "$(<$WORK/commit.c)" old
echo new >$tree/new
says "a file that git does not know changes nothing" "$short"
echo '# more' >>$tree/scripts/commit.sh
says "what git knows has changed" "$short-modified"
"${G[@]}" checkout -q .
chown -R 65534 $tree
says "a tree of somebody else's" "$short"
chown -R 0 $tree
mkdir $tree/inner
"${G[@]}" archive HEAD | tar -x -C $tree/inner
is "the file of a release's tar has the whole one" "$(<$tree/inner/COMMIT)" "$hash $at"
is "a tar that lies in another repository" "$($tree/inner/scripts/commit.sh)" "$short"
is "it has the commit's time" "$($tree/inner/scripts/commit.sh time)" "$at"
for text in '' nonsense "$hash" "$hash x" "$hash 1 2" '";evil[]="'; do
	echo "$text" >$tree/inner/COMMIT
	is "a COMMIT with '$text'" "$($tree/inner/scripts/commit.sh)" unknown
done
rm $tree/inner/COMMIT
is "no COMMIT" "$($tree/inner/scripts/commit.sh)" unknown
is "the command tells one" "$("$TSW" -j version | gojq '.commit |
	test("^([0-9a-f]{12}(-modified)?|unknown)$")')" true
check "as text, too" grep -qE ' commit [0-9a-z-]+ ' <("$TSW" version)

# ---- a release --------------------------------------------------------------------------------

mkdir $tree/debian
cp "$ROOT"/{VERSION,CHANGELOG.md} $tree
cp "$ROOT"/scripts/release.sh $tree/scripts
cp "$ROOT"/debian/changelog $tree/debian
rm -rf $tree/inner
"${G[@]}" add .
"${G[@]}" commit -qm second
version=$(<"$ROOT/VERSION") name=tenant-switch-$(<"$ROOT/VERSION")
release() { PACKAGES=none "$1/scripts/release.sh"; } # TREE
check "make release, of the sources alone" release $tree
git clone -q $tree $WORK/clone
chown -R 65534 $WORK/clone
check "elsewhere, by another user, with another umask and clock" eval "(umask 077
	TZ=XYZ-13:30 setpriv --reuid 65534 --clear-groups env PACKAGES=none HOME=/nonexistent \
		$WORK/clone/scripts/release.sh)"
is "the same octets" "$(diff -r $tree/build/release $WORK/clone/build/release 2>&1 || true)" ""
is "all that is there has its sum" "$(cd $tree/build/release && sha256sum -c SHA256SUMS)" \
	"$name.tar.gz: OK"
is "the tar is of root, with the commit's time" "$(tar -tvzf $tree/build/release/$name.tar.gz \
	--numeric-owner --full-time | awk '{ print $2, $4, $5 }' | sort -u)" \
	"0/0 $(TZ=UTC date -d "@$("${G[@]}" log -1 --format=%ct)" '+%F %T')"
refuses() { # WHY VARIABLE...
	local why=$1

	shift
	is "refused: $why" "$(env PACKAGES=none "$@" $tree/scripts/release.sh 2>&1 || true)" "release: $why"
	check "and what was made before is there" test -s $tree/build/release/SHA256SUMS
}
refuses 'gpg has no secret key "nobody"' SIGN=nobody
refuses '"../x" is no suite of Debian' SUITES=../x
refuses '"../x" is no architecture of Debian' ARCHS=../x
echo '# more' >>$tree/scripts/release.sh
refuses "commit these changes first: scripts/release.sh"
"${G[@]}" checkout -q .
sed -i "s/^## $version - /## 9.9.9 - /" $tree/CHANGELOG.md && "${G[@]}" commit -qam third
refuses "CHANGELOG.md has no part \"## $version - DATE\""
"${G[@]}" reset -q --hard HEAD~
sed -i 1d $tree/debian/changelog && "${G[@]}" commit -qam third
refuses "the first line of debian/changelog is not of version $version"
"${G[@]}" reset -q --hard HEAD~
mv $tree/.git $WORK/git
refuses "this tree is no repository of git, so it has no commit to release"
mv $WORK/git $tree/.git

# ---- its signature ------------------------------------------------------------------------------

export GNUPGHOME=$WORK/keys
mkdir -m 700 $GNUPGHOME
gpg --batch --quiet --passphrase '' --quick-generate-key tester ed25519 sign never 2>/dev/null
check "make release SIGN=KEY" env SIGN=tester PACKAGES=none $tree/scripts/release.sh
(cd $tree/build/release && gpg --verify SHA256SUMS.asc SHA256SUMS) 2>$WORK/verify ||
	echo "status $?" >>$WORK/verify
check "its signature is good" grep -q 'Good signature from "tester"' $WORK/verify
echo more >>$tree/build/release/SHA256SUMS
check_fails "that of other sums is not" gpg --verify $tree/build/release/SHA256SUMS.asc
gpgconf --kill all

# ---- what a program tells of where it was built ------------------------------------------------

# The directories have names of different length, and are of different users.
for dir in $WORK/a $WORK/another/place; do
	mkdir -p $dir/selftests/tools
	cp -a "$ROOT"/{Makefile,VERSION,COMMIT,scripts,include,bpf,user} $dir
	(umask 0$((${#dir} % 7))7 && nice make -s -C $dir build/user/base/parse.o \
		build/bpf/xdp_vxlan.o build/commit.o >/dev/null)
done
for object in user/base/parse.o bpf/xdp_vxlan.o commit.o; do
	check "$object has the same octets" cmp $WORK/{a,another/place}/build/$object
done

# ---- what is in a package ------------------------------------------------------------------------

mkdir -p $WORK/deb/{DEBIAN,usr/sbin,usr/share}
cp "$B/tsw" $WORK/deb/usr/sbin
echo text >"$WORK/deb/usr/share/a file"
printf '%s\n' 'Package: tenant-switch' "Version: $version" 'Maintainer: nobody' \
	"Architecture: $(dpkg --print-architecture)" 'Description: of a test' \
	'Depends: libbpf1 (>= 1), libc6, libjansson4, libmnl0, libnftables1' \
	'Recommends: libcurl4 | libcurl4t64, iproute2' >$WORK/deb/DEBIAN/control
dpkg-deb --root-owner-group -b $WORK/deb $WORK/tsw.deb >/dev/null
mkdir -p $WORK/other/DEBIAN $WORK/other/usr
printf '%s\n' 'Package: libtsw-dev' "Version: $version" 'Maintainer: nobody' \
	"Architecture: $(dpkg --print-architecture)" 'Description: of a test' \
	'Depends: libbpf-dev' >$WORK/other/DEBIAN/control
dpkg-deb --root-owner-group -b $WORK/other $WORK/other.deb >/dev/null
(cd "$ROOT" && BUILD=$B scripts/sbom.sh $WORK/tsw.deb $WORK/other.deb) >$WORK/sbom.json
checked() { # FILTER
	jq "$1" $WORK/sbom.json >$WORK/changed.json
	"$ROOT/scripts/sbom.sh" check $WORK/changed.json
}
check "a list of its contents" checked .
is "which are its files" "$(jq -r '.files[].fileName' $WORK/sbom.json | sort | paste -sd,)" \
	"./usr/sbin/tsw,./usr/share/a file"
is "by their sums" "$(jq -r '.files[0].checksums[1].checksumValue' $WORK/sbom.json)" \
	"$(sha256sum <$WORK/deb/usr/sbin/tsw | cut -d ' ' -f 1)"
is "and libraries in the version that is here" "$(jq -r '.packages[] | select(.name == "libbpf1")
	.versionInfo' $WORK/sbom.json)" "$(dpkg-query -W -f '${Version}' libbpf1)"
while IFS='@' read -r change said; do
	is "noticed: $said" "$(checked "$change" || true)" "$said"
done <<'END'
.spdxVersion = "SPDX-2.2"@it is not SPDX-2.3
.creationInfo.created = "today"@no time
del(.packages[0].downloadLocation)@package tenant-switch has no downloadLocation
.files[0].checksums[0].checksumValue = "x"@a checksum of ./usr/sbin/tsw
del(.files[0].checksums[1])@./usr/sbin/tsw lacks a checksum
.relationships += [.relationships[0] | .relatedSpdxElement = "SPDXRef-x"]@there is no SPDXRef-x
.relationships |= map(select(.relationshipType != "STATIC_LINK"))@libprotobuf-c is linked in, and not said
.packages[0].sourceInfo = "commit $Format"@it tells no commit
END
# shellcheck disable=SC2016 # jq's
is "a library that is loaded and not said" "$(checked '(.packages[] | select(.name == "libmnl0")
	.SPDXID) as $id | .relationships |= map(select(.relationshipType != "DYNAMIC_LINK" or
	.relatedSpdxElement != $id))' || true)" "it needs libmnl0, and loads nothing of it"
finish
