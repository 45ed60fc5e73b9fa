// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "cli/ended.h"
#include "cmd/cmd.h"
#include "door/router_ns.h"
#include "tools/doctor/gather.h"

enum { WORDS = 10 };

/*
 * What is in a dump: each command's output is a file. TSW stands for this tsw and its switch,
 * ROUTER for the router's namespace, UNIT for the agent's. No command here prints a secret: `save`
 * and `show` have public keys alone, maps are listed but not read, and no file of /etc is copied.
 */
static const struct item {
	const char *name;
	const char *argv[WORDS];
} items[] = {
	{"tsw-version", {"TSW", "version"}},
	{"tsw-features", {"TSW", "features"}},
	{"tsw-status", {"TSW", "status"}},
	{"tsw-doctor", {"TSW", "doctor"}},
	{"tsw-doctor.json", {"TSW", "-p", "doctor"}},
	{"tsw-switch.json", {"TSW", "-p", "switch", "show"}},
	{"tsw-save.json", {"TSW", "save"}},
	{"tsw-hosts", {"TSW", "-s", "host", "show"}},
	{"tsw-tenants", {"TSW", "-s", "tenant", "show"}},
	{"tsw-endpoints", {"TSW", "endpoint", "show"}},
	{"tsw-gateways", {"TSW", "gateway", "show"}},
	{"tsw-publish", {"TSW", "publish", "show"}},
	{"tsw-peers", {"TSW", "peer", "show"}},
	{"tsw-policies", {"TSW", "policy", "show"}},
	{"tsw-stats", {"TSW", "stats", "show"}},
	{"tsw-drops", {"TSW", "stats", "drops"}},
	{"tsw-metrics", {"TSW", "metrics"}},
	{"tsw-cluster.json", {"TSW", "-p", "cluster", "show"}},
	{"uname", {"uname", "-a"}},
	{"os-release", {"cat", "/etc/os-release"}},
	{"cpu", {"nproc"}},
	{"memory", {"cat", "/proc/meminfo"}},
	{"modules", {"cat", "/proc/modules"}},
	{"mounts", {"cat", "/proc/self/mounts"}},
	{"kernel-log", {"dmesg"}},
	{"agent-log", {"journalctl", "--no-pager", "-n", "1000", "-u", "UNIT"}},
	{"pins", {"find", "/sys/fs/bpf", "-ls"}},
	{"bpf-programs", {"bpftool", "prog", "show"}},
	{"bpf-maps", {"bpftool", "map", "show"}},
	{"bpf-links", {"bpftool", "link", "show"}},
	{"bpf-net", {"bpftool", "net", "show"}},
	{"ip-link", {"ip", "-d", "-s", "link"}},
	{"ip-address", {"ip", "address"}},
	{"ip-rule", {"ip", "rule"}},
	{"ip6-rule", {"ip", "-6", "rule"}},
	{"ip-route", {"ip", "route", "show", "table", "all"}},
	{"ip6-route", {"ip", "-6", "route", "show", "table", "all"}},
	{"ip-neighbour", {"ip", "neighbour"}},
	{"tc-qdisc", {"tc", "-s", "qdisc"}},
	{"nft", {"nft", "list", "ruleset"}},
	{"sysctl-net", {"sysctl", "-e", "-a", "-r", "^net\\.(core|ipv[46]\\.(conf|ip_|neigh))"}},
	{"sysctl-kernel",
	 {"sysctl", "-e", "kernel.bpf_stats_enabled", "kernel.unprivileged_bpf_disabled",
	  "kernel.rcu_expedited"}},
	{"router-address", {"ip", "-n", "ROUTER", "address"}},
	{"router-link", {"ip", "-n", "ROUTER", "-d", "-s", "link"}},
	{"router-rule", {"ip", "-n", "ROUTER", "rule"}},
	{"router-route", {"ip", "-n", "ROUTER", "route", "show", "table", "all"}},
	{"router-nft", {"ip", "netns", "exec", "ROUTER", "nft", "list", "ruleset"}},
};

