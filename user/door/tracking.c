// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "door/settings.h"
#include "door/tracking.h"
#include "kernel/system.h"

#define NOT_OWN TSW_TIMEOUT_OWN

/* A state: nftables' name, the host's setting, and the tenant's own timeout for it. */
struct state {
	const char *name;
	const char *setting;
	enum tsw_timeout timeout;
};

static const struct state tcp_states[] = {
	{"syn_sent", "tcp_timeout_syn_sent", NOT_OWN},
	{"syn_recv", "tcp_timeout_syn_recv", NOT_OWN},
	{"established", "tcp_timeout_established", TSW_TIMEOUT_TCP_ESTABLISHED},
	{"fin_wait", "tcp_timeout_fin_wait", NOT_OWN},
	{"close_wait", "tcp_timeout_close_wait", TSW_TIMEOUT_TCP_CLOSE_WAIT},
	{"last_ack", "tcp_timeout_last_ack", NOT_OWN},
	{"time_wait", "tcp_timeout_time_wait", NOT_OWN},
	{"close", "tcp_timeout_close", NOT_OWN},
	{"retrans", "tcp_timeout_max_retrans", NOT_OWN},
	{"unack", "tcp_timeout_unacknowledged", TSW_TIMEOUT_TCP_ESTABLISHED},
	{},
};

static const struct state udp_states[] = {
	{"unreplied", "udp_timeout", TSW_TIMEOUT_UDP},
	{"replied", "udp_timeout_stream", TSW_TIMEOUT_UDP_STREAM},
	{},
};

/* Each object is for one protocol in one family. */
static const struct {
	const char *suffix, *proto, *l3, *nfproto;
	const struct state *states;
} objects[] = {
	{.suffix = "tcp4", .proto = "tcp", .l3 = "ip", .nfproto = "ipv4", .states = tcp_states},
	{.suffix = "tcp6", .proto = "tcp", .l3 = "ip6", .nfproto = "ipv6", .states = tcp_states},
	{.suffix = "udp4", .proto = "udp", .l3 = "ip", .nfproto = "ipv4", .states = udp_states},
	{.suffix = "udp6", .proto = "udp", .l3 = "ip6", .nfproto = "ipv6", .states = udp_states},
};

enum { OBJECTS = sizeof(objects) / sizeof(objects[0]), POLICY = 256 };

static const struct {
	const char *name;
	struct tracking_helper helper;
} helpers[TSW_HELPERS] = {
	[TSW_HELPER_FTP] = {"ftp", {"help_ftp", "tcp", 21}},
	[TSW_HELPER_TFTP] = {"tftp", {"help_tftp", "udp", 69}},
	[TSW_HELPER_SIP] = {"sip", {"help_sip", "udp", 5060}},
};

/* ---- timeouts --------------------------------------------------------------------------- */

static bool has_own(const struct tsw_gateway *gw)
{
	static const __u32 none[TSW_TIMEOUT_OWN];

	return gw && gw->index && memcmp(gw->timeout, none, sizeof(none)) != 0;
}

const char *tracking_chain(const struct tsw_gateway *gw)
{
	static _Thread_local char name[32];

	if (!has_own(gw))
		return NULL;
	snprintf(name, sizeof(name), "own_%u", gw->index);
	return name;
}

/* Writes all states, because nftables uses the kernel's defaults for missing ones. */
static void write_policy(const struct tsw_gateway *gw, const struct state *state, char *to,
			 size_t room)
{
	const char *before = "";
	size_t used = 0;
	int seconds;

	for (; state->name; state++) {
		seconds = state->timeout != NOT_OWN && gw->timeout[state->timeout]
				  ? (int)gw->timeout[state->timeout]
				  : settings_timeout(state->setting);
		if (seconds < 0)
			continue;
		used += (size_t)snprintf(to + used, room - used, "%s%s : %d", before, state->name,
					 seconds);
		before = ", ";
	}
}

static void put_object(struct nft_change *c, const struct tsw_gateway *gw, size_t i)
{
	char policy[POLICY] = "";

	write_policy(gw, objects[i].states, policy, sizeof(policy));
	nft_before(c, "add ct timeout inet tsw %s_%s { protocol %s; l3proto %s; policy = { %s }; }",
		   tracking_chain(gw), objects[i].suffix, objects[i].proto, objects[i].l3, policy);
	nft_before(c,
		   "add rule inet tsw %s meta nfproto %s meta l4proto %s ct timeout set \"%s_%s\"",
		   tracking_chain(gw), objects[i].nfproto, objects[i].proto, tracking_chain(gw),
		   objects[i].suffix);
}

