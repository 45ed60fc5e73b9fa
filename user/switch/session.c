// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "door/door.h"
#include "base/err.h"
#include "object/host.h"
#include "store/lock.h"
#include "store/migrate.h"
#include "kernel/netns.h"
#include "store/pins.h"
#include "switch/session.h"
#include "switch/settle.h"
#include "switch/swap.h"
#include "kernel/system.h"
#include "object/tenant.h"
#include "base/text.h"

static const __u32 zero;

int session_no_switch(const struct tsw *t)
{
	return fail(ENOENT, "no switch %s is up; start one with: tsw%s%s%s%s switch up dev DEV",
		    quoted(t->instance), t->netns ? " -n " : "", t->netns ? escaped(t->netns) : "",
		    t->named ? " -i " : "", t->named ? escaped(t->instance) : "");
}

static int lacks_pins(const struct tsw *t)
{
	if (!pins_exist(t->instance))
		return session_no_switch(t);
	if (pins_count(t->instance, PINS_NEXT "/maps") && !pins_has(t->instance, PINS_NEXT_CONFIG))
		return fail(ENOENT,
			    "an upgrade of switch %s did not come to its end: run switch upgrade",
			    quoted(t->instance));
	return fail(
		ENOENT,
		"somebody removed pins of switch %s, see: tsw switch check; frames are forwarded "
		"as before; tsw switch repair pins again what is left, and for a switch that is "
		"only half up run its switch up again",
		quoted(t->instance));
}

int session_read_config(struct tsw *t)
{
	__u8 config[MIGRATE_MOST];
	char dir[PINS_PATH];
	__u32 key[MIGRATE_MOST / sizeof(__u32)] = {}, abi;
	int err;

	pins_dir(dir, t->instance);
	err = maps_read_config(dir, config, sizeof(config));
	if (err)
		return err == -ENOENT ? lacks_pins(t) : err;
	abi = ((const struct tsw_config *)config)->abi;
	if (abi >= TSW_ABI_OLDEST && abi < TSW_ABI_VERSION)
		migrate_entry(migrations, abi, MAP_CONFIG, key, config);
	memcpy(&t->config, config, sizeof(t->config));
	t->config.abi = abi;
	return 0;
}

int session_check_abi(const struct tsw *t)
{
	const char *who = quoted(t->instance);
	const __u32 abi = t->config.abi;

	if (abi == TSW_ABI_VERSION)
		return 0;
	if (!abi)
		return fail(ENOENT, "the switch %s is only half up: run its switch up again", who);
	if (abi > TSW_ABI_VERSION)
		return fail(
			EPROTO,
			"the switch %s was made by a newer tsw: it has ABI version %u, and this "
			"tsw knows %d at most",
			who, abi, TSW_ABI_VERSION);
	if (abi >= TSW_ABI_OLDEST)
		return fail(EPROTO,
			    "the switch %s has ABI version %u and this tsw %d: run switch upgrade",
			    who, abi, TSW_ABI_VERSION);
	return fail(EPROTO,
		    "the switch %s has ABI version %u, and this tsw can upgrade %d and later: take "
		    "it down with switch down, and set it up anew",
		    who, abi, TSW_ABI_OLDEST);
}

int session_check_netns(const struct tsw *t)
{
	__u32 here;
	int err = netns_inode(&here);

	if (err || here == t->config.netns)
		return err;
	return fail(ENODEV,
		    "the switch %s is in another network namespace: use tsw -n NAME, or if that is "
		    "gone, tsw -i %s -f switch down",
		    quoted(t->instance), escaped(t->instance));
}

int session_put_config(const struct tsw *t)
{
	/* A switch of an older ABI is taken down: what it has stays as it is. */
	if (t->maps.fd[MAP_CONFIG] < 0)
		return 0;
	return map_put(&t->maps, MAP_CONFIG, &zero, &t->config);
}

/* From here on a kill leaves totals that say so, and the next run counts again. */
static int begin(struct tsw *t)
{
	int err = map_get(&t->maps, MAP_TOTALS, &zero, &t->totals);

	if (!err && t->totals.unsettled)
		err = settle(t);
	if (!err) {
		t->totals.unsettled = 1;
		err = map_put(&t->maps, MAP_TOTALS, &zero, &t->totals);
	}
	return err;
}

/* While another command is at work, or after its end by a kill, the written totals are old. */
static int read_totals(struct tsw *t)
{
	int err = map_get(&t->maps, MAP_TOTALS, &zero, &t->totals);

	return !err && t->totals.unsettled ? settle_count(t) : err;
}

/* Also what a killed `switch upgrade` left half done. */
static int open_maps(struct tsw *t)
{
	char dir[PINS_PATH];
	int err = session_read_config(t);

	if (!err)
		err = session_check_abi(t);
	if (!err && t->will_write)
		err = session_check_netns(t);
	if (!err && t->will_write)
		err = swap_finish(t);
	if (err)
		return err;
	pins_dir(dir, t->instance);
	err = maps_open(&t->maps, dir);
	if (err == -ENOENT)
		return lacks_pins(t);
	if (!err)
		err = t->will_write ? begin(t) : read_totals(t);
	return err;
}

int session_open(struct tsw *t)
{
	int err;

	if (t->open)
		return 0;
	err = system_check_capabilities();
	if (!err)
		err = pins_check_fs();
	if (!err && !pins_exist(t->instance))
		err = session_no_switch(t);
	if (!err && t->will_write)
		err = lock_take(t);
	if (err)
		return err;
	err = open_maps(t);
	if (err) {
		maps_close(&t->maps);
		if (!pins_exist(t->instance))
			lock_remove(t);
		lock_drop(t);
		return err;
	}
	t->open = true;
	return 0;
}

int session_flush(struct tsw *t)
{
	int err = tenant_flush(t);

	if (!err)
		err = host_flush(t);
	if (!err && t->unfit)
		err = door_fit(t);
	t->unfit = t->unfit && err;
	return err;
}

void session_leave(struct tsw *t)
{
	int i;

	/* Should this fail, all is done nevertheless, and the next run counts again. */
	if (t->open && t->will_write) {
		t->totals.unsettled = session_flush(t) || t->torn;
		map_put(&t->maps, MAP_TOTALS, &zero, &t->totals);
	}
	t->open = t->door = false;
	maps_close(&t->maps);
	for (i = 0; i < PROG_COUNT; i++) {
		if (t->prog[i] >= 0)
			close(t->prog[i]);
		t->prog[i] = -1;
	}
}

void session_close(struct tsw *t)
{
	session_leave(t);
	lock_drop(t);
}
