/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * podman listens at the ports that it publishes, so that no other program takes them. Such a socket
 * belongs to a process that has the container's id as an argument, and is in nobody's way.
 */
#ifndef TSW_RECORD_PORT_HOLDER_H
#define TSW_RECORD_PORT_HOLDER_H

#include "store/tsw.h"

/*
 * The id of the container to which a published port leads, if tsw-cni made its device; "" if not.
 * DEV: its device, if the switch does not have the endpoint yet, or NULL. In a static buffer.
 */
const char *port_container(const struct tsw *t, const struct tsw_publish *to, const char *dev);

#endif
