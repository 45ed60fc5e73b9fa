/* SPDX-License-Identifier: GPL-2.0-only */
/* One state and another, as files of `apply`, and the changes that lead from one to the other. */
#ifndef TSW_TESTS_STATE_STEP_H
#define TSW_TESTS_STATE_STEP_H

#include <stdbool.h>
#include <stddef.h>

#include "state/state.h"

struct step {
	const char *what;
	const char *have;
	const char *want;
	const char *changes; /* there, */
	const char *back;    /* and back; NULL: the same */
};

/* Of h1's; a device `vN` has the index N, and `gone` none. */
void step_read(const char *text, bool up, struct state *s);
void step_list(const struct state *have, const struct state *want, char *text, size_t len);

/* There, back, and from each to itself, which takes nothing. */
void step_check(const struct step *step);

#define STEP_ALL(steps)                                                 \
	for (size_t i = 0; i < sizeof(steps) / sizeof((steps)[0]); i++) \
	step_check(&(steps)[i])

#define HOST(name, ip) "{\"name\":\"" name "\",\"ip\":[" ip "]}"
#define H1 HOST("h1", "\"192.0.2.1\"")
#define H2 HOST("h2", "\"192.0.2.2\"")
#define H3 HOST("h3", "\"192.0.2.3\"")
#define STATE(hosts, tenants) "{\"format\":1,\"hosts\":[" hosts "],\"tenants\":[" tenants "]}"
#define WHOLE(hosts, tenants, peers) \
	"{\"format\":1,\"hosts\":[" hosts "],\"tenants\":[" tenants "],\"peers\":[" peers "]}"
#define PEERS(tenants, peers) WHOLE(H1 "," H2, tenants, peers)
#define TWO(tenants) STATE(H1 "," H2, tenants)
#define TENANT(name, id, rest) "{\"name\":\"" name "\",\"id\":" #id rest "}"
#define EPS(list) ",\"endpoints\":[" list "]"
#define EP(name, mac, ip, at) \
	"{\"name\":\"" name "\",\"mac\":\"02:00:00:00:00:" mac "\",\"ip\":[" ip "]," at "}"
#define DEV(dev) "\"host\":\"h1\",\"dev\":\"" dev "\""
#define ON(host) "\"host\":\"" host "\""
#define GW(rest) ",\"gateway\":{" rest "}"
#define PUBLISH(port, to) ",\"publish\":[{\"proto\":\"tcp\",\"port\":" #port ",\"to\":\"" to "\"}]"
#define PEER(of, with, rest) "{\"tenant\":\"" of "\",\"with\":\"" with "\"" rest "}"

#endif
