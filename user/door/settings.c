// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/problem.h"
#include "door/router_ns.h"
#include "door/settings.h"
#include "kernel/netns.h"

#define NET "/proc/sys/net/"
#define CONNTRACK "netfilter/nf_conntrack_"
#define HOPS "ipv6/conf/default/hop_limit"

enum { VALUE_LEN = 256, PATH_LEN = 96, PASSES = 2 };

enum kind { AS_HOST, FIXED, TIMEOUT };

/* For a state that the programs cannot tell from others that last longer. */
#define NOT_COUNTED TSW_TIMEOUT_COUNT

/* A setting that the kernel lacks is skipped. */
static const struct {
	const char *name; /* in the router */
	enum kind kind;
	const char *host;    /* AS_HOST, TIMEOUT: its name on the host, if it differs */
	const char *value;   /* FIXED */
	enum tsw_timeout as; /* TIMEOUT: its place in tsw_timeouts, which has the longest */
} settings[] = {
#define FIX(name_, value_)                                        \
	{                                                         \
		.name = (name_), .kind = FIXED, .value = (value_) \
	}
	/* The programs have checked what they send into the router. */
	FIX("ipv4/ip_forward", "1"),
	FIX("ipv6/conf/all/forwarding", "1"),
	FIX("ipv4/conf/all/rp_filter", "0"),
	FIX("ipv4/conf/default/rp_filter", "0"),
	FIX("ipv4/conf/all/send_redirects", "0"),
	FIX("ipv4/conf/default/send_redirects", "0"),
	FIX("ipv4/conf/all/accept_source_route", "0"),
	FIX("ipv4/conf/default/accept_source_route", "0"),
	FIX("ipv6/conf/default/accept_ra", "0"),
	/* Conntrack sees only parts of a flow that has a lease. */
	FIX(CONNTRACK "tcp_be_liberal", "1"),
	FIX(CONNTRACK "tcp_loose", "1"),
#undef FIX
#define HOST(name_)                              \
	{                                        \
		.name = (name_), .kind = AS_HOST \
	}
	HOST("ipv4/ip_default_ttl"),
	{.name = "ipv6/conf/tsw-gw/hop_limit", .kind = AS_HOST, .host = HOPS},
	{.name = "ipv6/conf/tsw-up/hop_limit", .kind = AS_HOST, .host = HOPS},
	HOST("ipv4/ip_forward_use_pmtu"),
	HOST("ipv4/icmp_ratelimit"),
	HOST("ipv4/icmp_ratemask"),
	HOST("ipv4/icmp_msgs_per_sec"),
	HOST("ipv4/icmp_msgs_burst"),
	HOST("ipv6/icmp/ratelimit"),
	HOST("ipv6/icmp/ratemask"),
	HOST("ipv4/ipfrag_high_thresh"),
	HOST("ipv4/ipfrag_low_thresh"),
	HOST("ipv4/ipfrag_time"),
	HOST("ipv4/ipfrag_max_dist"),
	HOST(CONNTRACK "frag6_high_thresh"),
	HOST(CONNTRACK "frag6_low_thresh"),
	HOST(CONNTRACK "frag6_timeout"),
	HOST(CONNTRACK "checksum"),
	HOST(CONNTRACK "acct"),
	HOST(CONNTRACK "timestamp"),
	HOST(CONNTRACK "tcp_max_retrans"),
#undef HOST
#define WAIT(name_, as_)                                                          \
	{                                                                         \
		.name = CONNTRACK name_, .kind = TIMEOUT, .as = TSW_TIMEOUT_##as_ \
	}
	WAIT("generic_timeout", GENERIC),
	WAIT("icmp_timeout", ICMP),
	WAIT("icmpv6_timeout", ICMPV6),
	WAIT("tcp_timeout_syn_sent", TCP_SYN_SENT),
	WAIT("tcp_timeout_syn_recv", TCP_SYN_RECV),
	WAIT("tcp_timeout_established", TCP_ESTABLISHED),
	WAIT("tcp_timeout_fin_wait", TCP_CLOSING),
	WAIT("tcp_timeout_close_wait", TCP_CLOSE_WAIT),
	WAIT("tcp_timeout_last_ack", TCP_CLOSING),
	WAIT("tcp_timeout_time_wait", TCP_CLOSING),
	WAIT("tcp_timeout_close", TCP_CLOSE),
	WAIT("tcp_timeout_max_retrans", COUNT),
	/*
	 * Conntrack does not see each acknowledgement of a flow that has a lease. So it must keep a
	 * flow whose last data seems unacknowledged as long as any other.
	 */
	{.name = CONNTRACK "tcp_timeout_unacknowledged",
	 .kind = TIMEOUT,
	 .host = CONNTRACK "tcp_timeout_established",
	 .as = NOT_COUNTED},
	WAIT("udp_timeout", UDP),
	WAIT("udp_timeout_stream", UDP_STREAM),
	WAIT("sctp_timeout_closed", SCTP),
	WAIT("sctp_timeout_cookie_wait", SCTP),
	WAIT("sctp_timeout_cookie_echoed", SCTP),
	WAIT("sctp_timeout_established", SCTP),
	WAIT("sctp_timeout_shutdown_sent", SCTP),
	WAIT("sctp_timeout_shutdown_recd", SCTP),
	WAIT("sctp_timeout_shutdown_ack_sent", SCTP),
	WAIT("sctp_timeout_heartbeat_sent", SCTP),
	WAIT("sctp_timeout_heartbeat_acked", SCTP),
	WAIT("dccp_timeout_request", DCCP),
	WAIT("dccp_timeout_respond", DCCP),
	WAIT("dccp_timeout_partopen", DCCP),
	WAIT("dccp_timeout_open", DCCP),
	WAIT("dccp_timeout_closereq", DCCP),
	WAIT("dccp_timeout_closing", DCCP),
	WAIT("dccp_timeout_timewait", DCCP),
	WAIT("gre_timeout", GRE),
	WAIT("gre_timeout_stream", GRE),
#undef WAIT
};

enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

static const __u32 zero;

/* One line each; empty if the kernel has no such setting. */
struct values {
	char of[SETTINGS][VALUE_LEN];
};

static void read_value(const char *name, char value[VALUE_LEN])
{
	char path[PATH_LEN];
	FILE *f;

	snprintf(path, sizeof(path), NET "%s", name);
	f = fopen(path, "re");
	if (!f || !fgets(value, VALUE_LEN, f))
		value[0] = '\0';
	value[strcspn(value, "\n")] = '\0';
	if (f)
		fclose(f);
}

static int write_value(const char *name, const char *value)
{
	char path[PATH_LEN];
	FILE *f;
	int err;

	snprintf(path, sizeof(path), NET "%s", name);
	f = fopen(path, "we");
	if (!f)
		return -errno;
	err = fprintf(f, "%s\n", value) < 0 ? -errno : 0;
	return fclose(f) && !err ? -errno : err;
}

/* Connections that are not answered yet must not last longer than the programs can look back. */
static bool is_half_open(size_t i)
{
	return settings[i].kind == TIMEOUT && (settings[i].as == TSW_TIMEOUT_TCP_SYN_SENT ||
					       settings[i].as == TSW_TIMEOUT_TCP_SYN_RECV);
}

static void read_wanted(size_t i, char value[VALUE_LEN])
{
	if (settings[i].kind == FIXED) {
		snprintf(value, VALUE_LEN, "%s", settings[i].value);
		return;
	}
	read_value(settings[i].host ?: settings[i].name, value);
	if (is_half_open(i) && strtoul(value, NULL, 10) > TSW_TIMEOUT_HALF_OPEN)
		snprintf(value, VALUE_LEN, "%u", TSW_TIMEOUT_HALF_OPEN);
}

static void read_all_wanted(struct values *want)
{
	for (size_t i = 0; i < SETTINGS; i++)
		read_wanted(i, want->of[i]);
}

static void read_all_found(struct values *found)
{
	for (size_t i = 0; i < SETTINGS; i++)
		read_value(settings[i].name, found->of[i]);
}

