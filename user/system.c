// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "err.h"
#include "system.h"
#include "text.h"

#define BTF "/sys/kernel/btf/vmlinux"

enum { OLDEST_MAJOR = 6, OLDEST_MINOR = 1 };

bool system_has_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	__u64 all;

	if (syscall(SYS_capget, &header, data))
		return false;
	all = (__u64)data[1].effective << 32 | data[0].effective;
#define HAS(cap) (all & 1ULL << (cap))
	return HAS(CAP_NET_ADMIN) && (HAS(CAP_BPF) || HAS(CAP_SYS_ADMIN));
#undef HAS
}

int system_check_capabilities(void)
{
	if (system_has_capabilities())
		return 0;
	return fail(EPERM, "this needs the capabilities CAP_BPF and CAP_NET_ADMIN: run it as root");
}

bool system_kernel_is_least(int major, int minor)
{
	struct utsname u;
	int a = 0, b = 0;

	if (uname(&u) || sscanf(u.release, "%d.%d", &a, &b) != 2)
		return false;
	return a > major || (a == major && b >= minor);
}

bool system_has_btf(void)
{
	return !access(BTF, R_OK);
}

int system_has_jit(void)
{
	FILE *f = fopen("/proc/sys/net/core/bpf_jit_enable", "re");
	int on = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%d", &on) != 1)
		on = -1;
	fclose(f);
	return on;
}

int system_check_kernel(void)
{
	struct utsname u;

	if (!system_kernel_is_least(OLDEST_MAJOR, OLDEST_MINOR))
		return fail(EOPNOTSUPP, "kernel %s is too old: tsw needs %d.%d or newer",
			    uname(&u) ? "?" : escaped(u.release), OLDEST_MAJOR, OLDEST_MINOR);
	if (!system_has_btf())
		return fail(EOPNOTSUPP,
			    BTF " is missing: the kernel must be built with CONFIG_DEBUG_INFO_BTF");
	return 0;
}

bool system_has_kfunc(const char *name)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	bool found = kernel && btf__find_by_name_kind(kernel, name, BTF_KIND_FUNC) > 0;

	btf__free(kernel);
	return found;
}
