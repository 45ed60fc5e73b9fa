/* SPDX-License-Identifier: GPL-2.0-only */
/* The switch itself: up, down, and changes while it is up. */
#ifndef TSW_SWITCH_H
#define TSW_SWITCH_H

#include "store/switch_fields.h"
#include "store/tsw.h"

int switch_up(struct tsw *t, const struct tsw_switch_spec *w);
int switch_down(struct tsw *t);

/*
 * Dry runs: make all checks, and open what is there for reading. T->config is the present
 * configuration, with abi 0 if no switch is up, and S or WANT and CRYPT the new one.
 */
struct settings;
int switch_up_look(struct tsw *t, const struct tsw_switch_spec *w, struct settings *s);
int switch_down_look(struct tsw *t);
int switch_set_look(struct tsw *t, const struct tsw_switch_spec *w, struct tsw_config *want,
		    struct tsw_crypt *crypt);

/* If the pins were removed, the switch is still known by its devices. */
bool switch_has_remains(struct tsw *t);

/*
 * Restores what a running switch has lost. NAMED: the underlay's devices were just given by name;
 * else a device that only has the index of a former one is left alone.
 */
int switch_mend(struct tsw *t, bool named);

/* Adds the new before it drops the old. A refused change leaves everything as it was. */
int switch_set(struct tsw *t, const struct tsw_switch_spec *w);

/*
 * If `local` was not given to `switch up`: gives the switch the address of its devices that came in
 * place of one that is gone.
 */
int switch_follow(struct tsw *t);

/* WANT becomes the configuration with these addresses, which may be the same. */
int switch_new_locals(const struct tsw *t, struct tsw_config *want);

#endif
