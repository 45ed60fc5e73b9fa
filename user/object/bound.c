// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>

#include "base/text.h"
#include "object/bound.h"
#include "store/attach.h"

int bound_read(const struct tsw *t, const struct tsw_fdb_key *who,
	       struct tsw_addr addr[TSW_BINDINGS], size_t *n)
{
	struct tsw_addr_key key = {.tenant = who->tenant};
	struct tsw_binding binding;
	struct tsw_bound bound;
	unsigned int i;
	int err = map_get(&t->maps, MAP_BOUND, who, &bound);

	*n = 0;
	for (i = 0; !err && i < TSW_BINDINGS; i++) {
		key.addr = (struct tsw_addr){
			{htonl(0xfe800000), 0, (__u32)bound.id[i], (__u32)(bound.id[i] >> 32)}};
		err = bound.id[i] ? map_get(&t->maps, MAP_BINDINGS, &key, &binding) : -ENOENT;
		if (!err && mac_equal(&binding.mac, &who->mac))
			addr[(*n)++] = key.addr;
		err = err == -ENOENT ? 0 : err;
	}
	return err == -ENOENT ? 0 : err;
}

int bound_drop(const struct tsw *t, const struct tsw_fdb_key *who)
{
	struct tsw_addr_key key = {.tenant = who->tenant};
	struct tsw_addr addr[TSW_BINDINGS];
	struct tsw_bound bound;
	size_t n, i;
	int err = map_get(&t->maps, MAP_BOUND, who, &bound);

	if (err)
		return err == -ENOENT ? 0 : err;
	wait_for_programs();
	err = bound_read(t, who, addr, &n);
	for (i = 0; !err && i < n; i++) {
		key.addr = addr[i];
		err = map_del(&t->maps, MAP_BINDINGS, &key);
	}
	return err ?: map_del(&t->maps, MAP_BOUND, who);
}
