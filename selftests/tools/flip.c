// SPDX-License-Identifier: GPL-2.0-only
/*
 * gateways_serve() by hand, as who watches a gateway's hosts calls it.
 * Usage: flip NETNS {TENANT HOST DRAIN DOWN WHY}...
 * All are numbers: the tenant's id, the host's index, seconds, bits of ranks, an enum tsw_flip.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "object/gateway.h"
#include "switch/session.h"

enum { FLIPS = 64, NUMBERS = 5 };

static __u32 number(const char *text)
{
	return (__u32)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
	struct gateway_flip flips[FLIPS];
	struct tsw t = TSW_CLOSED;
	size_t n;
	int err;

	if (argc < 2 || (argc - 2) % NUMBERS || (argc - 2) / NUMBERS > FLIPS) {
		fprintf(stderr, "usage: flip NETNS {TENANT HOST DRAIN DOWN WHY}...\n");
		return EXIT_MISUSE;
	}
	t.netns = argv[1];
	t.will_write = true;
	for (n = 0, argv += 2; *argv; n++, argv += NUMBERS)
		flips[n] = (struct gateway_flip){.tenant = number(argv[0]),
						 .host = number(argv[1]),
						 .drain = number(argv[2]),
						 .down = number(argv[3]),
						 .why = (enum tsw_flip)number(argv[4])};
	err = session_enter(&t);
	err = err ?: session_open(&t);
	err = err ?: gateways_serve(&t, flips, n);
	if (err)
		fprintf(stderr, "flip: %d: %s\n", err, failure()->text);
	session_close(&t);
	return err ? EXIT_FAILURE : 0;
}