static void put_chain(struct nft_change *c, const char *chain)
{
	nft_before(c, "add chain inet tsw %s", chain);
	nft_before(c, "flush chain inet tsw %s", chain);
}

static void put_own(struct nft_change *c, const struct tsw_gateway *gw)
{
	size_t i;

	put_chain(c, tracking_chain(gw));
	for (i = 0; i < OBJECTS; i++)
		put_object(c, gw, i);
}

/* Adds each object first, because nftables refuses to delete a missing one. */
static void drop_own(struct nft_change *c, const struct tsw_gateway *gw, bool chain_too)
{
	const char *chain = tracking_chain(gw);
	size_t i;

	put_own(c, gw);
	nft_after(c, "flush chain inet tsw %s", chain);
	for (i = 0; i < OBJECTS; i++)
		nft_after(c, "delete ct timeout inet tsw %s_%s", chain, objects[i].suffix);
	if (chain_too)
		nft_after(c, "delete chain inet tsw %s", chain);
}

/* ---- helpers ---------------------------------------------------------------------------- */

bool tracking_has_helper(const struct tsw_gateway *gw, enum tsw_helper which,
			 struct tracking_helper *helper)
{
	*helper = helpers[which].helper;
	return gw && gw->index && gw->flags & TSW_GATEWAY_HELPER(which);
}

/* All tenants share a helper's object and chain. */
static void put_helper(struct nft_change *c, enum tsw_helper which)
{
	const struct tracking_helper *helper = &helpers[which].helper;
	const char *name = helpers[which].name;

	nft_before(c, "add ct helper inet tsw %s { type \"%s\" protocol %s; }", name, name,
		   helper->proto);
	put_chain(c, helper->chain);
	nft_before(c, "add rule inet tsw %s ct helper set \"%s\"", helper->chain, name);
}

/* The kernel does not load the helper's NAT module by itself, so its absence is an error. */
static int check_helper(enum tsw_helper which)
{
	const char *name = helpers[which].name;
	struct nft_change c;
	char text[64];
	int err;

	snprintf(text, sizeof(text), "/sys/module/nf_nat_%s", name);
	if (access(text, F_OK)) {
		snprintf(text, sizeof(text), "nf_nat_%s_init", name);
		if (!system_has_kfunc(text))
			return fail(EOPNOTSUPP,
				    "helper-%s needs a kernel module that is not loaded: modprobe "
				    "nf_nat_%s",
				    name, name);
	}
	nft_begin(&c);
	put_helper(&c, which);
	err = nft_commit(&c);
	if (err == -ENOENT)
		return fail(EOPNOTSUPP, "helper-%s: this kernel has no nf_conntrack_%s", name,
			    name);
	return err;
}

/* ---- both ------------------------------------------------------------------------------- */

void tracking_put(struct nft_change *c, const struct tsw_gateway *gw)
{
	struct tracking_helper helper;
	int i;

	if (has_own(gw))
		put_own(c, gw);
	for (i = 0; i < TSW_HELPERS; i++)
		if (tracking_has_helper(gw, i, &helper))
			put_helper(c, i);
}

void tracking_drop(struct nft_change *c, const struct tsw_gateway *old,
		   const struct tsw_gateway *want)
{
	const bool stays = want && want->index == old->index;

	if (has_own(old) &&
	    (!stays || memcmp(old->timeout, want->timeout, sizeof(old->timeout)) != 0))
		drop_own(c, old, !stays || !has_own(want));
}

int tracking_check(const struct tsw_gateway *old, const struct tsw_gateway *want)
{
	struct tracking_helper helper;
	int i, err = 0;

	for (i = 0; !err && i < TSW_HELPERS; i++)
		if (tracking_has_helper(want, i, &helper) && !tracking_has_helper(old, i, &helper))
			err = check_helper(i);
	return err;
}

/* Renews the tenants' timeouts, which contain the host's for states without one of their own. */
static int renew(const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	struct nft_change gone, c;
	size_t i;
	int err = map_rows(&t->maps, MAP_GATEWAYS, &rows);

	if (err)
		return err;
	nft_begin(&gone);
	nft_begin(&c);
	for (i = 0; i < rows.n; i++) {
		if (!has_own(row_value(&rows, i)))
			continue;
		drop_own(&gone, row_value(&rows, i), false);
		put_own(&c, row_value(&rows, i));
	}
	err = nft_commit(&gone);
	if (!err)
		return nft_commit(&c);
	nft_abandon(&c);
	return err;
}

int tracking_follow(const struct tsw *t)
{
	int err;

	if (settings_are_counted(t))
		return 0;
	err = renew(t);
	return err ?: settings_count(t);
}
