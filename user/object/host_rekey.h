/* SPDX-License-Identifier: GPL-2.0-only */
/* Another host's new key: used once it has answered by it. */
#ifndef TSW_HOST_REKEY_H
#define TSW_HOST_REKEY_H

#include <tsw/object.h>

#include "store/tsw.h"

/*
 * Behind host_set(): waits for the handshake by a key that takes another's place, and uses it from
 * then on. -ETIMEDOUT: there was none, and the host has the keys OLD again.
 */
int host_key_await(struct tsw *t, const struct tsw_name *name, const struct tsw_key_list *old);

#endif