#define ITEMS (sizeof(items) / sizeof(items[0]))

/* Puts the words of one item together; ROOM has places for all. */
static void fill(const struct tsw *t, const struct item *item, char **argv, char unit[])
{
	static char self[] = "/proc/self/exe", net[] = "-n", name[] = "-i";
	unsigned int i, used = 0;

	for (i = 0; i < WORDS && item->argv[i]; i++) {
		const char *word = item->argv[i];

		if (!strcmp(word, "TSW")) {
			argv[used++] = self;
			if (t->netns)
				argv[used++] = net, argv[used++] = (char *)t->netns;
			argv[used++] = name;
			argv[used++] = (char *)t->instance;
		} else {
			argv[used++] = !strcmp(word, "UNIT") ? unit
				       : !strcmp(word, "ROUTER")
					       ? (char *)router_ns_name(t->instance)
					       : (char *)word;
		}
	}
	argv[used] = NULL;
}

static int collect(const struct tsw *t, struct gathered *all, unsigned int *n)
{
	char *argv[WORDS + 6], unit[TSW_NAME_LEN + 16];
	int err = 0;

	snprintf(unit, sizeof(unit), "tsw-agent@%s", t->instance);
	for (*n = 0; !err && *n < ITEMS && !ended_asked(); ++*n) {
		struct gathered *one = &all[*n];

		one->fd = memfd_create("tsw", MFD_CLOEXEC);
		if (one->fd < 0)
			return fail(errno, "no memory for the dump: %s", strerror(errno));
		snprintf(one->name, sizeof(one->name), "%s", items[*n].name);
		fill(t, &items[*n], argv, unit);
		err = gather_run(argv, one->fd);
	}
	return err ?: ended_asked() ? fail(EINTR, "interrupted; nothing was written") : 0;
}

/* ---- the file ------------------------------------------------------------------------ */

static int refuse(const char *path)
{
	return errno == EEXIST ? fail(EEXIST, "%s exists already: name another file", quoted(path))
			       : fail(errno, "cannot write %s: %s", quoted(path), strerror(errno));
}

/*
 * A file without a name, which gets it when it is complete, so that a killed command leaves
 * nothing. Where the filesystem has no such files, it has its name from the beginning.
 */
static int make(const char *path, bool *named)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	struct stat st;
	int fd;

	if (!*path || path[strlen(path) - 1] == '/') {
		errno = EISDIR;
		return refuse(path);
	}
	if (!lstat(path, &st)) {
		errno = EEXIST;
		return refuse(path);
	}
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	*named = fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR);
	if (*named)
		fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? refuse(path) : fd;
}

/* Gives the complete file its name, or removes a half-written one. */
static int finish(const char *path, int fd, bool named, int err)
{
	char open_file[32];

	snprintf(open_file, sizeof(open_file), "/proc/self/fd/%d", fd);
	if (!err && !named && linkat(AT_FDCWD, open_file, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		err = refuse(path);
	if (named && err)
		unlink(path);
	close(fd);
	return err;
}

int cmd_sysdump(struct cli *cli, const struct words *w)
{
	struct gathered all[ITEMS] = {};
	char top[64];
	const time_t now = time(NULL);
	unsigned int n = 0, i;
	struct tm utc;
	bool named = false;
	int fd = make(w->file, &named), err;

	if (fd < 0)
		return fd;
	ended_catch();
	strftime(top, sizeof(top), "tsw-sysdump-%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
	err = collect(&cli->tsw, all, &n);
	err = err ?: gather_tar(all, n, top, fd);
	for (i = 0; i < n; i++)
		close(all[i].fd);
	err = finish(w->file, fd, named, err);
	if (!err)
		note(&cli->tsw.log,
		     "%s has %u files; it has no keys and no passwords, but names and "
		     "addresses",
		     quoted(w->file), n);
	return err;
}
