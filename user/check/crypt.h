/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_CHECK_CRYPT_H
#define TSW_CHECK_CRYPT_H

#include <jansson.h>

#include "store/tsw.h"

/* Checks the WireGuard devices by which the switch encrypts, and the hosts' keys. */
int check_crypt(struct tsw *t, json_t *problems, json_t *warnings);

#endif
