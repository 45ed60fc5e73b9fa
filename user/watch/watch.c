// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "store/pins.h"
#include "switch/session.h"
#include "watch/rings.h"
#include "watch/vips.h"
#include "watch/watch.h"

/* After DEAD_SECONDS without a beat a watcher counts as dead, and its slot as free. */
enum { TICK_MS = 100, TICKS_LOOK = 3, TICKS_BEAT = 10, DEAD_SECONDS = 10 };

static const __u32 zero;

__u64 watch_clock(void)
{
	return clock_ns(CLOCK_REALTIME) - clock_kernel_ns();
}

/* Turns the slot's wanted bits on, or all of them off. */
static int turn(const struct watch *w, bool on)
{
	const __u32 bit = 1U << w->slot;
	const bool frames = on && w->want.what & (TSW_WATCH_OUT | TSW_WATCH_MAC);
	struct tsw_watch now, want;
	int err = map_get(&w->t->maps, MAP_WATCH, &zero, &now);

	if (err)
		return err;
	want = now;
	want.frames = frames ? now.frames | bit : now.frames & ~bit;
	want.drops = on ? now.drops | bit : now.drops & ~bit;
	if (!memcmp(&now, &want, sizeof(now)))
		return 0;
	return map_put(&w->t->maps, MAP_WATCH, &zero, &want);
}

static bool is_free(const struct tsw_watcher *other)
{
	return !other->owner || clock_kernel_ns() - other->beat > DEAD_SECONDS * SECOND_NS;
}

static int find_slot(struct watch *w)
{
	struct tsw_watcher other;
	int err;

	for (w->slot = 0; w->slot < TSW_WATCHERS; w->slot++) {
		err = map_get(&w->t->maps, MAP_WATCHERS, &w->slot, &other);
		if (err || is_free(&other))
			return err;
	}
	return fail(EBUSY, "%d others already watch switch %s; end one of them", TSW_WATCHERS,
		    quoted(w->t->instance));
}

/* Called under the lock. Turns the bits on last, when everything that they lead to exists. */
static int claim(struct watch *w)
{
	int err = find_slot(w);

	if (!err && getrandom(&w->want.owner, sizeof(w->want.owner), 0) < 0)
		err = fail(errno, "no random numbers: %s", strerror(errno));
	if (err)
		return err;
	w->want.owner |= 1;
	w->want.beat = clock_kernel_ns();
	w->missed_reported = 0;
	err = turn(w, false);
	err = err ?: map_zero(&w->t->maps, MAP_WATCH_METERS, &w->slot);
	err = err ?: map_put(&w->t->maps, MAP_WATCHERS, &w->slot, &w->want);
	w->claimed = !err;
	err = err ?: rings_open(w);
	return err ?: turn(w, true);
}

/* The owner of the slot, or 0 if it cannot be read. */
static __u64 owner(const struct watch *w)
{
	struct tsw_watcher now;

	return map_get(&w->t->maps, MAP_WATCHERS, &w->slot, &now) ? 0 : now.owner;
}

/* Ignores errors, because what cannot be turned off here turns itself off. */
static void release(struct watch *w)
{
	static const struct tsw_watcher none;
	const struct failure first = *failure();

	if (w->claimed && !lock_take(w->t)) {
		if (owner(w) == w->want.owner) {
			turn(w, false);
			map_put(&w->t->maps, MAP_WATCHERS, &w->slot, &none);
		}
		lock_drop(w->t);
	}
	rings_close(w);
	w->claimed = false;
	fail_again(&first);
}

static int start(struct watch *w)
{
	int err;

	if (w->t->lock >= 0)
		return misuse("not available in a batch that changes the switch");
	err = lock_take(w->t);
	if (err)
		return err;
	err = claim(w);
	lock_drop(w->t);
	if (err)
		release(w);
	return err;
}

/* Shows that this watcher lives, and turns on again what another change may have turned off. */
static int beat(struct watch *w)
{
	if (owner(w) != w->want.owner)
		return fail(ESTALE, "this watcher was stopped for too long: another has its place");
	w->want.beat = clock_kernel_ns();
	if (map_put(&w->t->maps, MAP_WATCHERS, &w->slot, &w->want))
		return -failure()->code;
	return turn(w, true);
}

static int tell_missed(struct watch *w)
{
	struct tsw_watch_meter meter = {};
	__u64 all, more;

	if (map_sum(&w->t->maps, MAP_WATCH_METERS, &w->slot, &meter))
		return 0;
	all = meter.missed + w->lost;
	more = all - w->missed_reported;
	w->missed_reported = all;
	return more && w->missed ? w->missed(w, more) : 0;
}

/* Looks whether the switch was replaced: taken down and up again, or given new maps. */
static int look(struct watch *w)
{
	char dir[PINS_PATH];

	pins_dir(dir, w->t->instance);
	if (maps_pinned(&w->t->maps, MAP_WATCH, dir))
		return 0;
	tell_missed(w);
	rings_close(w);
	w->claimed = false;
	session_leave(w->t);
	if (session_open(w->t)) {
		fail_more("; the switch that was watched is gone");
		return -failure()->code;
	}
	note(&w->t->log, "switch %s was replaced: watching the new one", quoted(w->t->instance));
	w->lost = 0;
	return start(w);
}

static int follow(struct watch *w)
{
	unsigned int tick;
	int err = 0;

	for (tick = 1; !err && !w->result; tick++) {
		err = watch_check_tenant(w);
		err = err ?: rings_read(w, TICK_MS);
		if (!err && tick % TICKS_LOOK == 0)
			err = look(w);
		if (!err && tick % TICKS_BEAT == 0)
			err = beat(w);
		if (!err && tick % TICKS_BEAT == 0)
			err = tell_missed(w);
		if (!err && !w->result)
			w->result = vips_look(w);
		err = err ?: w->looked(w);
	}
	if (err < 0)
		return err;
	if (!w->result)
		rings_read(w, 0);
	if (w->result >= 0)
		w->result = tell_missed(w);
	return w->result < 0 ? w->result : 0;
}

int watch_run(struct watch *w)
{
	int err = vips_begin(w);

	err = err ?: start(w);
	if (!err) {
		err = w->start ? w->start(w) : 0;
		err = err ?: follow(w);
		release(w);
	}
	snapshot_free(&w->vips);
	return err;
}
