/* SPDX-License-Identifier: GPL-2.0-only */
/* One rtnetlink socket of this process's network namespace. */
#ifndef TSW_NETLINK_H
#define TSW_NETLINK_H

#include <stdbool.h>
#include <stddef.h>

#include <libmnl/libmnl.h>

#define NETLINK_BUFFER 4096

/* Begins a request in BUFFER, which has NETLINK_BUFFER octets, with a zeroed header behind. */
struct nlmsghdr *netlink_begin(void *buffer, int type, int flags, size_t header);

/* Sends it, gives each answer to CB, waits for the end. Returns -errno without message. */
int netlink_talk(struct nlmsghdr *request, mnl_cb_t cb, void *data);

#endif
