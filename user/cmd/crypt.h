/* SPDX-License-Identifier: GPL-2.0-only */
/* Encryption in `switch show` and `host show`. */
#ifndef TSW_CMD_CRYPT_H
#define TSW_CMD_CRYPT_H

#include <jansson.h>

#include "wire/crypt.h"

/* Adds to the switch's JSON. */
int cmd_crypt_show(const struct tsw *t, json_t *o);

/* Adds a host's keys to its JSON, and if the switch encrypts the last handshake and the octets. */
int cmd_crypt_host(const struct crypt *c, const struct host_row *host, json_t *item);

#endif
