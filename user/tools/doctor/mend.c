// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cluster/member.h"
#include "kernel/link.h"
#include "kernel/nsid.h"
#include "tools/doctor/mend.h"

#define LOG "journalctl -u tsw-agent@INSTANCE"

/*
 * Words that `switch repair` does not mend. What the user has to name is in capitals. A row that is
 * missing here means `switch repair`.
 */
static const struct {
	const char *what, *command;
} mends[] = {
	{"orphan_endpoint", "tsw switch gc"},
	{"stray_entry", "tsw switch gc"},
	{"half_upgraded", "tsw switch upgrade"},
	{"outdated", "tsw switch upgrade"},
	{"underlay_device", "ip link set OBJECT up # or tsw switch set dev DEV"},
	{"no_cable", "ip link show OBJECT # its cable, or what is at its other end"},
	{"underlay_address", "ip addr add OBJECT/LENGTH dev DEV, or tsw switch set local IP"},
	{"port_device", "ip link set OTHER_END netns NETNS"},
	{"published_port", "tsw publish show"},
	{"unreached_host", "tsw host probe OBJECT"},
	{"silent_host", "THERE_TSW switch show; THERE_TSW host show (on OBJECT), or tsw host set "
			"OBJECT ip IP"},
	{"long_lost", "tsw test host OBJECT"},
	{"path_mtu", "tsw host set OBJECT mtu N"},
	{"host_record", LOG},
	{"etcd", LOG},
	{"etcd_member", "tsw cluster show"},
	{"unknown_host", "tsw monitor drops"},
	{"vip_contested", "tsw monitor"},
	{"host_mtu_unequal", "tsw tenant set TENANT mtu N"},
	{"tenant_mtu", "tsw tenant set OBJECT mtu N"},
	{"learned_mtu", "ip route change NETWORK via IP mtu N"},
	{"nearly_full", "tsw switch show"},
	{"overcommitted", "tsw tenant show"},
	{"port_down", "ip link set OBJECT up"},
	{"other_end", "ip link set OTHER_END up"},
	{"named_end", "ip -n OTHER_NETNS link set OTHER_END up"},
	{"inner_end", "ip link set OTHER_END up (in the container)"},
	{"no_carrier", "tsw endpoint show dev OBJECT # start what is at its other end"},
	{"container_route", "ip route replace default via IP dev OTHER_END (in the container)"},
	{"hidden_name", "tsw save"},
	{"no_handshake", "tsw test host OBJECT"},
	{"no_key", "tsw host set OBJECT key KEY"},
	{"wireguard_key", "tsw switch rekey"},
	{"nat_port_in_use", "tsw switch set nat-ports LO-HI"},
	{"snat_left", "tsw gateway show"},
	{"snat_split", "tsw gateway show"},
};

/* If the device itself is up, the problem is at its other end. */
static const char *which_end(const char *what, const char *object)
{
	char netns[NSID_NAME];
	const bool underlay = !strcmp(what, "underlay_device");
	struct link link;

	if ((!underlay && strcmp(what, "port_down")) || link_by_name(object, &link) ||
	    !(link.flags & IFF_UP))
		return what;
	if (underlay)
		return "no_cable";
	if (!link_is_pair(&link))
		return "no_carrier";
	if (!link.netnsid)
		return "other_end";
	return nsid_name(link.nsid, netns) && is_plain_word(netns) ? "named_end" : "inner_end";
}

const char *mend_for(const char *what, const char *object)
{
	size_t i;

	what = which_end(what, object);
	for (i = 0; i < sizeof(mends) / sizeof(mends[0]); i++)
		if (!strcmp(what, mends[i].what))
			return mends[i].command;
	return "tsw switch repair";
}

/* Puts WITH for the word at *AT, if this is WORD and WITH can stand there. */
static bool put(const char **at, const char *word, const char *with, char *text)
{
	const size_t len = strlen(word), used = strlen(text);

	if (strncmp(*at, word, len) || !with || !is_plain_word(with))
		return false;
	snprintf(text + used, MEND_LEN - used, "%s", with);
	*at += len;
	return true;
}

