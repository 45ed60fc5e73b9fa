// SPDX-License-Identifier: GPL-2.0-only
#include <tsw/watch.h>

#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "lib/lib.h"
#include "record/tenant_find.h"
#include "watch/event.h"
#include "watch/watch.h"

enum { SNAP = 256, PAGES = 64, RATE = 100, RATE_MOST = 1000000 };

struct following {
	struct watch watch; /* must be first, because callbacks get it */
	const struct tsw_follow *follow;
	struct names names;
	bool enough; /* events that are still in the rings are dropped */
};

/* Takes over JSON, unless it is NULL. */
static int tell(const struct following *f, json_t *json)
{
	char *text;
	int err;

	if (!json)
		return -failure()->code;
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	if (!text)
		return fail_memory();
	err = f->follow->event(f->follow->context, text);
	free(text);
	return err;
}

static int on_event(struct watch *w, const struct tsw_event *event, const __u8 *frame)
{
	struct following *f = (struct following *)w;
	int err;

	if (event->point == TSW_POINT_COPY || f->enough)
		return 0; /* the event of the frame itself follows its copies */
	err = names_refresh(&f->names);
	return err ?: tell(f, event_json(&f->names, event, frame));
}

static int on_vip(struct watch *w, const struct tsw_addr_key *key, const struct tsw_taken *taken)
{
	struct following *f = (struct following *)w;
	int err = f->enough ? 0 : names_refresh(&f->names);

	return err || f->enough ? err : tell(f, event_vip_json(&f->names, key, taken));
}

static int on_look(struct watch *w)
{
	struct following *f = (struct following *)w;
	int err = f->follow->idle ? f->follow->idle(f->follow->context) : 0;

	f->enough = err;
	return err;
}

static int on_missed(struct watch *w, __u64 more)
{
	const struct tsw_follow *follow = ((struct following *)w)->follow;

	return follow->missed ? follow->missed(follow->context, more) : 0;
}

int tsw_watch(struct tsw *t, const struct tsw_follow *follow)
{
	struct following f = {
		.watch = {.t = t,
			  .want = {.what = follow->drops ? 0 : TSW_WATCH_OUT,
				   .snap = SNAP,
				   .interval = SECOND_NS / (follow->rate ?: RATE),
				   .burst = SECOND_NS},
			  .pages = PAGES,
			  .looked = on_look,
			  .missed = on_missed,
			  .vip = follow->drops ? NULL : on_vip,
			  .event = on_event},
		.follow = follow,
		.names = {.t = t},
	};
	int err;

	if (follow->rate > RATE_MOST)
		return misuse("rate: %u is more than %d events a second", follow->rate, RATE_MOST);
	tsw_release(t); /* following needs no lock */
	err = follow->tenant ? lib_name(follow->tenant, &f.watch.tenant) : 0;
	err = err ?: lib_read(t);
	err = err ?: tenant_id(t, &f.watch.tenant, &f.watch.want.tenant);
	err = err ?: watch_run(&f.watch);
	names_free(&f.names);
	return err;
}
