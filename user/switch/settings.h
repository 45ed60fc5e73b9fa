/* SPDX-License-Identifier: GPL-2.0-only */
/* What `switch up` was told, as the configuration that it asks for. */
#ifndef TSW_SETTINGS_H
#define TSW_SETTINGS_H

#include <stdbool.h>

#include "store/tsw.h"
#include "store/switch_fields.h"

struct settings {
	bool local;		  /* it was given; else config has none */
	bool zone;		  /* likewise */
	bool nat_ports;		  /* likewise */
	bool closed;		  /* likewise */
	bool encrypt, wg_port;	  /* likewise */
	struct tsw_config config; /* without what only doing it tells: tunnel, abi, secret */
	struct tsw_crypt crypt;	  /* likewise: without devices */
	struct tsw_closed_list close;
};

/* This host's name, by the words, or as it is named without. */
int settings_name(const struct tsw *t, const struct tsw_switch_spec *w, char to[TSW_NAME_LEN]);

int settings_read(struct tsw *t, const struct tsw_switch_spec *w, struct settings *s);

/* What W says of encryption, into C and CRYPT; the rest of them stays. */
void settings_encrypt(const struct tsw_switch_spec *w, struct tsw_config *c,
		      struct tsw_crypt *crypt);

/* -EINVAL: XDP is asked for by name, and would see what is encrypted. -EOPNOTSUPP: no WireGuard. */
int settings_check_encrypt(const struct tsw_config *c);

/*
 * -EADDRINUSE: tenants would leave by a port of the switch's own, or one of these is published.
 * What `nat-ports auto` chooses has none of the switch's.
 */
int settings_check_ports(const struct tsw_config *c, const struct tsw_crypt *crypt);
int settings_check_published(const struct tsw_config *c, const struct tsw_crypt *crypt,
			     const struct tsw_publish_key *key);

/* 0 when the switch that is up has these settings, else -EEXIST and what differs. */
int settings_compare(const struct tsw *t, const struct settings *s);

#endif
