/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds vips that endpoints have taken (bpf/port/vip.h). It compares copies of tsw_taken, so
 * announcements take no room in the rings, however many there are.
 */
#ifndef TSW_WATCH_VIPS_H
#define TSW_WATCH_VIPS_H

#include "watch/watch.h"

/* Copies the map. Later looks compare with the copy, and replace it. */
int vips_begin(struct watch *w);

/* Calls vip() for each vip of the watched tenants that was taken since, once a second. */
int vips_look(struct watch *w);

#endif
