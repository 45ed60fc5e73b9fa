// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/problem.h"
#include "base/text.h"
#include "door/inherit.h"
#include "kernel/netns.h"

#define NET "/proc/sys/net/"
#define HOPS "ipv6/conf/default/hop_limit"

enum { VALUE_LEN = 256, PASSES = 2 };

/* An older kernel lacks some. ROUTER: the name there, where it is another, as of a device. */
static const struct {
	const char *host, *router;
} settings[] = {
	{"ipv4/ip_default_ttl", NULL},
	{HOPS, "ipv6/conf/tsw-gw/hop_limit"},
	{HOPS, "ipv6/conf/tsw-up/hop_limit"},
	{"ipv4/ip_forward_use_pmtu", NULL},
	{"ipv4/icmp_ratelimit", NULL},
	{"ipv4/icmp_ratemask", NULL},
	{"ipv4/icmp_msgs_per_sec", NULL},
	{"ipv4/icmp_msgs_burst", NULL},
	{"ipv6/icmp/ratelimit", NULL},
	{"ipv6/icmp/ratemask", NULL},
	{"ipv4/ipfrag_high_thresh", NULL},
	{"ipv4/ipfrag_low_thresh", NULL},
	{"ipv4/ipfrag_time", NULL},
	{"ipv4/ipfrag_max_dist", NULL},
	{"netfilter/nf_conntrack_frag6_high_thresh", NULL},
	{"netfilter/nf_conntrack_frag6_low_thresh", NULL},
	{"netfilter/nf_conntrack_frag6_timeout", NULL},
	{"netfilter/nf_conntrack_checksum", NULL},
	{"netfilter/nf_conntrack_acct", NULL},
	{"netfilter/nf_conntrack_timestamp", NULL},
	{"netfilter/nf_conntrack_tcp_max_retrans", NULL},
};

enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

/* One line each; empty where there is no such setting. */
struct values {
	char of[SETTINGS][VALUE_LEN];
};

static const char *path_of(size_t i, bool router)
{
	static _Thread_local char path[96];

	snprintf(path, sizeof(path), NET "%s",
		 router && settings[i].router ? settings[i].router : settings[i].host);
	return path;
}

/* Of the namespace that the thread is in. */
static void read_all(struct values *values, bool router)
{
	size_t i;
	FILE *f;

	for (i = 0; i < SETTINGS; i++) {
		f = fopen(path_of(i, router), "re");
		if (!f || !fgets(values->of[i], VALUE_LEN, f))
			values->of[i][0] = '\0';
		values->of[i][strcspn(values->of[i], "\n")] = '\0';
		if (f)
			fclose(f);
	}
}

static bool differs(const struct values *want, const struct values *found, size_t i)
{
	return *want->of[i] && *found->of[i] && strcmp(want->of[i], found->of[i]);
}

static int set(const char *path, const char *value)
{
	FILE *f = fopen(path, "we");
	int err;

	if (!f)
		return -errno;
	err = fprintf(f, "%s\n", value) < 0 ? -errno : 0;
	return fclose(f) && !err ? -errno : err;
}

/* A lower bound above the upper one that is still there is refused, so each has a second try. */
int inherit_settings(void)
{
	struct values want, found;
	size_t i;
	int err, pass;

	read_all(&want, false);
	err = netns_visit();
	if (err)
		return err;
	read_all(&found, true);
	for (pass = 0; pass < PASSES; pass++) {
		for (i = 0; i < SETTINGS; i++) {
			err = differs(&want, &found, i) ? set(path_of(i, true), want.of[i]) : 0;
			if (err && pass == PASSES - 1)
				return netns_leave(fail(err, "cannot write %s of the router: %s",
							path_of(i, true), strerror(-err)));
		}
	}
	return netns_leave(0);
}

int inherit_check(const char *router, json_t *problems)
{
	struct values want, found;
	size_t i;
	int err;

	read_all(&want, false);
	err = netns_visit();
	if (err)
		return err == -ENOENT ? 0 : err;
	read_all(&found, true);
	for (i = 0; i < SETTINGS; i++)
		if (differs(&want, &found, i))
			problem(problems, "gateway_setting", router,
				"%s is %s in the router and %s at the host", path_of(i, true),
				found.of[i], want.of[i]);
	return netns_leave(0);
}
