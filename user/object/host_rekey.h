/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes the key of another host, and uses the new key once the host has answered with it. */
#ifndef TSW_HOST_REKEY_H
#define TSW_HOST_REKEY_H

#include <tsw/object.h>

#include "store/tsw.h"

/*
 * Called after host_set() has added a new key. Waits for the host's handshake with it, and uses it
 * from then on. -ETIMEDOUT: none came in 5 seconds, and the host has the keys OLD again.
 */
int host_key_await(struct tsw *t, const struct tsw_name *name, const struct tsw_key_list *old);

#endif
