# SPDX-License-Identifier: GPL-2.0-only
# The facts of sbom.sh as a document of SPDX 2.3. A fact is a line:
#   deb NAME VERSION ARCH FILE SHA256         a package
#   code NAME SHA1                            of all its files
#   file NAME SHA1 SHA256 PATH                a file in it
#   loads | links NAME OTHER VERSION ARCH     what a program in it loads, or has linked in
#   needs | may NAME OTHER                    what it names
#   tool OTHER VERSION ARCH                   what built it

def id(words): "SPDXRef-" + (words | join("-") | gsub("[^A-Za-z0-9.-]"; "-"));
def checksum($algorithm; $value): {algorithm: $algorithm, checksumValue: $value};
def relation($from; $type; $to):
	{spdxElementId: $from, relationshipType: $type, relatedSpdxElement: $to};
def unsaid: {downloadLocation: "NOASSERTION", copyrightText: "NOASSERTION",
	licenseConcluded: "NOASSERTION"};

[inputs | split(" ")] as $facts
| def of($kind): $facts | map(select(.[0] == $kind));
# Of Debian's packages that are only named there is no version.
(of("loads") + of("links") | map(.[2:]) + (of("tool") | map(.[1:])) | unique) as $exact
| ($exact | map(.[0])) as $known
| (of("deb") | map(.[1])) as $ours
| (of("needs") + of("may") | map(.[2:3]) | unique
	| map(select(.[0] as $n | $known + $ours | index($n) | not))) as $named
| def other($name): if $ours | index($name) then id(["deb", $name]) else
	id($exact + $named | map(select(.[0] == $name)) | .[0]) end;
{
	spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT",
	name: (of("deb")[0] | "\(.[1])_\(.[2])_\(.[3])"),
	documentNamespace: (of("deb")[0] | "urn:tenant-switch:\(.[2] | @uri):\(.[3]):\($commit)"),
	creationInfo: {
		created: ($epoch | if . == "" then 0 else tonumber end | todate),
		creators: ["Tool: sbom.sh-\($version)", "Organization: The tenant-switch authors"]
	},
	packages: (
		(of("deb") | map(. as [$_, $name, $version, $arch, $file, $sum]
			| (of("file") | map(select(.[1] == $name))) as $files
			| unsaid + {
				SPDXID: id(["deb", $name]), name: $name, versionInfo: $version,
				packageFileName: $file, licenseDeclared: "GPL-2.0-only",
				sourceInfo: "commit \($commit)", primaryPackagePurpose: "INSTALL",
				checksums: [checksum("SHA256"; $sum)],
				filesAnalyzed: ($files != []),
				externalRefs: [{referenceCategory: "PACKAGE-MANAGER",
					referenceType: "purl", referenceLocator:
					"pkg:deb/tenant-switch/\($name)@\($version | @uri)?arch=\($arch)"}]
			} + if $files == [] then {} else {
				hasFiles: ($files | map(id(["file", $name, .[4:][]]))),
				licenseInfoFromFiles: ["NOASSERTION"],
				packageVerificationCode: {packageVerificationCodeValue:
					(of("code")[] | select(.[1] == $name) | .[2])}
			} end))
		+ ($exact + $named | map(unsaid + {
			SPDXID: id(.), name: .[0], filesAnalyzed: false, licenseDeclared: "NOASSERTION",
			supplier: "Organization: Debian",
			externalRefs: [{referenceCategory: "PACKAGE-MANAGER", referenceType: "purl",
				referenceLocator: ("pkg:deb/debian/\(.[0] | @uri)"
					+ if .[1] then "@\(.[1] | @uri)?arch=\(.[2])" else "" end)}]
		} + if .[1] then {versionInfo: .[1]} else {} end))),
	files: (of("file") | map({
		SPDXID: id(["file", .[1], .[4:][]]), fileName: (.[4:] | join(" ")),
		checksums: [checksum("SHA1"; .[2]), checksum("SHA256"; .[3])],
		licenseConcluded: "NOASSERTION", licenseInfoInFiles: ["NOASSERTION"],
		copyrightText: "NOASSERTION"})),
	relationships: ([
		(of("deb")[] | relation("SPDXRef-DOCUMENT"; "DESCRIBES"; id(["deb", .[1]]))),
		(of("file")[] | relation(id(["deb", .[1]]); "CONTAINS"; id(["file", .[1], .[4:][]]))),
		(of("loads")[] | relation(id(["deb", .[1]]); "DYNAMIC_LINK"; id(.[2:]))),
		(of("links")[] | relation(id(["deb", .[1]]); "STATIC_LINK"; id(.[2:]))),
		(of("needs")[] | relation(id(["deb", .[1]]); "DEPENDS_ON"; other(.[2]))),
		(of("may")[] | relation(other(.[2]); "OPTIONAL_DEPENDENCY_OF"; id(["deb", .[1]]))),
		(of("tool")[] | id(.[1:]) as $tool | $ours[]
			| relation($tool; "BUILD_TOOL_OF"; id(["deb", .])))
	] | unique)
}
