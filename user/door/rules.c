// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "door/door_link.h"
#include "base/err.h"
#include "kernel/netlink.h"
#include "base/problem.h"
#include "door/rules.h"
#include "base/text.h"
#include "door/table.h"

/*
 * In this order, behind the table `local`:
 * OUT     to the world, as nftables marks it: what comes from tsw-gw skips BACK and is routed as
 *         all else is. Any other look-up with this mark asks for the way back to the source, as
 *         reverse path filtering does, and the way back is
 * BACK    tsw-gw.
 * TENANT  a tenant's mark: to tsw-gw.
 * SHY     a device that did not forward before: what it brought goes nowhere else. Not by
 *         nftables, whose rules others flush. Where all are shy, those that are not, the
 *         host itself and tsw-gw skip
 * REST    to
 * PASS    which does nothing.
 * ERRORS  behind all tables: before an ICMP error of its own gets its tenant's mark, the kernel
 *         wants some route to whom it is for.
 */
enum { OUT = 7450, BACK, TENANT, SHY, REST, PASS, ERRORS = 33000 };

#define MASK_TENANT 0xfffc0000U /* the classes that lead to tenants */

struct rule {
	__u32 priority;
	__u32 mark;
	__u32 mask;
	__u32 table;
	__u32 target; /* of a jump */
	__u8 action;
	__u8 protocol;
	__u8 ip_proto;
	char iif[IFNAMSIZ];
};

struct rule_list {
	struct rule *rule;
	size_t n;
	int err;
};

static int append(struct rule_list *list, const struct rule *rule)
{
	struct rule *grown = realloc(list->rule, (list->n + 1) * sizeof(*rule));

	if (!grown)
		return fail(ENOMEM, "out of memory");
	list->rule = grown;
	list->rule[list->n++] = *rule;
	return 0;
}

static void free_list(struct rule_list *list)
{
	free(list->rule);
}

#define cleanup_rules __attribute__((cleanup(free_list)))

/* Devices each for itself, or all but these, the host itself and tsw-gw. */
static int wanted_shy(const struct shy *shy, struct rule_list *list)
{
	struct rule rule = {.priority = SHY,
			    .action = shy->all ? FR_ACT_GOTO : FR_ACT_BLACKHOLE,
			    .target = shy->all ? PASS : 0,
			    .protocol = TABLE_PROTOCOL};
	const struct rule rest = {
		.priority = REST, .action = FR_ACT_BLACKHOLE, .protocol = TABLE_PROTOCOL};
	const struct rule pass = {
		.priority = PASS, .action = FR_ACT_NOP, .protocol = TABLE_PROTOCOL};
	const char *const always[] = {"lo", DOOR};
	size_t i;
	int err = shy->all ? append(list, &pass) : 0;

	for (i = 0; !err && shy->all && i < sizeof(always) / sizeof(always[0]); i++) {
		snprintf(rule.iif, sizeof(rule.iif), "%s", always[i]);
		err = append(list, &rule);
	}
	for (i = 0; !err && i < shy->n; i++) {
		memcpy(rule.iif, shy->name[i], IFNAMSIZ);
		err = append(list, &rule);
	}
	return !err && shy->all ? append(list, &rest) : err;
}

static int wanted_rules(enum tsw_family family, const struct shy *shy, struct rule_list *list)
{
	const struct rule base[] = {
		{TENANT, TSW_MARK_TENANT, MASK_TENANT, TABLE_NUMBER, 0, FR_ACT_TO_TBL,
		 TABLE_PROTOCOL, 0, ""},
		{ERRORS, 0, 0, TABLE_NUMBER, 0, FR_ACT_TO_TBL, TABLE_PROTOCOL,
		 family == TSW_IPV4 ? IPPROTO_ICMP : IPPROTO_ICMPV6, "lo"},
		{BACK, TSW_MARK_WORLD, UINT32_MAX, TABLE_NUMBER, 0, FR_ACT_TO_TBL, TABLE_PROTOCOL,
		 0, ""},
		{OUT, TSW_MARK_WORLD, UINT32_MAX, 0, TENANT, FR_ACT_GOTO, TABLE_PROTOCOL, 0, DOOR},
	};
	/* IPv6 has no reverse path filter. */
	size_t n = family == TSW_IPV4 ? sizeof(base) / sizeof(base[0]) : 2, i;
	int err = 0;

	for (i = 0; !err && i < n; i++)
		err = append(list, &base[i]);
	return err ? err : wanted_shy(shy, list);
}

