/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans of the commands that change the switch itself: see plan.h. */
#ifndef TSW_PLAN_SWITCH_H
#define TSW_PLAN_SWITCH_H

#include "cli/cli.h"
#include "store/switch_fields.h"

int plan_switch_up(struct cli *cli, const struct tsw_switch_spec *w);
int plan_switch_set(struct cli *cli, const struct tsw_switch_spec *w);
int plan_switch_down(struct cli *cli);
int plan_switch_upgrade(struct cli *cli);
int plan_switch_rekey(struct cli *cli, bool force);

#endif
