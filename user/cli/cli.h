/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of the command: the switch it is about, and what only a command line has. */
#ifndef TSW_CLI_H
#define TSW_CLI_H

#include "cli/out.h"
#include "store/tsw.h"

struct records;

struct cli {
	struct tsw tsw;
	struct out out;
	bool counters;		 /* -s */
	bool cluster;		 /* -c: its records, not this host's switch */
	struct records *records; /* once a command has asked for them */
	bool bad;		 /* `check` or `diff` found something: exit status 1 */
};

#endif
