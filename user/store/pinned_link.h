/* SPDX-License-Identifier: GPL-2.0-only */
/* Pinned links of programs to devices. */
#ifndef TSW_PINNED_LINK_H
#define TSW_PINNED_LINK_H

#include <bpf/bpf.h>

/* Where a program is put. */
struct link_target {
	__u32 ifindex;
	enum bpf_attach_type type;
	__u32 flags;
};

/* Makes a link of the program PROG and pins it at PATH, in place of a dead one; or -errno. */
int pinned_link_make(const char *path, int prog, const struct link_target *target);

/* The same with the existing LINK, which gets that program. Closes LINK. */
int pinned_link_adopt(const char *path, int prog, int link);

/*
 * Whether the link is on the device with that index in its own namespace, or on any if IFINDEX is
 * 0. In a read-only filesystem a link cannot be opened, and counts as attached.
 */
bool pinned_link_is_on(const char *path, __u32 ifindex);

/* Detaches now. If only the pin were removed, the kernel would detach the link later. */
void pinned_link_detach(const char *path);

/* Detaches and unpins. 0 also if there is no pin; else errno says why not. */
int pinned_link_remove(const char *path);

#endif
