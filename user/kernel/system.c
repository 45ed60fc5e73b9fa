// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>
#include <libmnl/libmnl.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/system.h"

#define BTF "/sys/kernel/btf/vmlinux"
#define CT_LOOKUP "bpf_skb_ct_lookup"

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

int system_setting(const char *path)
{
	FILE *f = fopen(path, "re");
	int value;

	if (!f)
		return -errno;
	if (fscanf(f, "%d", &value) != 1 || value < 0)
		value = -EIO;
	fclose(f);
	return value;
}

int system_set(const char *path, int value)
{
	FILE *f = fopen(path, "we");
	int err;

	if (!f)
		return -errno;
	err = fprintf(f, "%d\n", value) < 0 ? -errno : 0;
	return fclose(f) && !err ? -errno : err;
}

bool system_counts_runs(void)
{
	return system_setting("/proc/sys/kernel/bpf_stats_enabled") > 0;
}

int system_has_jit(void)
{
	const int on = system_setting("/proc/sys/net/core/bpf_jit_enable");

	return on < 0 ? -1 : on;
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

bool system_has_ipv6(void)
{
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* A line begins with the module's file: kernel/net/ipv4/ip_gre.ko.xz: ... */
static bool is_listed(FILE *list, const char *name)
{
	char *line = NULL, *file;
	size_t room = 0, len = strlen(name);
	bool found = false;

	while (!found && getline(&line, &room, list) > 0) {
		line[strcspn(line, ":")] = '\0';
		file = strrchr(line, '/');
		found = file && !strncmp(file + 1, name, len) && !strncmp(file + 1 + len, ".ko", 3);
	}
	free(line);
	return found;
}

bool system_has_module(const char *name)
{
	char path[128];
	struct utsname u;
	bool found;
	FILE *list;

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	if (!access(path, F_OK))
		return true;
	if (uname(&u))
		return false;
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", u.release);
	list = fopen(path, "re");
	if (!list)
		return false;
	found = is_listed(list, name);
	fclose(list);
	return found;
}

static bool has_function(const struct btf *btf, const char *name)
{
	return btf && btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;
}

bool system_has_kfunc(const char *name)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	bool found = has_function(kernel, name);

	btf__free(kernel);
	return found;
}

/* Makes the kernel load conntrack's module, which it needs for an answer. */
static void load_conntrack(void)
{
	char buffer[128] = "";
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_NETFILTER, SOCK_CLOEXEC);
	struct nfgenmsg *header;

	request->nlmsg_type = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_GET_STATS;
	request->nlmsg_flags = NLM_F_REQUEST;
	header = mnl_nlmsg_put_extra_header(request, sizeof(*header));
	header->version = NFNETLINK_V0;
	if (!socket)
		return;
	if (!mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID))
		mnl_socket_sendto(socket, request, request->nlmsg_len);
	mnl_socket_close(socket);
}

/* conntrack's functions are in the kernel, or in its module, which has BTF when it is loaded. */
bool system_has_conntrack(void)
{
	struct btf *kernel = btf__load_vmlinux_btf(), *module;
	bool found = has_function(kernel, CT_LOOKUP);

	if (kernel && !found) {
		load_conntrack();
		module = btf__load_module_btf("nf_conntrack", kernel);
		found = !libbpf_get_error(module) && has_function(module, CT_LOOKUP);
		btf__free(module);
	}
	btf__free(kernel);
	return found;
}

/* The coarse clock advances with each jiffy. */
__u32 system_jiffy(void)
{
	struct timespec tick = {};

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return (__u32)tick.tv_nsec;
}
