/* SPDX-License-Identifier: GPL-2.0-only */
/* What the way to other hosts and back lets pass, as rows of a report. */
#ifndef TSW_TOOLS_DOCTOR_HOSTS_H
#define TSW_TOOLS_DOCTOR_HOSTS_H

#include "tools/doctor/report.h"

/* Asks each other host, or the one with that NAME. BRIEF: tells only what is wrong, and sooner. */
int report_hosts(struct report *r, const char *name, bool brief);

#endif
