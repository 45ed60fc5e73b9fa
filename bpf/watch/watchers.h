/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `monitor` and `capture` see. Without watchers a frame costs one look at tsw_watch, at its
 * entry. The rest is off the fast path. struct frame_id notes at the entry who sees the frame, so
 * that its exit cannot be taken for another's.
 */
#ifndef TSW_BPF_WATCH_WATCHERS_H
#define TSW_BPF_WATCH_WATCHERS_H

#include "core/drop.h"
#include "core/fdb.h"
#include "core/parse.h"

TSW_SINGLE(tsw_watch, struct tsw_watch);

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TSW_WATCHERS);
	__type(key, __u32);
	__type(value, struct tsw_watcher);
} tsw_watchers TSW_MAP;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TSW_WATCHERS);
	__type(key, __u32);
	__type(value, struct tsw_watch_meter);
} tsw_watch_meters TSW_MAP;

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, TSW_WATCHERS *TSW_WATCH_CPUS);
	__type(key, __u32);
	__type(value, __u32);
} tsw_watch_events TSW_MAP;

#define WATCH_ENOENT 2

static __always_inline struct tsw_watch *watch_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&tsw_watch, &zero);
}

static __always_inline struct tsw_watcher *watcher_get(__u32 slot)
{
	return bpf_map_lookup_elem(&tsw_watchers, &slot);
}

static __always_inline bool watch_wants(const struct tsw_watcher *w, __u32 tenant,
					const struct eth *eth)
{
	if (!w->owner || (w->tenant && w->tenant != tenant))
		return false;
	if (!(w->what & TSW_WATCH_MAC))
		return true;
	return eth && (mac_equal(&eth->src, &w->mac) || mac_equal(&eth->dst, &w->mac));
}

/*
 * Limits events to the watcher's rate, on each CPU; further events are counted. While the meter is
 * empty not even the clock is read, which is nearly always so in a flood.
 */
static __always_inline bool watch_meter(__u32 slot, const struct tsw_watcher *w)
{
	struct tsw_watch_meter *meter;
	__u64 now;

	if (!w->interval)
		return true;
	meter = bpf_map_lookup_elem(&tsw_watch_meters, &slot);
	if (!meter)
		return false;
	if (meter->closed == bpf_jiffies64()) {
		meter->missed++;
		return false;
	}
	now = bpf_ktime_get_coarse_ns();
	if (meter->full_at < now)
		meter->full_at = now;
	if (meter->full_at - now >= w->burst) {
		meter->closed = bpf_jiffies64();
		meter->missed++;
		return false;
	}
	meter->full_at += w->interval;
	return true;
}

/* Sends an event to one watcher. If the watcher is gone, its bits are cleared. */
static __always_inline void watch_send(void *ctx, __u32 slot, const struct tsw_watcher *w,
				       struct tsw_event *event)
{
	__u64 ring = slot * TSW_WATCH_CPUS + bpf_get_smp_processor_id() % TSW_WATCH_CPUS;
	struct tsw_watch *watch;

	event->captured = event->length < w->snap ? event->length : w->snap;
	if (bpf_perf_event_output(ctx, &tsw_watch_events, (__u64)event->captured << 32 | ring,
				  event, sizeof(*event)) != -WATCH_ENOENT)
		return;
	watch = watch_get();
	if (!watch)
		return;
	__sync_fetch_and_and(&watch->frames, ~(1U << slot));
	__sync_fetch_and_and(&watch->drops, ~(1U << slot));
}

struct watch_walk {
	void *ctx;
	struct frame_id *id;
	const struct eth *eth;
	struct tsw_event *event;
	__u32 slots;
};

static long watch_in_slot(__u32 slot, struct watch_walk *walk)
{
	struct frame_id *id = walk->id;
	struct tsw_watcher *w = walk->slots >> (slot & 31) & 1 ? watcher_get(slot) : NULL;

	if (!w || !watch_wants(w, id->tenant, walk->eth))
		return 0;
	id->matched |= 1U << (slot & 31);
	if (!(w->what & TSW_WATCH_OUT) || !watch_meter(slot, w))
		return 0;
	id->watched |= 1U << (slot & 31);
	if (w->what & TSW_WATCH_IN)
		watch_send(walk->ctx, slot, w, walk->event);
	return 0;
}

/* A frame comes in: finds the watchers that see it. */
static __always_inline void watch_in(void *ctx, struct frame_id *id, const struct eth *eth,
				     struct tsw_event *event)
{
	struct tsw_watch *watch = watch_get();
	struct watch_walk walk = {ctx, id, eth, event, watch ? watch->frames : 0};

	event->time = bpf_ktime_get_ns();
	event->frame = id->frame = event->time << 8 | bpf_get_smp_processor_id() % 256;
	event->tenant = id->tenant;
	event->direction = id->direction;
	bpf_loop(TSW_WATCHERS, watch_in_slot, &walk, 0);
}

static __always_inline void watch_report(void *ctx, const struct frame_id *id, __u32 slots,
					 struct tsw_event *event)
{
	struct tsw_watcher *w;

	event->time = bpf_ktime_get_ns();
	event->frame = id->frame;
	event->tenant = id->tenant;
	event->direction = id->direction;
	for (__u32 slot = 0; slot < TSW_WATCHERS; slot++) {
		w = slots >> slot & 1 ? watcher_get(slot) : NULL;
		/* Another watcher may have the slot by now. */
		if (w && (!w->tenant || w->tenant == id->tenant))
			watch_send(ctx, slot, w, event);
	}
}

/* Reports the frame's end to the watchers that saw it come in. */
static __always_inline void watch_out(void *ctx, const struct frame_id *id, struct tsw_event *event)
{
	watch_report(ctx, id, id->watched, event);
}

/*
 * The watchers that hear of a drop, as bits. Also those that watch only drops, and those for which
 * the frame came too fast. In a flood this is mostly nobody, so it comes before all other work.
 */
static __always_inline __u32 watch_drop_slots(const struct frame_id *id)
{
	struct tsw_watch *watch = watch_get();
	__u32 slots = watch ? watch->drops : 0, hear = 0;
	struct tsw_watcher *w;

	for (__u32 slot = 0; slot < TSW_WATCHERS; slot++) {
		w = slots >> slot & 1 ? watcher_get(slot) : NULL;
		if (!w || (!(id->matched >> slot & 1) && !watch_wants(w, id->tenant, NULL)) ||
		    (w->tenant && w->tenant != id->tenant))
			continue;
		if (id->watched >> slot & 1 || watch_meter(slot, w))
			hear |= 1U << slot;
	}
	return hear;
}

#endif
