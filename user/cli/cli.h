/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of the command: its switch, and what only a command line has. */
#ifndef TSW_CLI_H
#define TSW_CLI_H

#include "cli/out.h"
#include "store/tsw.h"

struct records;
struct dry;

struct cli {
	struct tsw tsw;
	struct out out;
	bool counters;		 /* -s */
	bool cluster;		 /* -c: the cluster's records, not this host's switch */
	struct records *records; /* NULL until a command needs them */
	bool changes_nothing;	 /* --dry-run */
	struct dry *dry;	 /* NULL until a dry run needs it */
	json_t *plan;		 /* of a dry run, see cmd/plan.h; NULL: do it */
	bool planned;		 /* a dry run had such a plan */
	bool bad;		 /* `check` or `diff` found something: exit status 1 */
};

#endif
