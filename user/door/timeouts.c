// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/problem.h"
#include "door/router_ns.h"
#include "door/timeouts.h"
#include "kernel/netns.h"
#include "kernel/system.h"

#define PREFIX "/proc/sys/net/netfilter/nf_conntrack_"

/* The programs do not tell this state from others that last longer. */
#define NOT_COUNTED TSW_TIMEOUT_COUNT

/*
 * All of them, also those that one kernel has and another has not. Of the settings with one place
 * in tsw_timeouts the longest counts.
 */
static const struct {
	const char *name;
	enum tsw_timeout as;
} settings[] = {
	{"generic_timeout", TSW_TIMEOUT_GENERIC},
	{"icmp_timeout", TSW_TIMEOUT_ICMP},
	{"icmpv6_timeout", TSW_TIMEOUT_ICMPV6},
	{"tcp_timeout_syn_sent", TSW_TIMEOUT_TCP_SYN_SENT},
	{"tcp_timeout_syn_recv", TSW_TIMEOUT_TCP_SYN_RECV},
	{"tcp_timeout_established", TSW_TIMEOUT_TCP_ESTABLISHED},
	{"tcp_timeout_fin_wait", TSW_TIMEOUT_TCP_CLOSING},
	{"tcp_timeout_close_wait", TSW_TIMEOUT_TCP_CLOSE_WAIT},
	{"tcp_timeout_last_ack", TSW_TIMEOUT_TCP_CLOSING},
	{"tcp_timeout_time_wait", TSW_TIMEOUT_TCP_CLOSING},
	{"tcp_timeout_close", TSW_TIMEOUT_TCP_CLOSE},
	{"tcp_timeout_max_retrans", NOT_COUNTED},
	{"tcp_timeout_unacknowledged", NOT_COUNTED},
	{"udp_timeout", TSW_TIMEOUT_UDP},
	{"udp_timeout_stream", TSW_TIMEOUT_UDP_STREAM},
	{"sctp_timeout_closed", TSW_TIMEOUT_SCTP},
	{"sctp_timeout_cookie_wait", TSW_TIMEOUT_SCTP},
	{"sctp_timeout_cookie_echoed", TSW_TIMEOUT_SCTP},
	{"sctp_timeout_established", TSW_TIMEOUT_SCTP},
	{"sctp_timeout_shutdown_sent", TSW_TIMEOUT_SCTP},
	{"sctp_timeout_shutdown_recd", TSW_TIMEOUT_SCTP},
	{"sctp_timeout_shutdown_ack_sent", TSW_TIMEOUT_SCTP},
	{"sctp_timeout_heartbeat_sent", TSW_TIMEOUT_SCTP},
	{"sctp_timeout_heartbeat_acked", TSW_TIMEOUT_SCTP},
	{"dccp_timeout_request", TSW_TIMEOUT_DCCP},
	{"dccp_timeout_respond", TSW_TIMEOUT_DCCP},
	{"dccp_timeout_partopen", TSW_TIMEOUT_DCCP},
	{"dccp_timeout_open", TSW_TIMEOUT_DCCP},
	{"dccp_timeout_closereq", TSW_TIMEOUT_DCCP},
	{"dccp_timeout_closing", TSW_TIMEOUT_DCCP},
	{"dccp_timeout_timewait", TSW_TIMEOUT_DCCP},
	{"gre_timeout", TSW_TIMEOUT_GRE},
	{"gre_timeout_stream", TSW_TIMEOUT_GRE},
};

enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

static const __u32 zero;

/* By setting: its seconds, or -errno where the kernel does not have it. */
struct values {
	int of[SETTINGS];
};

static const char *path_of(size_t i)
{
	static _Thread_local char path[96];

	snprintf(path, sizeof(path), PREFIX "%s", settings[i].name);
	return path;
}

/* Of the namespace that the thread is in. */
static void read_values(struct values *values)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++)
		values->of[i] = system_setting(path_of(i));
}

