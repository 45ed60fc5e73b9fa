// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/ended.h"
#include "cmd/cmd.h"
#include "kernel/own_file.h"
#include "record/tenant_find.h"
#include "tools/capture/pcapng.h"
#include "watch/event.h"

enum { PAGES = 4096, COMMENT_LEN = 512 };

struct capture {
	struct watch watch; /* first: events come with it */
	struct names names;
	struct pcapng file;
	const char *path; /* NULL: standard output */
	__u64 count;	  /* packets still to write; 0: no end */
	__u64 packets;
	struct device {
		__u32 ifindex;
		__u64 packets;
	} * device; /* in the order of the file's interfaces */
};

static const char *path_text(const struct capture *c)
{
	return c->path ? quoted(c->path) : "standard output";
}

static int fail_write(const struct capture *c, int err)
{
	return fail(err, "cannot write %s: %s", path_text(c), strerror(-err));
}

/* The file's number of the device; a new one gets its block. */
static int device(struct capture *c, __u32 ifindex)
{
	struct device *all;
	__u32 i;
	int err;

	for (i = 0; i < c->file.devices; i++)
		if (c->device[i].ifindex == ifindex)
			return (int)i;
	all = realloc(c->device, (i + 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	c->device = all;
	c->device[i] = (struct device){.ifindex = ifindex};
	err = pcapng_device(&c->file, ifindex ? name_of_device(&c->names, ifindex) : "none",
			    "tenant-switch");
	return err;
}

static int comment(const struct capture *c, const struct tsw_event *event, const __u8 *frame,
		   char text[COMMENT_LEN])
{
	struct dissected d;
	json_t *facts;

	event_dissect(&c->names, event, frame, &d);
	facts = event_facts(&c->names, event, &d);
	if (!facts)
		return -ENOMEM;
	event_text(facts, text, COMMENT_LEN);
	json_decref(facts);
	return 0;
}

static int write_packet(struct capture *c, const struct tsw_event *event, const __u8 *frame)
{
	char text[COMMENT_LEN];
	struct pcapng_packet packet = {
		.time = event->time + watch_clock(),
		.captured = event->captured,
		.length = event->length,
		.data = frame,
		.comment = text,
		.outbound = event->point == TSW_POINT_OUT || event->point == TSW_POINT_COPY,
		.id = event->frame,
	};
	int at = device(c, event->ifindex), err;

	if (at < 0)
		return at;
	packet.device = (__u32)at;
	err = comment(c, event, frame, text);
	err = err ?: pcapng_packet(&c->file, &packet);
	if (!err)
		c->device[at].packets++;
	return err;
}

static int on_event(struct watch *w, const struct tsw_event *event, const __u8 *frame)
{
	struct capture *c = (struct capture *)w;
	int err = names_refresh(&c->names);

	if (err)
		return err;
	/* Its copies are in the file. */
	if (event->point == TSW_POINT_OUT && event->end == TSW_END_COPIED)
		return 0;
	err = write_packet(c, event, frame);
	if (err)
		return fail_write(c, err);
	c->packets++;
	return c->count && !--c->count;
}

/* What was lost is not known of each device: it stands at the first. */
static int write_statistics(struct capture *c)
{
	const __u64 now = clock_ns(CLOCK_REALTIME);
	__u32 i;
	int err = 0;

	for (i = 0; !err && i < c->file.devices; i++)
		err = pcapng_statistics(&c->file, i, now, c->device[i].packets,
					i ? 0 : c->watch.lost);
	return err ? fail_write(c, err) : 0;
}

/* Behind all that can be refused, so that a refused command leaves a file as it was. */
static int open_file(struct capture *c)
{
	int fd = c->path ? own_file_open(c->path) : STDOUT_FILENO, err;

	if (fd < 0)
		return fd;
	err = pcapng_begin(&c->file, fd, c->watch.want.snap, "tsw " TSW_VERSION);
	return err ? fail_write(c, err) : 0;
}

static int on_start(struct watch *w)
{
	ended_catch();
	return open_file((struct capture *)w);
}

static int close_file(struct capture *c, int err)
{
	const struct failure first = *failure();
	int fd = c->file.fd, last = 0;

	if (!err || c->packets)
		last = err == -ENOSPC ? 0 : write_statistics(c);
	if (c->path && fd >= 0 && close(fd) && !last)
		last = fail_write(c, -errno);
	pcapng_free(&c->file);
	return err ? fail_again(&first) : last;
}

/* Whose frames are wanted. */
static int find(struct tsw *t, const struct words *w, struct watch *watch)
{
	struct tsw_watcher *want = &watch->want;
	struct tsw_tenant tenant = {};
	struct endpoint ep;
	int err = 0;

	if (w->given & FIELD(OPTION_TENANT))
		err = tenant_find(t, &w->option.tenant, &want->tenant, &tenant);
	if (!err && w->given & FIELD(OPTION_ENDPOINT)) {
		err = endpoint_find(t, &w->option.tenant, &w->option.endpoint, &ep);
		err = err ?: map_get(&t->maps, MAP_TENANTS, &ep.key.tenant, &tenant);
		want->what |= TSW_WATCH_MAC;
		want->tenant = ep.key.tenant;
		want->mac = ep.mac;
	}
	memcpy(watch->tenant.s, tenant.name, sizeof(watch->tenant.s));
	return err;
}

static void tell(struct cli *cli, const struct capture *c)
{
	if (c->path)
		out_object(&cli->out,
			   json_pack("{s:o, s:I, s:I}", "file", json_text(c->path), "packets",
				     (json_int_t)c->packets, "lost", (json_int_t)c->watch.lost));
	else
		note(&cli->tsw.log, "%llu packets, %llu lost", c->packets, c->watch.lost);
}

int fit_capture(struct words *w)
{
	if (w->given & FIELD(OPTION_WRITE))
		return *w->option.write ? 0 : misuse("write needs the name of a file");
	if (isatty(STDOUT_FILENO))
		return misuse("a capture is not for a terminal: give write FILE, or a pipe to "
			      "what reads pcapng, such as: wireshark -k -i -");
	return 0;
}

int cmd_capture(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	struct capture c = {
		.watch = {.t = t,
			  .want = {.what = TSW_WATCH_IN | TSW_WATCH_OUT,
				   .snap = w->given & FIELD(OPTION_SNAPLEN) ? w->option.snaplen
									    : WATCH_SNAP_MAX},
			  .pages = PAGES,
			  .start = on_start,
			  .looked = ended_or_flush,
			  .event = on_event},
		.names = {.t = t},
		.file = {.fd = -1},
		.path = w->given & FIELD(OPTION_WRITE) ? w->option.write : NULL,
		.count = w->option.count,
	};
	int err = find(t, w, &c.watch);

	if (!err && !c.path && cli->out.json)
		err = misuse("-j is for what capture tells of a file: give write FILE");
	if (err)
		return err;
	err = watch_run(&c.watch);
	if (c.file.fd >= 0)
		err = close_file(&c, err);
	if (!err)
		tell(cli, &c);
	names_free(&c.names);
	free(c.device);
	return err;
}
