// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <sys/utsname.h>

#include <bpf/libbpf.h>

#include "base/json.h"
#include "cmd/cmd.h"
#include "kernel/system.h"
#include "store/attach.h"
#include "store/pins.h"

/* null if the answer is not known. */
static json_t *yes_no(bool known, bool yes)
{
	return known ? json_boolean(yes) : json_null();
}

int cmd_features(struct cli *cli, const struct words *w)
{
	const bool capable = system_has_capabilities();
	const int jit = system_has_jit();
	struct utsname u = {};

	(void)w;
	uname(&u);
	out_object(&cli->out,
		   json_pack("{s:o, s:b, s:b, s:o, s:b, s:b, s:o, s:b, s:b, s:b, s:b, s:b, s:b}",
			     "kernel", json_text(u.release), "supported", !system_check_kernel(),
			     "btf", system_has_btf(), "jit", yes_no(jit >= 0, jit > 0), "bpffs",
			     pins_have_fs(), "capabilities", capable, "tcx",
			     yes_no(capable, capable && attach_has_tcx()), "decap_ipv6",
			     system_kernel_is_least(6, 3), "ipv6", system_has_ipv6(), "gre_dev",
			     system_has_module("ip_gre"), "geneve_dev", system_has_module("geneve"),
			     "gateway_fast", system_has_btf() && system_has_module("nf_conntrack"),
			     "wireguard", system_has_module("wireguard")));
	return 0;
}

/* See scripts/commit.sh. Only the command is linked with it; other programs have this file, too. */
extern const char build_commit[] __attribute__((weak));

int cmd_version(struct cli *cli, const struct words *w)
{
	struct utsname u = {};
	char libbpf[32];

	(void)w;
	uname(&u);
	snprintf(libbpf, sizeof(libbpf), "%u.%u", libbpf_major_version(), libbpf_minor_version());
	out_object(&cli->out,
		   json_pack("{s:s, s:s, s:i, s:s, s:o}", "tsw", TSW_VERSION, "commit",
			     build_commit ? build_commit : "unknown", "abi", TSW_ABI_VERSION,
			     "libbpf", libbpf, "kernel", json_text(u.release)));
	return 0;
}
