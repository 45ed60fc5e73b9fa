// SPDX-License-Identifier: GPL-2.0-only
#include "base/clock.h"
#include "base/err.h"
#include "cli/ended.h"
#include "cmd/cmd.h"
#include "record/tenant_find.h"
#include "watch/event.h"

enum { SNAP = 256, PAGES = 64, RATE = 100 };

struct monitor {
	struct watch watch; /* first: events come with it */
	struct out *out;
	struct names names;
	__u64 count; /* events still to print; 0: no end */
};

/* Prints LINE, unless it is NULL. 1: it was the last one. */
static int print(struct monitor *m, json_t *line)
{
	if (!line)
		return -failure()->code;
	out_object(m->out, line);
	return m->count && !--m->count;
}

static int tell(struct watch *w, const struct tsw_event *event, const __u8 *frame)
{
	struct monitor *m = (struct monitor *)w;
	int err;

	if (event->point == TSW_POINT_COPY)
		return 0; /* the event of the frame itself follows its copies */
	err = names_refresh(&m->names);
	return err ?: print(m, event_json(&m->names, event, frame));
}

static int tell_vip(struct watch *w, const struct tsw_addr_key *key, const struct tsw_taken *taken)
{
	struct monitor *m = (struct monitor *)w;
	int err = names_refresh(&m->names);

	return err ?: print(m, event_vip_json(&m->names, key, taken));
}

static int tell_missed(struct watch *w, __u64 more)
{
	out_object(((struct monitor *)w)->out,
		   json_pack("{s:s, s:I}", "event", "missed", "missed", (json_int_t)more));
	return 0;
}

static int on_start(struct watch *w)
{
	(void)w;
	ended_catch();
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
					   SECOND_NS /
					   (w->given & FIELD(OPTION_RATE) ? w->option.rate : RATE),
				   .burst = SECOND_NS},
			  .tenant = w->option.tenant,
			  .pages = PAGES,
			  .start = on_start,
			  .looked = ended_or_flush,
			  .event = tell,
			  .missed = tell_missed},
		.out = &cli->out,
		.names = {.t = t},
		.count = w->option.count,
	};
	int err = tenant_id(t, &w->option.tenant, &m.watch.want.tenant);

	if (err)
		return err;
	if (m.watch.want.what)
		m.watch.vip = tell_vip; /* with `drops` only drops */
	err = watch_run(&m.watch);
	names_free(&m.names);
	return err;
}
