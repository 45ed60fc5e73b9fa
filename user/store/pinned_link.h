/* SPDX-License-Identifier: GPL-2.0-only */
/* Pinned links, by which programs are attached to devices. */
#ifndef TSW_PINNED_LINK_H
#define TSW_PINNED_LINK_H

#include <bpf/bpf.h>

/* Where a program is attached. */
struct link_target {
	__u32 ifindex;
	enum bpf_attach_type type;
	__u32 flags;
};

/* Makes a link of PROG and pins it at PATH, in place of one without a device. 0 or -errno. */
int pinned_link_make(const char *path, int prog, const struct link_target *target);

/* The same with the existing LINK, whose program it replaces by PROG. Closes LINK. */
int pinned_link_adopt(const char *path, int prog, int link);

/*
 * Whether the pinned link is on the device that has this index in its own namespace; 0: on any
 * device. In a read-only filesystem a link cannot be opened, and counts as attached.
 */
bool pinned_link_is_on(const char *path, __u32 ifindex);

/* Detaches the link at once. If only its pin were removed, the kernel would detach it later. */
void pinned_link_detach(const char *path);

/* Detaches and unpins the link. 0, also without a pin; otherwise errno is set. */
int pinned_link_remove(const char *path);

#endif
