// SPDX-License-Identifier: GPL-2.0-only
/* Ports are sorted by the namespace of their containers, so that each is looked into once. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "check/containers.h"
#include "kernel/inside.h"
#include "record/container.h"
#include "wire/mtu.h"

struct end {
	__s32 nsid;
	__u32 ifindex;
	const struct owner *owner;
	bool seen;
};

struct look {
	struct tsw *t;
	const struct snapshot *s;
	__u32 limit[TSW_ENCAPS];
	struct end *end;
	size_t n, left;
	json_t *warnings;
};

static int compare(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	return x->nsid < y->nsid ? -1 : x->nsid > y->nsid;
}

/* The first port with that namespace. NULL if no port has it, or if it was seen already. */
static struct end *find(const struct look *l, __s32 nsid)
{
	const struct end key = {.nsid = nsid};
	struct end *end = bsearch(&key, l->end, l->n, sizeof(key), compare);

	while (end && end > l->end && end[-1].nsid == nsid)
		end--;
	return end && !end->seen ? end : NULL;
}

static bool is_wanted(__s32 nsid, void *data)
{
	return find(data, nsid);
}

static int judge(struct look *l, const struct end *end, struct mnl_socket *socket)
{
	const struct owner *owner = end->owner;
	struct endpoint ep;
	struct container c = {
		.t = l->t,
		.ep = &ep,
		.tenant = snapshot_get(l->s, MAP_TENANTS, &owner->key.tenant),
		.gw = snapshot_get(l->s, MAP_GATEWAYS, &owner->key.tenant),
	};
	int err = endpoint_load_rest(l->t, owner->name, owner->record, &ep);

	if (err || !c.tenant || container_read(&c, end->ifindex))
		return err;
	c.mtu = tenant_mtu(c.tenant->mtu, l->limit[c.tenant->encap % TSW_ENCAPS]);
	container_judge_all(&c, socket, l->warnings);
	return 0;
}

static int look(__s32 nsid, struct mnl_socket *socket, void *data)
{
	struct look *l = data;
	struct end *end = find(l, nsid);
	int err = 0;

	for (; !err && end && end < l->end + l->n && end->nsid == nsid; end++) {
		err = judge(l, end, socket);
		end->seen = true;
		l->left--;
	}
	return err ?: !l->left;
}

/* An endpoint that moves, or whose command is at work, has its container at two places or none. */
static void add(struct look *l, const struct owners *owners, __u32 ifindex,
		const struct tsw_port *port)
{
	const struct owner *owner = owners_find(owners, port->tenant, &port->mac);
	struct link dev;

	if (!owner || !owner->name || owner->record->flags & TSW_ENDPOINT_PENDING ||
	    port->flags & TSW_PORT_MOVES || link_by_index(ifindex, &dev) || !link_is_pair(&dev))
		return;
	l->end[l->n++] =
		(struct end){.nsid = container_nsid(&dev), .ifindex = ifindex, .owner = owner};
}

int check_containers(struct tsw *t, const struct snapshot *s, const struct owners *owners,
		     json_t *warnings)
{
	const struct rows *rows = &s->rows[MAP_PORTS];
	cleanup_free struct end *end = calloc(rows->n + 1, sizeof(*end));
	struct look l = {.t = t, .s = s, .end = end, .warnings = warnings};
	size_t i;
	int err = end ? tenant_mtu_limits(t, l.limit) : fail_memory();

	for (i = 0; !err && i < rows->n; i++)
		add(&l, owners, *(const __u32 *)row_key(rows, i), row_value(rows, i));
	if (err || !l.n)
		return err;
	qsort(l.end, l.n, sizeof(*l.end), compare);
	l.left = l.n;
	return inside_each(is_wanted, look, &l);
}