/* What began and is not answered is not to wait longer than the programs can look back. */
static bool is_half_open(enum tsw_timeout as)
{
	return as == TSW_TIMEOUT_TCP_SYN_SENT || as == TSW_TIMEOUT_TCP_SYN_RECV;
}

/*
 * Of a flow with a lease conntrack does not see each acknowledgement: where it takes what was sent
 * last for unacknowledged, it is to keep the flow as long as any that is established.
 */
static const char *host_path(size_t i)
{
	return strcmp(settings[i].name, "tcp_timeout_unacknowledged") ? path_of(i)
								      : PREFIX
		       "tcp_timeout_established";
}

static int wanted(size_t i)
{
	const int value = system_setting(host_path(i));

	return is_half_open(settings[i].as) && value > (int)TSW_TIMEOUT_HALF_OPEN
		       ? (int)TSW_TIMEOUT_HALF_OPEN
		       : value;
}

static void read_wanted(struct values *want)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++)
		want->of[i] = wanted(i);
}

int timeouts_of_host(const char *name)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++)
		if (!strcmp(settings[i].name, name))
			return wanted(i);
	return -ENOENT;
}

static bool differs(const struct values *want, const struct values *found, size_t i)
{
	return want->of[i] >= 0 && found->of[i] >= 0 && want->of[i] != found->of[i];
}

/* As the programs count. */
static struct tsw_timeouts counted(const struct values *values)
{
	struct tsw_timeouts of = {};
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		const __u32 value = values->of[i] < 0			    ? 0
				    : values->of[i] > (int)TSW_TIMEOUT_MOST ? TSW_TIMEOUT_MOST
									    : (__u32)values->of[i];

		if (settings[i].as != NOT_COUNTED && of.seconds[settings[i].as] < value)
			of.seconds[settings[i].as] = value;
	}
	return of;
}

static bool is_counted(const struct tsw *t, const struct values *want)
{
	const struct tsw_timeouts of = counted(want);
	struct tsw_timeouts now;

	return !map_get(&t->maps, MAP_TIMEOUTS, &zero, &now) && !memcmp(&now, &of, sizeof(now));
}

static int read_router(struct values *found)
{
	int err = netns_visit();

	if (err)
		return err;
	read_values(found);
	return netns_leave(0);
}

static bool any_differs(const struct values *want, const struct values *found)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++)
		if (differs(want, found, i))
			return true;
	return false;
}

static int write_router(const struct values *want, const struct values *found)
{
	size_t i;
	int err = netns_visit();

	if (err)
		return err;
	for (i = 0; !err && i < SETTINGS; i++) {
		if (!differs(want, found, i))
			continue;
		err = system_set(path_of(i), want->of[i]);
		if (err)
			fail(err, "cannot write %s of the router: %s", path_of(i), strerror(-err));
	}
	return netns_leave(err);
}

int timeouts_look(const struct tsw *t, bool *differ)
{
	struct values want, found;
	int err;

	read_wanted(&want);
	err = read_router(&found);
	if (!err)
		*differ = any_differs(&want, &found) || !is_counted(t, &want);
	return err;
}

/* The router's own settings last: as long as they differ this is done again. */
int timeouts_follow(const struct tsw *t)
{
	struct values want, found;
	struct tsw_timeouts of;
	int err;

	read_wanted(&want);
	of = counted(&want);
	err = read_router(&found);
	if (!err)
		err = map_put(&t->maps, MAP_TIMEOUTS, &zero, &of);
	return err ? err : write_router(&want, &found);
}

int timeouts_check(const struct tsw *t, json_t *problems)
{
	struct values want, found;
	size_t i;
	int err;

	read_wanted(&want);
	err = read_router(&found);
	if (err)
		return err == -ENOENT ? 0 : err;
	for (i = 0; i < SETTINGS; i++)
		if (differs(&want, &found, i))
			problem(problems, "gateway_timeout", router_ns_name(t->instance),
				"%s is %d in the router and should be %d", path_of(i), found.of[i],
				want.of[i]);
	if (!is_counted(t, &want))
		problem(problems, "gateway_timeout", router_ns_name(t->instance),
			"tenants' shares count by other timeouts than the host's");
	return 0;
}
