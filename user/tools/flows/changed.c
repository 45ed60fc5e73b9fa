// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tools/flows/changed.h"
#include "watch/watch.h"

/* Compares flows without the time at which they began. */
static int compare(const void *a, const void *b)
{
	const struct flow_row *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return memcmp(&x->record.tuple, &y->record.tuple, sizeof(x->record.tuple));
}

/* The flow as it was reported last. Zero: never, or it was forgotten and has begun anew. */
static const struct tsw_flow_record *reported(const struct flow_export *e,
					      const struct flow_row *row)
{
	static const struct tsw_flow_record nothing;
	const struct flow_row *found =
		e->reported.n ? bsearch(row, e->reported.row, e->reported.n, sizeof(*row), compare)
			      : NULL;

	return found && found->record.first == row->record.first ? &found->record : &nothing;
}

/*
 * A flow that is reported again begins, for the collector, at the last report, since the collector
 * knows what came before.
 */
static int tell(struct flow_export *e, const struct flow_row *row)
{
	const struct tsw_flow_record *before = reported(e, row);
	const __u64 start = before->first ? e->reported_at : row->record.first;
	const struct ipfix_flow flow = {
		.tenant = row->tenant,
		.record = &row->record,
		.packets = row->record.packets - before->packets,
		.bytes = row->record.bytes - before->bytes,
		.start = (start + e->clock) / MS_NS,
		.end = (row->record.last + e->clock) / MS_NS,
		.reason = e->again ? IPFIX_ACTIVE_TIMEOUT : IPFIX_FORCED_END,
	};

	return flow.packets ? ipfix_add(&e->ipfix, &flow) : 0;
}

int flow_export(struct flow_export *e, const struct tsw *t, __u32 tenant)
{
	const __u64 now = clock_kernel_ns();
	struct flow_list list = {};
	size_t i;
	int err = flow_list_read(t, tenant, &list);

	e->clock = watch_clock();
	if (!err && list.n)
		qsort(list.row, list.n, sizeof(*list.row), compare);
	err = err ?: ipfix_begin(&e->ipfix, (__u32)(clock_ns(CLOCK_REALTIME) / SECOND_NS));
	for (i = 0; !err && i < list.n; i++)
		err = tell(e, &list.row[i]);
	err = err ?: ipfix_end(&e->ipfix);
	if (err) {
		flow_list_free(&list);
		return err;
	}
	flow_list_free(&e->reported);
	e->reported = list;
	e->reported_at = now;
	return 0;
}

void flow_export_free(struct flow_export *e)
{
	flow_list_free(&e->reported);
}
