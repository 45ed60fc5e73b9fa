/* SPDX-License-Identifier: GPL-2.0-only */
/* The device tsw-gw, a veth whose other end, tsw-gwp, only has to be up. */
#ifndef TSW_DOOR_LINK_H
#define TSW_DOOR_LINK_H

#include <jansson.h>

#include "kernel/link.h"

#define DOOR "tsw-gw"

/*
 * The instance's own, also one that a killed command left half made. -ENOENT without message: there
 * is none; -EBUSY: it is another instance's; -EEXIST: it is nobody's of us.
 */
int door_link_find(const char *instance, struct link *link);

/* Made, or what is there put right: alias, settings, MTU, up. */
int door_link_mend(const char *instance, __u32 mtu, struct link *link);

/* Appends what is not as it should be. */
void door_link_check(const struct link *link, json_t *problems);

#endif
