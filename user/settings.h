/* SPDX-License-Identifier: GPL-2.0-only */
/* What `switch up` was told, as the configuration that it asks for. */
#ifndef TSW_SETTINGS_H
#define TSW_SETTINGS_H

#include "link.h"
#include "tsw.h"
#include "words.h"

struct settings {
	struct link dev;
	struct tsw_config config; /* without what only doing it tells: tunnel, flags, abi, secret */
};

int settings_read(struct tsw *t, const struct words *w, struct settings *s);

/* 0 when the switch that is up has these settings, else -EEXIST and what differs. */
int settings_compare(const struct tsw *t, const struct settings *s);

#endif
