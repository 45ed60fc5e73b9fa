// SPDX-License-Identifier: GPL-2.0-only
/*
 * `gateway place spread load FILE`: the JSON of another host. The first octet says where the
 * gateways are before; they have one to three hosts. The switch is made up: see __wrap_*.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "record/counters.h"
#include "base/err.h"
#include "fuzz.h"
#include "object/gateway.h"
#include "store/tsw.h"

enum { HOSTS = 2, TENANTS = 5 }; /* hosts without this one */

static const char *const host_names[] = {"h1", "h2", "h3"}; /* by index, 0 is this one */
static const char *const tenant_names[TENANTS] = {"blue", "gr\xc3\xbcn", "it's", "red", "z$(x)"};
static struct {
	__u32 n; /* 0: each host serves its own */
	__u32 host[TSW_GATEWAY_RANKS];
} ranks[TENANTS];

int __wrap_map_rows(const struct maps *maps, enum map map, struct rows *rows);
int __wrap_map_sum_any(const struct maps *maps, enum map map, const void *key, void *sum);
int __wrap_tenants_read(const struct tsw *t, struct tenants *all);
int __wrap_gateway_get(const struct tsw *t, __u32 tenant, struct tsw_gateway *gw);

int __wrap_map_rows(const struct maps *maps, enum map map, struct rows *rows)
{
	struct tsw_host host = {};
	__u32 i;

	(void)maps;
	MUST(map == MAP_HOSTS);
	*rows = (struct rows){.n = HOSTS, .key_size = sizeof(i), .value_size = sizeof(host)};
	rows->keys = calloc(HOSTS, sizeof(i));
	rows->values = calloc(HOSTS, sizeof(host));
	for (i = 1; i <= HOSTS; i++) {
		snprintf(host.name, sizeof(host.name), "%s", host_names[i]);
		memcpy(rows->keys + (i - 1) * sizeof(i), &i, sizeof(i));
		memcpy(rows->values + (i - 1) * sizeof(host), &host, sizeof(host));
	}
	return 0;
}

int __wrap_map_sum_any(const struct maps *maps, enum map map, const void *key, void *sum)
{
	(void)maps;
	MUST(map == MAP_STATS);
	((struct tsw_tenant_stats *)sum)->count.gateway.bytes = 1000ULL * *(const __u32 *)key;
	return 0;
}

int __wrap_tenants_read(const struct tsw *t, struct tenants *all)
{
	__u32 i;

	(void)t;
	*all = (struct tenants){.n = TENANTS, .row = calloc(TENANTS, sizeof(*all->row))};
	for (i = 0; i < TENANTS; i++) {
		all->row[i].id = i + 1;
		snprintf(all->row[i].tenant.name, sizeof(all->row[i].tenant.name), "%s",
			 tenant_names[i]);
	}
	return 0;
}

int __wrap_gateway_get(const struct tsw *t, __u32 tenant, struct tsw_gateway *gw)
{
	const __u32 n = ranks[tenant - 1].n;

	(void)t;
	*gw = (struct tsw_gateway){.n_ranks = n, .flags = n ? 0 : TSW_GATEWAY_ALL};
	memcpy(gw->rank, ranks[tenant - 1].host, n * sizeof(*gw->rank));
	return 0;
}

static __u32 place_of(const char *const *names, __u32 n, const char *name)
{
	__u32 i;

	MUST(name);
	for (i = 0; i < n && strcmp(names[i], name) != 0; i++)
		;
	MUST(i < n);
	return i;
}

/* Gives a gateway these hosts, which are others than before. */
static void move_to(__u32 tenant, const json_t *hosts)
{
	const __u32 n = (__u32)json_array_size(hosts);
	bool same = n == ranks[tenant].n;
	__u32 i, k, host;

	MUST(n && n <= HOSTS + 1 && n == (ranks[tenant].n ? ranks[tenant].n : 1));
	for (i = 0; i < n; i++) {
		host = place_of(host_names, HOSTS + 1, json_string_value(json_array_get(hosts, i)));
		for (k = 0; k < i; k++)
			MUST(ranks[tenant].host[k] != host);
		same = same && ranks[tenant].host[i] == host;
		ranks[tenant].host[i] = host;
	}
	ranks[tenant].n = n;
	MUST(!same);
}

/* Makes the moves of a plan, and returns how many there are. */
static size_t follow(const struct said *said)
{
	json_t *plan = json_loadb(said->out, said->out_len, 0, NULL), *move;
	bool moved[TENANTS] = {};
	size_t i, n = json_array_size(plan);

	json_array_foreach(plan, i, move) {
		const char *from = json_string_value(json_object_get(move, "from"));
		const __u32 tenant = place_of(tenant_names, TENANTS,
					      json_string_value(json_object_get(move, "tenant")));
		const __u32 to = place_of(host_names, HOSTS + 1,
					  json_string_value(json_object_get(move, "to")));

		MUST(!moved[tenant]);
		MUST(!from == !ranks[tenant].n);
		MUST(!from || place_of(host_names, HOSTS + 1, from) == ranks[tenant].host[0]);
		MUST(json_integer_value(json_object_get(move, "bytes")) >= 0 ||
		     json_object_get(move, "bytes"));
		moved[tenant] = true;
		move_to(tenant, json_object_get(move, "hosts"));
		MUST(ranks[tenant].host[0] == to);
	}
	json_decref(plan);
	return n;
}

static int place(const char *path, struct said *said)
{
	struct cli cli = {.tsw = {.lock = -1, .config.name = "h1"}, .out.json = true};
	char *argv[] = {"gateway", "place", "spread", "load", (char *)path, NULL};
	const struct command *command;
	struct words w;
	int err;

	MUST(!command_parse(5, argv, false, &command, &w));
	hear(said);
	err = cmd_gateway_place(&cli, &w);
	hear_end();
	return err;
}

/* What was planned goes in again without a move. */
static void plan(const char *path)
{
	cleanup_said struct said said = {}, again = {};
	const int err = place(path, &said);

	if (err) {
		must_have_failed(err);
		MUST(failure()->status == EXIT_CANNOT);
		MUST(is_printable(failure()->text, strlen(failure()->text)));
		MUST(!said.out_len);
		return;
	}
	must_be_json(&said, false);
	follow(&said);
	MUST(!place(path, &again));
	must_be_json(&again, false);
	MUST(!follow(&again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	__u32 i, k, n;
	int fd;

	if (!size)
		return 0;
	for (i = 0, n = data[0]; i < TENANTS; i++, n /= HOSTS + 2) {
		ranks[i].n = n % (HOSTS + 2) > HOSTS ? 0 : 1 + i % (HOSTS + 1);
		for (k = 0; k < ranks[i].n; k++)
			ranks[i].host[k] = (n + k) % (HOSTS + 1);
	}
	fd = memfd_create("load", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)size - 1)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	plan(path);
	close(fd);
	return 0;
}
