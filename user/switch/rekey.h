/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaces this host's key without loss: for a while the other hosts know both keys. */
#ifndef TSW_REKEY_H
#define TSW_REKEY_H

#include <jansson.h>

#include "store/tsw.h"

/*
 * Makes a new key, or continues an earlier call. When each host has shaken hands with the new key,
 * frames are sent with it. WAIT: the longest wait in seconds; FORCE: do not wait for all hosts.
 * RESULT gets {"key", "state", "missing"}. The state is `waiting`, `used`, or `done` when the old
 * key is gone. The switch need not be open, and is not locked during the wait.
 */
int switch_rekey(struct tsw *t, __u32 wait, bool force, json_t **result);

/*
 * A dry run without a wait. C becomes the present state but for its keys, which are those that it
 * would leave; of a key that it would make, only the parity is known. Free C by crypt_free().
 */
struct crypt;
int switch_rekey_look(struct tsw *t, bool force, struct crypt *c);

#endif
