/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the page. Each is what a command prints with -j: a process runs it, and its answer
 * is kept for a while. A request chooses a part, and no word of the command.
 */
#ifndef TSW_TOOLS_WEB_PART_H
#define TSW_TOOLS_WEB_PART_H

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cli/cli.h"
#include "tools/web/library.h"

enum { PART_WAITING = 64, PART_WORDS = 6 };

struct part {
	const char *name;
	const char *argv[PART_WORDS];
	unsigned int keep_ms; /* at least so long an answer is kept */
	bool shared;	      /* with -c the cluster's records */
};

struct answer {
	const struct part *part;
	pid_t child; /* 0: none */
	int out;     /* what it prints */
	char *text;
	size_t n, room;
	__u64 began, took, ended, used; /* of CLOCK_MONOTONIC */
	int status;			/* of HTTP; 0: there is no answer yet */
	json_t *json;			/* the answer, or an object with `error` */
	struct MHD_Connection *waiting[PART_WAITING];
	size_t n_waiting;
};

enum part_index {
	PART_STATUS,
	PART_CLUSTER,
	PART_TENANTS,
	PART_ENDPOINTS,
	PART_GATEWAYS,
	PART_DROPS,
	PART_FLOWS,
	PART_GRAPH,
	PART_CHECK,
	PARTS,
};

void parts_init(struct cli *cli);
void parts_free(void);

/* NULL: there is no such part. */
struct answer *part_find(const char *name);
struct answer *part_at(enum part_index index);

/* Whether the answer may still be given. Starts the command if not. */
bool part_fresh(struct answer *a);

/* CONNECTION is suspended until the command has ended. False: too many wait already. */
bool part_wait(struct answer *a, struct MHD_Connection *connection);

/* What is to be polled for: at most PARTS. */
size_t parts_poll(struct pollfd *fds);

/* Reads what commands have printed; ends what takes too long; forgets what nobody asks for. */
void parts_read(void);

#endif