static int read_attr(const struct nlattr *attr, void *data)
{
	struct rule *rule = data;

	switch (mnl_attr_get_type(attr)) {
	case FRA_PRIORITY:
		rule->priority = mnl_attr_get_u32(attr);
		break;
	case FRA_FWMARK:
		rule->mark = mnl_attr_get_u32(attr);
		break;
	case FRA_FWMASK:
		rule->mask = mnl_attr_get_u32(attr);
		break;
	case FRA_TABLE:
		rule->table = mnl_attr_get_u32(attr);
		break;
	case FRA_GOTO:
		rule->target = mnl_attr_get_u32(attr);
		break;
	case FRA_PROTOCOL:
		rule->protocol = mnl_attr_get_u8(attr);
		break;
	case FRA_IP_PROTO:
		rule->ip_proto = mnl_attr_get_u8(attr);
		break;
	case FRA_IIFNAME:
		snprintf(rule->iif, sizeof(rule->iif), "%s", mnl_attr_get_str(attr));
		break;
	}
	return MNL_CB_OK;
}

/* All of our priorities, and all of ours. */
static int read_rule(const struct nlmsghdr *message, void *data)
{
	const struct fib_rule_hdr *header = mnl_nlmsg_get_payload(message);
	struct rule_list *list = data;
	struct rule rule = {.action = header->action};

	mnl_attr_parse(message, sizeof(*header), read_attr, &rule);
	if (!list->err && ((rule.priority >= OUT && rule.priority <= PASS) ||
			   rule.priority == ERRORS || rule.protocol == TABLE_PROTOCOL))
		list->err = append(list, &rule);
	return MNL_CB_OK;
}

static int af(enum tsw_family family)
{
	return family == TSW_IPV4 ? AF_INET : AF_INET6;
}

static int found_rules(enum tsw_family family, struct rule_list *list)
{
	char buffer[NETLINK_BUFFER];
	struct fib_rule_hdr *header;
	struct nlmsghdr *request;
	int err;

	request = netlink_begin(buffer, RTM_GETRULE, NLM_F_DUMP, sizeof(*header));
	header = mnl_nlmsg_get_payload(request);
	header->family = (__u8)af(family);
	err = netlink_talk(request, read_rule, list);
	if (err)
		return fail(err, "cannot list the rules of %s: %s", family_text(family),
			    strerror(-err));
	return list->err;
}

static bool same(const struct rule *a, const struct rule *b)
{
	return a->priority == b->priority && a->mark == b->mark && a->mask == b->mask &&
	       a->table == b->table && a->target == b->target && a->action == b->action &&
	       a->protocol == b->protocol && a->ip_proto == b->ip_proto && !strcmp(a->iif, b->iif);
}

static bool has(const struct rule_list *list, const struct rule *rule)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (same(&list->rule[i], rule))
			return true;
	return false;
}

