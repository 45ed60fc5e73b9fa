// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/pkt_cls.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/err.h"
#include "door/door.h"
#include "door/old_door.h"
#include "door/routed.h"
#include "door/router.h"
#include "object/gateway_follow.h"
#include "object/snat.h"
#include "store/attach.h"
#include "store/pins.h"
#include "switch/swap_door.h"

/* Programs attached before the swap are already the new ones. */
static void open_programs(struct tsw *t)
{
	int i;

	for (i = 0; i < PROG_COUNT; i++)
		t->prog[i] = pin_open(t->instance, PINS_NEXT "/progs", prog_name(i));
}

/*
 * Opens the old program for uplinks. ABI 5 had none, so one that passes each frame is attached in
 * its place. The swap can then change a pointer: to attach a program takes an RCU grace period,
 * during which the new program would already be at work alone.
 */
static int open_from_world(struct tsw *t)
{
	static const struct bpf_insn pass[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = TC_ACT_UNSPEC},
		{.code = BPF_JMP | BPF_EXIT}};
	const char *name = prog_name(PROG_FROM_WORLD);
	int *fd = &t->prog[PROG_FROM_WORLD];
	char path[PINS_PATH];

	if (*fd >= 0)
		close(*fd);
	*fd = pin_open(t->instance, "progs", name);
	if (*fd >= 0)
		return 0;
	*fd = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, name, "GPL", pass, 2, NULL);
	pin_path(path, t->instance, "progs", name);
	return *fd < 0 || bpf_obj_pin(*fd, path)
		       ? fail(errno, "cannot make %s: %s", path, strerror(errno))
		       : 0;
}

static int begin(struct tsw *t)
{
	int err = open_from_world(t);

	err = err ?: door_open(t);
	err = err ?: door_rebuild(t, gateways_fill);
	err = err ?: routed_note(t);
	err = err ?: snats_settle(t);
	err = err ?: old_door_strict(true);
	return err ?: old_door_copy(t);
}

static int end(struct tsw *t)
{
	int err = old_door_copy(t);

	err = err ?: old_door_strict(false);
	return err ?: old_door_close(t);
}

/* Takes the step with the maps and programs open. */
static int take(struct tsw *t, int (*step)(struct tsw *t))
{
	char dir[PINS_PATH];
	int err;

	if (!(t->config.flags & TSW_CFG_OLD_DOOR))
		return 0;
	router_register(t);
	open_programs(t);
	pins_dir(dir, t->instance);
	err = maps_open(&t->maps, dir, true);
	err = err ?: step(t);
	t->door = false;
	progs_close(t);
	maps_close(&t->maps);
	return err;
}

int swap_door_begin(struct tsw *t)
{
	return take(t, begin);
}

int swap_door_end(struct tsw *t)
{
	return take(t, end);
}
