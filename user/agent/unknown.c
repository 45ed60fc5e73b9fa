// SPDX-License-Identifier: GPL-2.0-only
#include <tsw/drops.h>

#include "agent/unknown.h"
#include "base/clock.h"
#include "record/counters.h"

enum { COUNT_SECONDS = 5, MINUTE = 60 };

/* In the present minute FRAMES only grows, so a burst is told for a minute at least. */
void unknown_count(struct unknown *u, const struct tsw *t, __u64 now)
{
	cleanup_drops struct drops drops = {};
	__u64 all = 0;
	__u32 new;
	size_t i;

	if (now < u->next || !t->open || drops_read(t, &drops))
		return;
	u->next = now + COUNT_SECONDS * SECOND_NS;
	for (i = 0; i < drops.n; i++)
		if (drops.row[i].key.reason == TSW_DROP_UNKNOWN_HOST)
			all += drops.row[i].count.packets;
	new = u->minute &&all > u->before ? (__u32)(all - u->before) : 0;
	if (now - u->minute >= MINUTE * SECOND_NS) {
		u->minute = now;
		u->before = all;
		atomic_store(&u->frames, new);
	} else if (new > atomic_load(&u->frames)) {
		atomic_store(&u->frames, new);
	}
}