static int change(int type, int flags, enum tsw_family family, const struct rule *rule)
{
	char buffer[NETLINK_BUFFER];
	struct fib_rule_hdr *header;
	struct nlmsghdr *request;
	int err;

	request = netlink_begin(buffer, type, NLM_F_ACK | flags, sizeof(*header));
	header = mnl_nlmsg_get_payload(request);
	header->family = (__u8)af(family);
	header->action = rule->action;
	mnl_attr_put_u32(request, FRA_PRIORITY, rule->priority);
	mnl_attr_put_u8(request, FRA_PROTOCOL, rule->protocol);
	if (rule->mask) {
		mnl_attr_put_u32(request, FRA_FWMARK, rule->mark);
		mnl_attr_put_u32(request, FRA_FWMASK, rule->mask);
	}
	if (rule->table)
		mnl_attr_put_u32(request, FRA_TABLE, rule->table);
	if (rule->target)
		mnl_attr_put_u32(request, FRA_GOTO, rule->target);
	if (rule->ip_proto)
		mnl_attr_put_u8(request, FRA_IP_PROTO, rule->ip_proto);
	if (rule->iif[0])
		mnl_attr_put_strz(request, FRA_IIFNAME, rule->iif);
	err = netlink_talk(request, NULL, NULL);
	if (!err || (type == RTM_DELRULE && err == -ENOENT))
		return 0;
	return fail(err, "cannot %s the rule of priority %u: %s",
		    type == RTM_DELRULE ? "remove" : "add", rule->priority, strerror(-err));
}

static int check_free(enum tsw_family family, const struct rule_list *found)
{
	size_t i;

	for (i = 0; i < found->n; i++)
		if (found->rule[i].protocol != TABLE_PROTOCOL)
			return fail(EEXIST,
				    "somebody else has a rule of priority %u for %s, and gateways "
				    "need %d to %d and %d for themselves: see ip rule",
				    found->rule[i].priority, family_text(family), OUT, PASS,
				    ERRORS);
	return 0;
}

/* What is wanted comes before what is not goes, so that a device stays shy. */
int rules_mend(enum tsw_family family, const struct shy *shy)
{
	cleanup_rules struct rule_list wanted = {}, found = {};
	size_t i;
	int err = wanted_rules(family, shy, &wanted);

	if (!err)
		err = found_rules(family, &found);
	if (!err)
		err = check_free(family, &found);
	for (i = 0; !err && i < wanted.n; i++)
		if (!has(&found, &wanted.rule[i]))
			err = change(RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL, family,
				     &wanted.rule[i]);
	for (i = 0; !err && i < found.n; i++)
		if (!has(&wanted, &found.rule[i]))
			err = change(RTM_DELRULE, 0, family, &found.rule[i]);
	return err;
}

int rules_remove(enum tsw_family family)
{
	cleanup_rules struct rule_list found = {};
	size_t i;
	int err = found_rules(family, &found);

	for (i = 0; !err && i < found.n; i++)
		if (found.rule[i].protocol == TABLE_PROTOCOL)
			err = change(RTM_DELRULE, 0, family, &found.rule[i]);
	return err;
}

int rules_shy(enum tsw_family family, struct shy *shy)
{
	cleanup_rules struct rule_list found = {};
	size_t i;
	int err = found_rules(family, &found);

	*shy = (struct shy){.name = calloc(found.n + 1, sizeof(*shy->name))};
	if (!err && !shy->name)
		err = fail(ENOMEM, "out of memory");
	for (i = 0; !err && i < found.n; i++)
		if (found.rule[i].priority == SHY && found.rule[i].protocol == TABLE_PROTOCOL &&
		    found.rule[i].action == FR_ACT_BLACKHOLE)
			memcpy(shy->name[shy->n++], found.rule[i].iif, IFNAMSIZ);
	return err;
}

int rules_check(enum tsw_family family, const struct shy *shy, json_t *problems)
{
	cleanup_rules struct rule_list wanted = {}, found = {};
	size_t i;
	int err = wanted_rules(family, shy, &wanted);

	if (!err)
		err = found_rules(family, &found);
	for (i = 0; !err && i < wanted.n; i++)
		if (!has(&found, &wanted.rule[i]))
			problem(problems, "gateway_rule", family_text(family),
				"the ip rule of priority %u is missing", wanted.rule[i].priority);
	for (i = 0; !err && i < found.n; i++)
		if (!has(&wanted, &found.rule[i]))
			problem(problems, "gateway_rule", family_text(family),
				"there is an ip rule of priority %u that does not belong there",
				found.rule[i].priority);
	return err;
}
