/* SPDX-License-Identifier: GPL-2.0-only */
/* Links that a pin keeps: of a program to a device. */
#ifndef TSW_PINNED_LINK_H
#define TSW_PINNED_LINK_H

#include <bpf/bpf.h>

/* Where a program is put. */
struct link_target {
	__u32 ifindex;
	enum bpf_attach_type type;
	__u32 flags;
};

/* Makes a link of the program PROG and pins it at PATH, in the place of a dead one; or -errno. */
int pinned_link_make(const char *path, int prog, const struct link_target *target);

/* The same with the link LINK, which gets that program and is closed. */
int pinned_link_adopt(const char *path, int prog, int link);

/*
 * It is on a device: the one of that index in the device's namespace, or any if IFINDEX is 0. In a
 * read-only filesystem a link cannot be opened; it is believed to be on the device.
 */
bool pinned_link_is_on(const char *path, __u32 ifindex);

/* Before the pin goes: the kernel would detach it later, and refuse the program until then. */
void pinned_link_detach(const char *path);

/* The pin, too; 0 where there is none. errno tells why not. */
int pinned_link_remove(const char *path);

#endif
