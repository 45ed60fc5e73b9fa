// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "door/door.h"
#include "door/router.h"
#include "kernel/netns_move.h"
#include "kernel/system.h"
#include "record/count.h"
#include "store/attach.h"
#include "store/config.h"
#include "store/pins.h"
#include "switch/session.h"
#include "switch/settle.h"
#include "switch/swap.h"
#include "wire/crypt.h"

static const __u32 zero;

/* Marks the totals, so that after a kill the next run counts again. */
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

/* While another command is at work, or after it was killed, the stored totals are outdated. */
static int read_totals(struct tsw *t)
{
	int err = map_get(&t->maps, MAP_TOTALS, &zero, &t->totals);

	return !err && t->totals.unsettled ? settle_count(t) : err;
}

/* Opens the maps. For writing it first completes a killed `switch upgrade`. */
static int open_maps(struct tsw *t)
{
	char dir[PINS_PATH];
	int err = config_read(t);

	err = err ?: config_check_abi(t);
	if (!err && t->will_write)
		err = config_check_netns(t);
	if (!err && t->will_write)
		err = swap_finish(t);
	if (err)
		return err;
	router_register(t);
	pins_dir(dir, t->instance);
	err = maps_open(&t->maps, dir, t->will_write);
	if (err == -ENOENT)
		return config_lacks_pins(t);
	err = err ?: t->will_write ? begin(t) : read_totals(t);
	/* If encryption cannot be repaired, frames that need it are dropped meanwhile. */
	if (!err && t->will_write && crypt_mend(t))
		note(&t->log, "%s", failure()->text);
	return err;
}

/* Without -i the switch has the name of its namespace, so that each namespace has its own. */
static int name_instance(struct tsw *t)
{
	struct tsw_name unused;
	const char *slash;
	int err;

	if (!t->instance && t->netns) {
		slash = strrchr(t->netns, '/');
		t->instance = slash ? slash + 1 : t->netns;
	}
	if (!t->instance)
		t->instance = "default";
	err = parse_known_name(t->instance, &unused);
	if (err)
		fail_more("; it would be the name of the switch (-i)");
	return err;
}

int session_enter(struct tsw *t)
{
	int err = name_instance(t);

	return !err && t->netns ? netns_enter(t->netns) : err;
}

/* Waits for a command that may be making the switch. -ENOENT, without message: no command is. */
static int join(struct tsw *t)
{
	struct failure why;
	int err = lock_join(t);

	if (err != -EBUSY)
		return err;
	fail_where("the switch %s is coming up: ", quoted(t->instance));
	why = *failure();
	why.code = EAGAIN;
	return fail_again(&why);
}

/* Leaves no lock without a switch. */
static int find_coming(struct tsw *t)
{
	int err = join(t);

	if (!err && !pins_exist(t->instance)) {
		lock_drop(t);
		err = -ENOENT;
	}
	return err == -ENOENT ? config_no_switch(t) : err;
}

int session_find(struct tsw *t, bool lock)
{
	int err = system_check_capabilities();

	err = err ?: pins_check_fs();
	if (!err && !pins_exist(t->instance))
		err = lock ? find_coming(t) : config_no_switch(t);
	return err || !lock ? err : lock_take(t);
}

static int open_once(struct tsw *t)
{
	int err = session_find(t, t->will_write);

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

/* A reader takes no lock, so it may find half of a switch that another command is making. */
static int open_coming(struct tsw *t)
{
	const struct failure why = *failure();
	int err = join(t);

	if (err == -ENOENT)
		return fail_again(&why);
	err = err ?: open_once(t);
	lock_drop(t);
	return err;
}

int session_open(struct tsw *t)
{
	int err;

	if (t->open) {
		router_register(t);
		settle_torn(t);
		return 0;
	}
	err = open_once(t);
	return err == -ENOENT && !t->will_write && t->lock < 0 ? open_coming(t) : err;
}

bool session_holds(const struct tsw *t, const enum map *maps, size_t n)
{
	char dir[PINS_PATH];
	size_t i;

	pins_dir(dir, t->instance);
	for (i = 0; t->open && i < n; i++)
		if (!maps_pinned(&t->maps, maps[i], dir))
			return false;
	return t->open;
}

int session_flush(struct tsw *t)
{
	int err = tenant_flush(t);

	err = err ?: host_flush(t);
	if (!err && t->unfit)
		err = door_fit(t);
	t->unfit = t->unfit && err;
	return err;
}

void session_leave(struct tsw *t)
{
	/* If this fails, the changes are made nevertheless, and the next run counts again. */
	if (t->open && t->will_write) {
		settle_torn(t);
		t->totals.unsettled = session_flush(t) || t->torn;
		map_put(&t->maps, MAP_TOTALS, &zero, &t->totals);
		config_forget_flows(t);
		t->torn = false; /* the totals say so now */
	}
	netns_router(-1); /* an open fd would keep a removed namespace alive */
	t->open = t->door = false;
	t->widest = WIDEST_UNKNOWN; /* other commands may add hosts meanwhile */
	t->ids_taken = 0;
	maps_close(&t->maps);
	progs_close(t);
}

void session_restore(struct tsw *t, bool will_write)
{
	const struct failure why = *failure();

	if (t->will_write == will_write)
		return;
	session_leave(t);
	t->will_write = will_write;
	fail_again(&why);
}

void session_close(struct tsw *t)
{
	session_leave(t);
	lock_drop(t);
}
