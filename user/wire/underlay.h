/* SPDX-License-Identifier: GPL-2.0-only */
/* The underlay: the devices that face other hosts, this host's addresses, and XDP there. */
#ifndef TSW_UNDERLAY_H
#define TSW_UNDERLAY_H

#include "kernel/link.h"
#include "store/switch_fields.h"
#include "store/tsw.h"

/* The value of tsw_config.xdp_asked for the `xdp` word, which defaults to `auto`. */
__u32 xdp_asked(const struct tsw_switch_spec *w);

const char *xdp_word(__u32 xdp); /* enum tsw_xdp, or TSW_XDP_AUTO */

/* Chooses XDP for a device by what C asks. A device without a link header cannot have XDP. */
int underlay_choose_xdp(const struct tsw_config *c, const struct link *dev, struct tsw_underlay *u);

/* Checks the devices of W, and chooses XDP for each. */
int underlay_read_devs(struct tsw *t, const struct tsw_switch_spec *w, struct tsw_config *c);

/* Takes the addresses of W, which must be this host's. Families without one stay. */
int underlay_read_locals(const struct tsw_switch_spec *w, struct tsw_config *c);

/* Takes the devices' first global address of each family. */
int underlay_first_locals(struct tsw_config *c);

/*
 * Takes the devices' first global address in place of one that this host does not have any more, or
 * only for old flows. Without another one it stays.
 */
int underlay_follow_locals(struct tsw_config *c);

/* Tells neighbours that the devices have the switch's addresses now. Errors are ignored. */
void underlay_announce(const struct tsw_config *c);

/* NULL: not an underlay device. */
struct tsw_underlay *underlay_find(struct tsw_config *c, __u32 ifindex);
bool underlay_has(const struct tsw_config *c, __u32 ifindex);

/* The number of devices, with and without those that are leaving. */
unsigned int underlay_count(const struct tsw_config *c);
unsigned int underlay_staying(const struct tsw_config *c);

/*
 * Notes which devices are in a VLAN, have no link header, or are above another device of C, also
 * one that is leaving.
 */
void underlay_note_kinds(struct tsw_config *c);

/* Notes which clsact qdiscs are ours, before they are made. */
void underlay_note_qdiscs(struct tsw *t);

/*
 * Attach and detach a device's programs and qdisc. XDP that was not asked for by name may fail, and
 * the device may be gone.
 */
int underlay_attach(struct tsw *t, struct tsw_underlay *u);
int underlay_detach(struct tsw *t, const struct tsw_underlay *u);

/* Was the program detached, or is the device gone and its index taken by another? */
bool underlay_is_stale(struct tsw *t, const struct tsw_underlay *u);

/*
 * Writes the configuration, attaches all devices, and removes those that are leaving. NAMED: the
 * user has just named the devices; otherwise stale ones are left alone.
 */
int underlay_mend(struct tsw *t, bool named);

/* The part of MTU that is left for tunnel frames, which is less with encryption. 0 stays 0. */
__u32 mtu_inside(const struct tsw *t, __u32 mtu);

/* The least MTU of the devices; 0: not known, for example in another network namespace. */
__u32 underlay_least_mtu(const struct tsw *t);

/* What it leaves for tunnel frames; 0: not known. */
__u32 underlay_mtu(const struct tsw *t);

#endif
