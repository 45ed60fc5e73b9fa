// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/clock.h"
#include "base/text.h"
#include "object/macs.h"
#include "store/attach.h"

int macs_put(const struct tsw *t, const struct tsw_fdb_key *who, __u32 most)
{
	__u32 had;
	int err = map_get(&t->maps, MAP_MACS, who, &had);

	if (most)
		return err || had != most ? map_put(&t->maps, MAP_MACS, who, &most) : 0;
	if (err)
		return err == -ENOENT ? 0 : err;
	err = map_del(&t->maps, MAP_MACS, who);
	wait_for_programs(); /* without this entry they add none to MAP_INNER */
	return err ?: map_del(&t->maps, MAP_INNER, who);
}

int macs_read(const struct tsw *t, const struct tsw_fdb_key *who, struct tsw_mac mac[TSW_MACS],
	      size_t *n)
{
	const struct tsw_mac none = {};
	struct tsw_inner inner;
	__u32 most, i;
	int err = map_get(&t->maps, MAP_MACS, who, &most);

	*n = 0;
	err = err ?: map_get(&t->maps, MAP_INNER, who, &inner);
	for (i = 0; !err && i < most && i < TSW_MACS; i++)
		if (!mac_equal(&inner.mac[i].mac, &none) &&
		    clock_kernel_ns() - inner.mac[i].seen < TSW_INNER_SECONDS * SECOND_NS)
			mac[(*n)++] = inner.mac[i].mac;
	return err == -ENOENT ? 0 : err;
}