int settings_timeout(const char *name)
{
	char value[VALUE_LEN];

	for (size_t i = 0; i < SETTINGS; i++) {
		if (settings[i].kind != TIMEOUT ||
		    strcmp(settings[i].name + strlen(CONNTRACK), name) != 0)
			continue;
		read_wanted(i, value);
		return *value ? (int)strtoul(value, NULL, 10) : -ENOENT;
	}
	return -ENOENT;
}

static bool differs(const struct values *want, const struct values *found, size_t i)
{
	return *want->of[i] && *found->of[i] && strcmp(want->of[i], found->of[i]);
}

/* Two passes, because the kernel refuses a lower bound above the old upper one. */
int settings_follow(void)
{
	struct values want, found;
	int pass, err;

	read_all_wanted(&want);
	err = netns_visit();
	if (err)
		return err;
	read_all_found(&found);
	for (pass = 0; pass < PASSES; pass++) {
		for (size_t i = 0; i < SETTINGS; i++) {
			err = differs(&want, &found, i) ? write_value(settings[i].name, want.of[i])
							: 0;
			if (err && pass == PASSES - 1)
				return netns_leave(fail(err,
							"cannot write " NET "%s of the router: %s",
							settings[i].name, strerror(-err)));
		}
	}
	return netns_leave(0);
}

/*
 * The timeouts by which the programs count. They end with a checksum (FNV-1a) of all values,
 * because tenants' own timeouts depend on some that no program reads.
 */
static struct tsw_timeouts counted(const struct values *want)
{
	struct tsw_timeouts of = {};
	__u32 *sum = &of.seconds[TSW_TIMEOUT_COUNT];

	_Static_assert((int)TSW_TIMEOUT_COUNT < TSW_TIMEOUT_ROOM, "room for the sum");
	for (size_t i = 0; i < SETTINGS; i++) {
		const enum tsw_timeout as = settings[i].as;
		unsigned long seconds;

		if (settings[i].kind != TIMEOUT)
			continue;
		for (const char *c = want->of[i]; *c; c++)
			*sum = (*sum ^ (__u8)*c) * 16777619U;
		*sum = (*sum ^ (__u32)i) * 16777619U;
		if (as == NOT_COUNTED)
			continue;
		seconds = strtoul(want->of[i], NULL, 10);
		if (seconds > TSW_TIMEOUT_MOST)
			seconds = TSW_TIMEOUT_MOST;
		if (of.seconds[as] < seconds)
			of.seconds[as] = (__u32)seconds;
	}
	return of;
}

static bool is_counted(const struct tsw *t, const struct values *want)
{
	const struct tsw_timeouts of = counted(want);
	struct tsw_timeouts now;

	return !map_get(&t->maps, MAP_TIMEOUTS, &zero, &now) && !memcmp(&now, &of, sizeof(now));
}

bool settings_are_counted(const struct tsw *t)
{
	struct values want;

	read_all_wanted(&want);
	return is_counted(t, &want);
}

int settings_count(const struct tsw *t)
{
	struct tsw_timeouts of;
	struct values want;

	read_all_wanted(&want);
	of = counted(&want);
	return map_put(&t->maps, MAP_TIMEOUTS, &zero, &of);
}

int settings_check(const struct tsw *t, json_t *problems)
{
	const char *router = router_ns_name(t->instance);
	struct values want, found;
	int err;

	read_all_wanted(&want);
	if (!is_counted(t, &want))
		problem(problems, "gateway_timeout", router,
			"tenants' shares are counted by timeouts that differ from the host's");
	err = netns_visit();
	if (err)
		return err == -ENOENT ? 0 : err;
	read_all_found(&found);
	for (size_t i = 0; i < SETTINGS; i++)
		if (differs(&want, &found, i))
			problem(problems,
				settings[i].kind == TIMEOUT ? "gateway_timeout" : "gateway_setting",
				router, NET "%s is %s in the router and should be %s",
				settings[i].name, found.of[i], want.of[i]);
	return netns_leave(0);
}
