// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "door/rules.h"
#include "door/table.h"
#include "kernel/netlink.h"

enum { TENANT = 7450, INTERNET }; /* priorities */

#define MASK_TENANT 0xfffc0000U /* the classes that lead to tenants */

struct rule {
	__u32 priority;
	__u32 mark;
	__u32 mask;
	__u32 table;
	__u8 action;
	__u8 protocol;
};

struct rule_list {
	struct rule *rule;
	size_t n;
	int err;
};

static void free_list(struct rule_list *list)
{
	free(list->rule);
}

#define cleanup_rules __attribute__((cleanup(free_list)))

static int wanted_rules(const struct ways *ways, struct rule_list *list)
{
	struct rule rule = {.action = FR_ACT_TO_TBL, .protocol = TABLE_PROTOCOL};
	size_t i;
	int err = 0;

	for (i = 0; !err && i < ways->n; i++) {
		rule.table = ways->at[i].table;
		if (rule.table == RT_TABLE_MAIN)
			continue;
		rule.priority = rule.table == TABLE_NUMBER ? TENANT : INTERNET;
		rule.mark = rule.table == TABLE_NUMBER
				    ? TSW_MARK_TENANT
				    : TSW_MARK_WORLD | (rule.table - TABLE_UPLINKS);
		rule.mask = rule.table == TABLE_NUMBER ? MASK_TENANT : UINT32_MAX;
		err = list_append(&list->rule, &list->n, &rule, sizeof(rule));
	}
	return err;
}

static int read_rule(const struct nlmsghdr *message, void *data)
{
	const struct fib_rule_hdr *header = mnl_nlmsg_get_payload(message);
	const struct attrs a = attrs_of(message, sizeof(*header));
	const struct rule rule = {.priority = attr_u32(a.at[FRA_PRIORITY]),
				  .mark = attr_u32(a.at[FRA_FWMARK]),
				  .mask = attr_u32(a.at[FRA_FWMASK]),
				  .table = attr_u32(a.at[FRA_TABLE]),
				  .action = header->action,
				  .protocol = attr_u8(a.at[FRA_PROTOCOL])};
	struct rule_list *list = data;

	if (!list->err && rule.protocol == TABLE_PROTOCOL)
		list->err = list_append(&list->rule, &list->n, &rule, sizeof(rule));
	return MNL_CB_OK;
}

static struct nlmsghdr *begin(void *buffer, int type, int flags, enum tsw_family family,
			      __u8 action)
{
	struct nlmsghdr *request = netlink_begin(buffer, type, flags, sizeof(struct fib_rule_hdr));
	struct fib_rule_hdr *header = mnl_nlmsg_get_payload(request);

	header->family = (__u8)netlink_af(family);
	header->action = action;
	return request;
}

static int found_rules(enum tsw_family family, struct rule_list *list)
{
	char buffer[NETLINK_BUFFER];
	const int err =
		netlink_talk(begin(buffer, RTM_GETRULE, NLM_F_DUMP, family, 0), read_rule, list);

	if (err)
		return fail(err, "cannot list the router's rules of %s: %s", family_text(family),
			    strerror(-err));
	return list->err;
}

static bool same(const struct rule *a, const struct rule *b)
{
	return a->priority == b->priority && a->mark == b->mark && a->mask == b->mask &&
	       a->table == b->table && a->action == b->action && a->protocol == b->protocol;
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
	/* For a delete without action, because for a jump the kernel would also want its target. */
	const __u8 action = type == RTM_DELRULE ? 0 : rule->action;
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = begin(buffer, type, NLM_F_ACK | flags, family, action);
	int err;

	mnl_attr_put_u32(request, FRA_PRIORITY, rule->priority);
	mnl_attr_put_u8(request, FRA_PROTOCOL, rule->protocol);
	if (rule->mask) {
		mnl_attr_put_u32(request, FRA_FWMARK, rule->mark);
		mnl_attr_put_u32(request, FRA_FWMASK, rule->mask);
	}
	if (rule->table)
		mnl_attr_put_u32(request, FRA_TABLE, rule->table);
	err = netlink_talk(request, NULL, NULL);
	if (!err || (type == RTM_DELRULE && err == -ENOENT))
		return 0;
	return fail(err, "cannot %s the rule of priority %u: %s",
		    type == RTM_DELRULE ? "remove" : "add", rule->priority, strerror(-err));
}

int rules_compare(enum tsw_family family, const struct ways *ways, size_t *differ)
{
	cleanup_rules struct rule_list wanted = {}, found = {};
	size_t i;
	int err = wanted_rules(ways, &wanted);

	*differ = 0;
	err = err ?: found_rules(family, &found);
	for (i = 0; !err && i < wanted.n; i++)
		*differ += !has(&found, &wanted.rule[i]);
	for (i = 0; !err && i < found.n; i++)
		*differ += !has(&wanted, &found.rule[i]);
	return err;
}

int rules_mend(enum tsw_family family, const struct ways *ways)
{
	cleanup_rules struct rule_list wanted = {}, found = {};
	size_t i;
	int err = wanted_rules(ways, &wanted);

	err = err ?: found_rules(family, &found);
	for (i = 0; !err && i < wanted.n; i++)
		if (!has(&found, &wanted.rule[i]))
			err = change(RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL, family,
				     &wanted.rule[i]);
	for (i = 0; !err && i < found.n; i++)
		if (!has(&wanted, &found.rule[i]))
			err = change(RTM_DELRULE, 0, family, &found.rule[i]);
	return err;
}