/* The name of the other end of OBJECT, a device; NULL: not known. */
static const char *other_end(const char *object, struct link *peer)
{
	struct link link;

	return !object || link_by_name(object, &link) || link_peer(&link, peer) ? NULL : peer->name;
}

/* The network namespace of that end, as `ip -n` names it; NULL: it has no name. */
static const char *other_netns(const char *object, char name[NSID_NAME])
{
	struct link link;

	return object && !link_by_name(object, &link) && link.netnsid && nsid_name(link.nsid, name)
		       ? name
		       : NULL;
}

/* On a member of a cluster it changes records. */
static bool is_shared(const struct tsw *t, const char *command)
{
	return (!strncmp(command, "tsw host set ", 13) ||
		!strncmp(command, "tsw tenant set ", 15)) &&
	       member_is(t->instance);
}

/* `tsw` with the options that lead to this switch, or to its cluster's records. */
static bool put_tsw(const char **at, const struct tsw *t, bool begins, char *text)
{
	const char *option = t->named ? "-i" : "-n", *name = t->named ? t->instance : t->netns;
	size_t used = strlen(text);

	if (!begins || strncmp(*at, "tsw ", 4))
		return false;
	snprintf(text + used, MEND_LEN - used, "tsw ");
	used = strlen(text);
	if (name && is_plain_word(name))
		snprintf(text + used, MEND_LEN - used, "%s %s ", option, name);
	used = strlen(text);
	if (is_shared(t, *at))
		snprintf(text + used, MEND_LEN - used, "-c ");
	*at += 4;
	return true;
}

/* The text behind MARK in DETAIL, or NULL. Because of its blanks no name can hold the mark. */
static const char *behind(const char *detail, const char *mark)
{
	const char *at = strstr(detail, mark);

	return at ? at + strlen(mark) : NULL;
}

const char *mend_told(const char *detail, const char *object, char text[MEND_LEN])
{
	const char *inside = behind(detail, "In the container: "), *here = behind(detail, "Here: ");
	const char *at = inside ?: here;
	const size_t len = at ? strcspn(at, ";") : 0;
	char netns[NSID_NAME];
	bool named;

	if (!at || len > MEND_LEN / 2)
		return NULL;
	named = inside && other_netns(object, netns) && is_plain_word(netns);
	*text = '\0';
	while (at < (inside ?: here) + len) {
		const bool begins = !strncmp(at, "ip ", 3) && (at == inside || at[-1] == ' ');
		const size_t used = strlen(text);

		snprintf(text + used, MEND_LEN - used, "%s%c",
			 named && begins ? "ip -n OTHER_NETNS"
			 : begins	 ? "ip"
					 : "",
			 begins ? ' ' : *at);
		at += begins ? 3 : 1;
	}
	if (inside && !named)
		strncat(text, " (in the container)", MEND_LEN - strlen(text) - 1);
	return text;
}

const char *mend_text(const struct tsw *t, const char *command, const char *object,
		      char text[MEND_LEN])
{
	const char *at = command;
	char netns[NSID_NAME];
	struct link peer;
	size_t used;

	*text = '\0';
	while (at && *at) {
		if (put_tsw(&at, t, at == command || at[-1] == ' ', text) ||
		    put(&at, "THERE_TSW", "tsw", text) || put(&at, "OBJECT", object, text) ||
		    put(&at, "INSTANCE", t->instance, text) ||
		    (*at == 'O' && put(&at, "OTHER_END", other_end(object, &peer), text)) ||
		    (*at == 'O' && put(&at, "OTHER_NETNS", other_netns(object, netns), text)))
			continue;
		used = strlen(text);
		snprintf(text + used, MEND_LEN - used, "%c", *at++);
	}
	return command ? text : NULL;
}
