# SPDX-License-Identifier: GPL-2.0-only
# What is wrong with a document of SPDX 2.3 in JSON, a line each: what the specification asks for,
# and that the packages which Debian's dpkg-shlibdeps found are all among what is loaded.

def missing($names): . as $o | $names[] | select($o[.] // "" | . == "" or . == []);
def hex($n): test("^[0-9a-f]{\($n)}$");
def sums: .checksums[] | ({SHA1: 40, SHA256: 64}[.algorithm] // 0) as $n
	| select(.checksumValue | hex($n) | not);
(["CONTAINS", "DESCRIBES", "DEPENDS_ON", "DYNAMIC_LINK", "STATIC_LINK", "OPTIONAL_DEPENDENCY_OF",
	"BUILD_TOOL_OF"]) as $types
| (.packages // []) as $packages | (.files // []) as $files | (.relationships // []) as $relations
| ([.SPDXID] + ($packages + $files | map(.SPDXID))) as $ids
| ($ids | map({key: ., value: true}) | from_entries) as $there
| (missing(["spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "packages"])
	| "the document has no \(.)"),
(select(.spdxVersion != "SPDX-2.3") | "it is not SPDX-2.3"),
(select(.dataLicense != "CC0-1.0") | "its license is not CC0-1.0"),
(select(.documentNamespace | test("^[a-z]+:[^# ]+$") | not) | "its namespace is no URI"),
(select(.creationInfo.created | test("^\\d{4}(-\\d\\d){2}T\\d\\d(:\\d\\d){2}Z$") | not) | "no time"),
(select(.creationInfo.creators | length == 0 or any(test("^(Tool|Organization|Person): .") | not))
	| "nobody made it"),
($ids[] | select(test("^SPDXRef-[A-Za-z0-9.-]+$") | not) | "\(.) is no SPDXID"),
($ids | group_by(.)[] | select(length > 1) | "\(.[0]) is there \(length) times"),
($packages[] | . as $p | missing(["name", "SPDXID", "downloadLocation", "licenseConcluded"])
	| "package \($p.name) has no \(.)"),
($packages[] | . as $p | select(.filesAnalyzed) 
	| missing(["hasFiles", "packageVerificationCode", "versionInfo"]) | "package \($p.name) has no \(.)"),
($packages + $files | .[] | select(.checksums) | . as $x | sums
	| "a checksum of \($x.name // $x.fileName)"),
($files[] | . as $f | select([.checksums[].algorithm] | sort != ["SHA1", "SHA256"])
	| "\(.fileName) lacks a checksum"),
($files[] | select(.fileName | startswith("./") | not) | "\(.fileName): not relative"),
($packages[] | (.hasFiles // [])[] | select($there[.] | not) | "there is no file \(.)"),
($relations[] | (.spdxElementId, .relatedSpdxElement) | select($there[.] | not) | "there is no \(.)"),
($relations[] | select(.relationshipType as $t | $types | index($t) | not) | "\(.relationshipType)"),
([$relations[] | select(.relationshipType == "DESCRIBES")] | select(length == 0) | "it describes nothing"),
($packages | map({key: .SPDXID, value: .name}) | from_entries) as $names
| [$relations[] | select(.spdxElementId == "SPDXRef-deb-tenant-switch")] as $its
| ($its | map(select(.relationshipType == "DYNAMIC_LINK") | $names[.relatedSpdxElement])) as $loaded
| ($its | map(select(.relationshipType == "STATIC_LINK") | $names[.relatedSpdxElement])) as $linked
| ($its[] | select(.relationshipType == "DEPENDS_ON") | $names[.relatedSpdxElement]
	| select(. as $n | $loaded | index($n) | not) | "it needs \(.), and loads nothing of it"),
(select($linked | index("libprotobuf-c-dev") | not) | "libprotobuf-c is linked in, and not said"),
(select($packages | map(select(.name == "tenant-switch").sourceInfo // "")
	| any(test("^commit ([0-9a-f]{12}(-modified)?|unknown)$")) | not) | "it tells no commit")
