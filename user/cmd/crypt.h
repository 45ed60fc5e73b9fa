/* SPDX-License-Identifier: GPL-2.0-only */
/* What `switch show` and `host show` tell of encryption. */
#ifndef TSW_CMD_CRYPT_H
#define TSW_CMD_CRYPT_H

#include <jansson.h>

#include "wire/crypt.h"

/* Into the switch's JSON. */
int cmd_crypt_show(const struct tsw *t, json_t *o);

/* Into a host's: its keys; and with encryption on when it was last heard from, and octets. */
int cmd_crypt_host(const struct crypt *c, const struct host_row *host, json_t *item);

#endif
