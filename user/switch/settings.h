/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of `switch up` as the configuration that they ask for. */
#ifndef TSW_SETTINGS_H
#define TSW_SETTINGS_H

#include <stdbool.h>

#include "store/switch_fields.h"
#include "store/tsw.h"

struct settings {
	bool local; /* these words were given; without them config has none */
	bool name;
	bool zone;
	bool nat_ports;
	bool closed;
	bool encrypt, wg_port;
	struct tsw_config config; /* without tunnel, abi and secret, which are set later */
	struct tsw_crypt crypt;	  /* without devices */
	struct tsw_closed_list close;
};

/* This host's name: the word's, or the default. */
int settings_name(const struct tsw *t, const struct tsw_switch_spec *w, char to[TSW_NAME_LEN]);

int settings_read(struct tsw *t, const struct tsw_switch_spec *w, struct settings *s);

/* Sets the members of C and CRYPT about encryption that W gives. */
void settings_encrypt(const struct tsw_switch_spec *w, struct tsw_config *c,
		      struct tsw_crypt *crypt);

/* -EINVAL: a requested XDP mode would see encrypted frames. -EOPNOTSUPP: no WireGuard. */
int settings_check_encrypt(const struct tsw_config *c);

/*
 * -EADDRINUSE: `nat-ports` or `wg-port` contains a port of the switch, or one that is published.
 * `nat-ports auto` avoids the ports of the switch.
 */
int settings_check_ports(const struct tsw_config *c, const struct tsw_crypt *crypt);
int settings_check_published(const struct tsw_config *c, const struct tsw_crypt *crypt,
			     const struct tsw_publish_key *key);

/* 0 if the running switch has these settings, else -EEXIST with the words that differ. */
int settings_compare(const struct tsw *t, const struct settings *s);

#endif
