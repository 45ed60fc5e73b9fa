// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <unistd.h>

#include "door/door.h"
#include "door/old_door.h"
#include "door/routed.h"
#include "door/router.h"
#include "object/gateway_follow.h"
#include "object/snat.h"
#include "store/attach.h"
#include "store/pins.h"
#include "switch/swap_door.h"

static bool is_old(const struct tsw *t)
{
	return t->config.flags & TSW_CFG_OLD_DOOR;
}

/* Programs attached before the swap are already the new ones. */
static void open_programs(struct tsw *t)
{
	int i;

	for (i = 0; i < PROG_COUNT; i++)
		t->prog[i] = pin_open(t->instance, PINS_NEXT "/progs", prog_name(i));
}

static void leave(struct tsw *t)
{
	int i;

	t->door = false;
	for (i = 0; i < PROG_COUNT; i++) {
		if (t->prog[i] >= 0)
			close(t->prog[i]);
		t->prog[i] = -1;
	}
	maps_close(&t->maps);
}

static int enter(struct tsw *t)
{
	char dir[PINS_PATH];

	router_register(t);
	open_programs(t);
	pins_dir(dir, t->instance);
	return maps_open(&t->maps, dir, true);
}

static int begin(struct tsw *t)
{
	int err = door_open(t);

	if (!err)
		err = door_rebuild(t, gateways_fill);
	if (!err)
		err = routed_note(t);
	if (!err)
		err = snats_settle(t);
	if (!err)
		err = old_door_strict(true);
	return err ?: old_door_copy(t);
}

int swap_door_begin(struct tsw *t)
{
	int err;

	if (!is_old(t))
		return 0;
	err = enter(t);
	if (!err)
		err = begin(t);
	leave(t);
	return err;
}

int swap_door_end(struct tsw *t)
{
	int err;

	if (!is_old(t))
		return 0;
	err = enter(t);
	if (!err)
		err = old_door_copy(t);
	if (!err)
		err = old_door_strict(false);
	if (!err)
		err = old_door_close(t);
	leave(t);
	return err;
}
