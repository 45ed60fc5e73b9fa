// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"
#include "kernel/refused.h"

/* As gateway.nft writes them into the set's keys. */
_Static_assert(TSW_DROP_NOT_PEERED == 0x0c && TSW_DROP_HOST_ADDRESS == 0x1c &&
		       TSW_DROP_FOREIGN_FLOW == 0x21 && TSW_DROP_BAD_STATE == 0x2f,
	       "gateway.nft has other numbers");

struct reading {
	struct refused_list *list;
	bool failed;
};

static void read_counter(const struct nlattr *attr, struct tsw_counter *count)
{
	const struct attrs expr = attrs_nested(attr);
	const struct attrs a = attrs_nested(expr.at[NFTA_EXPR_DATA]);
	__be64 packets = 0, bytes = 0;

	if (strcmp(attr_text(expr.at[NFTA_EXPR_NAME]), "counter"))
		return;
	attr_copy(a.at[NFTA_COUNTER_PACKETS], &packets, sizeof(packets));
	attr_copy(a.at[NFTA_COUNTER_BYTES], &bytes, sizeof(bytes));
	count->packets = be64toh(packets);
	count->bytes = be64toh(bytes);
}

static int read_element(const struct nlattr *attr, void *data)
{
	const struct attrs a = attrs_nested(attr);
	const struct attrs key = attrs_nested(a.at[NFTA_SET_ELEM_KEY]);
	const __u32 mark = attr_u32(key.at[NFTA_DATA_VALUE]); /* in the host's byte order */
	struct refused r = {.index = mark & TSW_MARK_INDEX, .reason = (__u16)(mark >> 16)};
	struct reading *reading = data;

	read_counter(a.at[NFTA_SET_ELEM_EXPR], &r.count);
	if (r.count.packets)
		reading->failed |=
			list_append(&reading->list->at, &reading->list->n, &r, sizeof(r)) != 0;
	return MNL_CB_OK;
}

static int read_elements(const struct nlmsghdr *message, void *data)
{
	const struct attrs a = attrs_of(message, sizeof(struct nfgenmsg));
	const struct nlattr *elements = a.at[NFTA_SET_ELEM_LIST_ELEMENTS];

	if (elements)
		mnl_attr_parse_nested(elements, read_element, data);
	return MNL_CB_OK;
}

int refused_read(struct refused_list *list)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETSETELEM, NLM_F_DUMP,
			      sizeof(struct nfgenmsg));
	struct nfgenmsg *header = mnl_nlmsg_get_payload(request);
	struct reading reading = {.list = list};
	int err;

	*list = (struct refused_list){};
	if (!netns_has_router())
		return 0;
	header->nfgen_family = NFPROTO_INET;
	mnl_attr_put_strz(request, NFTA_SET_ELEM_LIST_TABLE, "tsw");
	mnl_attr_put_strz(request, NFTA_SET_ELEM_LIST_SET, "refused");
	err = netlink_talk_on(NETLINK_NETFILTER, request, read_elements, &reading);
	if (!err && reading.failed)
		return fail_memory();
	return err && err != -ENOENT
		       ? fail(err, "cannot list the frames that the router refused: %s",
			      strerror(-err))
		       : 0;
}

void refused_free(struct refused_list *list)
{
	free(list->at);
	*list = (struct refused_list){};
}
