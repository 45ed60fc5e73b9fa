// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "cmd/cmd.h"
#include "base/err.h"
#include "watch/event.h"
#include "object/tenant.h"
#include "watch/watch.h"
#include "base/json.h"
#include "record/tenant_find.h"
#include "store/tsw.h"

#define SECOND 1000000000ULL

enum { SNAP = 256, PAGES = 64, RATE = 100 };

struct monitor {
	struct watch watch; /* first: events come with it */
	struct out *out;
	struct names names;
	__u64 count; /* events still to tell; 0: no end */
};

static void time_text(__u64 ns, char *text, size_t len)
{
	const time_t seconds = (time_t)(ns / SECOND);
	size_t used;
	struct tm utc;

	gmtime_r(&seconds, &utc);
	used = strftime(text, len, "%FT%T", &utc);
	snprintf(text + used, len - used, ".%09lluZ", ns % SECOND);
}

static int tell(struct watch *w, const struct tsw_event *event, const __u8 *frame)
{
	struct monitor *m = (struct monitor *)w;
	struct dissected d;
	char time[64];
	json_t *line, *facts;
	int err;

	if (event->point == TSW_POINT_COPY)
		return 0; /* the frame itself comes behind its copies */
	err = names_refresh(&m->names);
	if (err)
		return err;
	time_text(event->time + watch_clock(), time, sizeof(time));
	event_dissect(&m->names, event, frame, &d);
	line = json_pack("{s:s}", "time", time);
	facts = event_facts(&m->names, event, &d);
	err = json_object_update_new(line, facts);
	if (!err && event->ifindex) /* copies go to many */
		err = json_object_set_new(line, "device",
					  json_text(name_of_device(&m->names, event->ifindex)));
	err = err ?: event_add_frame(line, &m->names, &d);
	err = err ?: json_object_set_new(line, "length", json_integer(event->length));
	if (err) {
		json_decref(line);
		return fail(ENOMEM, "out of memory");
	}
	out_object(m->out, line);
	return m->count && !--m->count;
}

static int tell_missed(struct watch *w, __u64 more)
{
	out_object(((struct monitor *)w)->out,
		   json_pack("{s:s, s:I}", "event", "missed", "missed", (json_int_t)more));
	return 0;
}

int cmd_monitor(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	struct monitor m = {
		.watch = {.t = t,
			  .want = {.what = w->given & FIELD(OPTION_DROPS) ? 0 : TSW_WATCH_OUT,
				   .snap = SNAP,
				   .interval =
					   SECOND /
					   (w->given & FIELD(OPTION_RATE) ? w->option.rate : RATE),
				   .burst = SECOND},
			  .tenant = w->option.tenant,
			  .pages = PAGES,
			  .looked = out_flush,
			  .event = tell,
			  .missed = tell_missed},
		.out = &cli->out,
		.names = {.t = t},
		.count = w->option.count,
	};
	struct tsw_tenant unused;
	int err = 0;

	if (w->given & FIELD(OPTION_TENANT))
		err = tenant_find(t, &w->option.tenant, &m.watch.want.tenant, &unused);
	if (err)
		return err;
	err = watch_run(&m.watch);
	names_free(&m.names);
	return err;
}
