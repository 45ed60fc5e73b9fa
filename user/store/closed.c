// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "base/closed.h"
#include "base/err.h"
#include "base/problem.h"
#include "base/text.h"
#include "store/closed.h"
#include "store/config.h"
#include "store/tsw.h"

/*
 * Addresses where clouds give a machine its credentials; docs/gateways.md names the sources. All of
 * 169.254.0.0/16 is closed anyway, so one address stands for it.
 */
static const char *const by_default[] = {
	"100.100.100.200",    /* Alibaba */
	"168.63.129.16",      /* Azure */
	"169.254.169.254",    /* most others */
	"192.0.0.192",	      /* Oracle */
	"fd00:42::42",	      /* Scaleway */
	"fd00:100::100:200",  /* Alibaba */
	"fd00:a9fe:a9fe::1",  /* Akamai, formerly Linode */
	"fd00:c1::a9fe:a9fe", /* Oracle */
	"fd00:ec2::23",	      /* Amazon's agent for pods of Kubernetes */
	"fd00:ec2::254",      /* Amazon */
	"fd20:ce::254",	      /* Google */
};

enum { DEFAULTS = sizeof(by_default) / sizeof(by_default[0]) };

static struct tsw_closed_key default_key(size_t i)
{
	struct tsw_closed_key key = {.len = 128};
	__be32 v4;

	if (inet_pton(AF_INET, by_default[i], &v4) == 1)
		key.addr = addr_from_v4(v4);
	else
		inet_pton(AF_INET6, by_default[i], &key.addr);
	return key;
}

static bool is_default(const struct tsw_closed_key *key)
{
	struct tsw_closed_key one;
	size_t i;

	for (i = 0; i < DEFAULTS; i++) {
		one = default_key(i);
		if (!memcmp(&one, key, sizeof(one)))
			return true;
	}
	return false;
}

int closed_fill(int fd)
{
	const __u32 why = TSW_CLOSED_BY_DEFAULT;
	struct tsw_closed_key key;
	size_t i;

	for (i = 0; i < DEFAULTS; i++) {
		key = default_key(i);
		if (bpf_map_update_elem(fd, &key, &why, BPF_ANY))
			return fail(errno, "cannot close %s: %s", by_default[i], strerror(errno));
	}
	return 0;
}

static struct tsw_prefix network_of(const struct tsw_closed_key *key)
{
	return (struct tsw_prefix){key->addr, key->len};
}

/* A switch of an older version has no such map. */
static int rows_of(const struct tsw *t, struct rows *rows)
{
	return t->maps.fd[MAP_CLOSED] < 0 ? 0 : map_rows(&t->maps, MAP_CLOSED, rows);
}

int closed_load(const struct tsw *t, struct tsw_closed_list *list)
{
	cleanup_rows struct rows rows = {};
	struct tsw_prefix network;
	size_t i;
	int err = rows_of(t, &rows);

	*list = (struct tsw_closed_list){};
	for (i = 0; !err && i < rows.n && list->n < TSW_CLOSED_MOST; i++) {
		network = network_of(row_key(&rows, i));
		if (*(const __u32 *)row_value(&rows, i) & TSW_CLOSED_ASKED)
			closed_insert(list, &network);
	}
	if (t->config.flags & TSW_CFG_CLOSED_ALONE)
		list->how = TSW_CLOSED_ALONE;
	else if (list->n)
		list->how = TSW_CLOSED_BESIDE;
	return err;
}

/* The reasons why the list closes KEY, bits TSW_CLOSED_*; 0: it leaves KEY open. */
static __u32 wanted(const struct tsw_closed_list *list, const struct tsw_closed_key *key)
{
	const bool also = list->how != TSW_CLOSED_ALONE && is_default(key);
	__u32 why = also ? TSW_CLOSED_BY_DEFAULT : 0, i;

	for (i = 0; i < list->n; i++)
		if (list->at[i].len == key->len && addr_equal(&list->at[i].addr, &key->addr))
			why |= TSW_CLOSED_ASKED;
	return why;
}

static int put(const struct tsw *t, const struct tsw_closed_list *list,
	       const struct tsw_closed_key *key)
{
	const __u32 why = wanted(list, key);

	return why ? map_put(&t->maps, MAP_CLOSED, key, &why) : 0;
}

static int put_wanted(const struct tsw *t, const struct tsw_closed_list *list)
{
	struct tsw_closed_key key;
	__u32 i;
	int err = 0;

	for (i = 0; !err && i < DEFAULTS; i++) {
		key = default_key(i);
		err = put(t, list, &key);
	}
	for (i = 0; !err && i < list->n; i++) {
		key = (struct tsw_closed_key){list->at[i].len, list->at[i].addr};
		err = put(t, list, &key);
	}
	return err;
}

static int drop_others(const struct tsw *t, const struct tsw_closed_list *list)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_CLOSED, &rows);

	for (i = 0; !err && i < rows.n; i++)
		if (!wanted(list, row_key(&rows, i)))
			err = map_del(&t->maps, MAP_CLOSED, row_key(&rows, i));
	return err;
}

int closed_put(struct tsw *t, const struct tsw_closed_list *list)
{
	int err = put_wanted(t, list);

	if (err)
		return err;
	t->config.flags &= ~TSW_CFG_CLOSED_ALONE;
	if (list->how == TSW_CLOSED_ALONE)
		t->config.flags |= TSW_CFG_CLOSED_ALONE;
	err = config_put(t);
	return err ?: drop_others(t, list);
}

int closed_mend(struct tsw *t)
{
	struct tsw_closed_list list;
	int err = closed_load(t, &list);

	return err ?: closed_put(t, &list);
}

int closed_check(const struct tsw *t, json_t *problems)
{
	cleanup_rows struct rows rows = {};
	struct tsw_closed_list list;
	struct tsw_closed_key key;
	size_t i;
	__u32 why;
	int err = closed_load(t, &list);

	for (i = 0; !err && i < DEFAULTS; i++) {
		key = default_key(i);
		if (wanted(&list, &key) && map_get(&t->maps, MAP_CLOSED, &key, &why))
			problem(problems, "closed_address", by_default[i],
				"it must be closed to tenants, but is open");
	}
	err = err ?: map_rows(&t->maps, MAP_CLOSED, &rows);
	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_prefix network = network_of(row_key(&rows, i));

		if (!wanted(&list, row_key(&rows, i)))
			problem(problems, "closed_address", network_text(&network),
				"it is closed to tenants, but no setting asks for that");
	}
	return err;
}

int closed_now(const struct tsw *t, json_t *list)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = rows_of(t, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_prefix network = network_of(row_key(&rows, i));

		json_array_append_new(list, json_string(network_text(&network)));
	}
	return err;
}
