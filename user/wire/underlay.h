/* SPDX-License-Identifier: GPL-2.0-only */
/* The devices that face the other hosts, this host's addresses, and XDP there. */
#ifndef TSW_UNDERLAY_H
#define TSW_UNDERLAY_H

#include "kernel/link.h"
#include "store/switch_fields.h"
#include "store/tsw.h"

/* The value of tsw_config.xdp_asked for the `xdp` word; `auto` where it was not given. */
__u32 xdp_asked(const struct tsw_switch_spec *w);

const char *xdp_word(__u32 xdp); /* enum tsw_xdp, or TSW_XDP_AUTO */

/* What is tried on a device by what C asks; one without a link header can have none. */
int underlay_choose_xdp(const struct tsw_config *c, const struct link *dev, struct tsw_underlay *u);

/* The devices of the words: checked, with what xdp_asked of C means for each. */
int underlay_read_devs(struct tsw *t, const struct tsw_switch_spec *w, struct tsw_config *c);

/* The addresses of the words, which must be this host's; the others stay. */
int underlay_read_locals(const struct tsw_switch_spec *w, struct tsw_config *c);

/* Of each family the first global address of the devices. */
int underlay_first_locals(struct tsw_config *c);

/* NULL: not one of them. */
struct tsw_underlay *underlay_find(struct tsw_config *c, __u32 ifindex);
bool underlay_has(const struct tsw_config *c, __u32 ifindex);

/* How many there are, with and without those that are leaving. */
unsigned int underlay_count(const struct tsw_config *c);
unsigned int underlay_staying(const struct tsw_config *c);

/*
 * Which are in a VLAN, stand on another of C's, also on one that is about to leave, or have no link
 * header.
 */
void underlay_note_kinds(struct tsw_config *c);

/* Notes which clsact qdiscs will be ours, before they are made. */
void underlay_note_qdiscs(struct tsw *t);

/* Programs and qdisc of one; XDP that was not asked for by name may fail. A device may be gone. */
int underlay_attach(struct tsw *t, struct tsw_underlay *u);
int underlay_detach(struct tsw *t, const struct tsw_underlay *u);

/* Its device is gone and another has its index, or somebody detached the program. */
bool underlay_is_stale(struct tsw *t, const struct tsw_underlay *u);

/*
 * Writes the configuration, attaches all, and takes off those that are leaving. NAMED: the user
 * has just named the devices; else those that are stale are left alone.
 */
int underlay_mend(struct tsw *t, bool named);

/* What is left of an MTU for tunnel frames: with encryption it is less. 0 stays 0. */
__u32 mtu_inside(const struct tsw *t, __u32 mtu);

/* That of the least MTU of all devices; 0: not known, as from another network namespace. */
__u32 underlay_mtu(const struct tsw *t);

#endif
