// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "kernel/system.h"
#include "loader.h"
#include "store/closed.h"
#include "store/maps_move.h"
#include "tsw.skel.h"

enum { PATH_LEN = 256 };

enum { DROPS_PER_TENANT = 32, DROPS_MAX = 1 << 22 };

/* PUBLISH_MAX: each port of both protocols in both families. */
enum { PUBLISH_MAX = 1 << 18, FLOWS_MAX = 1 << 16, CONNS_MAX = 1 << 16, ASKED_MAX = 1 << 16 };
enum { EXPECTED_MAX = 1 << 14 };

/* POLICY_CONNS_MAX counts buckets of connections; their memory is taken when they are used. */
enum { POLICY_RULES_MAX = 1 << 17, POLICY_WAYS_MAX = 1 << 18, POLICY_CONNS_MAX = 1 << 18 };

/* All memory of these leases is taken at once, some 180 octets each. */
enum { FAST_MIN = 1 << 12, FAST_MAX = 1 << 18, FAST_MEMORY = 1 << 15 };

/* FNV-1a, of 64 bits. */
#define FNV_BEGIN 0xcbf29ce484222325ULL
#define FNV_PRIME 0x100000001b3ULL

__u32 maps_addrs(__u32 max_tenants, __u32 max_endpoints)
{
	return max_endpoints * TSW_ADDRS_PER_ENDPOINT + max_tenants * TSW_ADDRS_PER_GATEWAY;
}

/* One for each 32 KiB of the machine's memory, like conntrack's entries. */
static __u32 fast_leases(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	const long fits = pages > 0 ? pages / (FAST_MEMORY / size) : 0;
	__u32 n = FAST_MIN;

	while (n < FAST_MAX && n < fits)
		n <<= 1;
	return n;
}

static int apply_sizes(struct bpf_object *object, const __u32 size[MAP_COUNT])
{
	struct bpf_map *map;
	int i, err;

	for (i = 0; i < MAP_COUNT; i++) {
		map = bpf_object__find_map_by_name(object, map_name(i));
		err = map ? bpf_map__set_max_entries(map, size[i]) : -ENOENT;
		if (err)
			return fail(err, "map %s: %s", map_name(i), strerror(-err));
	}
	return 0;
}

static __u32 most_drops(__u32 max_tenants)
{
	const __u64 drops = (__u64)max_tenants * DROPS_PER_TENANT;

	return drops > DROPS_MAX ? DROPS_MAX : (__u32)drops;
}

/*
 * + 1: a change adds the new entry before it removes the old one. In MAP_GROUPS a tenant has two
 * heads of rings, and an endpoint has one entry, or two while it moves.
 */
static int set_sizes(struct bpf_object *object, __u32 max_tenants, __u32 max_endpoints)
{
	const __u32 addrs = maps_addrs(max_tenants, max_endpoints);
	const __u32 size[MAP_COUNT] = {
		[MAP_CONFIG... MAP_TOTALS] = 1,
		[MAP_TENANTS] = max_tenants + 1,
		[MAP_TENANT_IDS] = max_tenants,
		[MAP_HOSTS... MAP_HOST_IDS] = TSW_MAX_HOSTS,
		[MAP_VTEPS] = TSW_FAMILIES * (TSW_MAX_HOSTS + 1),
		[MAP_PORTS] = max_endpoints + 1,
		[MAP_DEVICES] = max_endpoints + 3,		 /* tsw-gw and tsw-up too */
		[MAP_FDB] = max_endpoints + 1 + max_tenants + 1, /* gateways too */
		[MAP_ADDRS... MAP_TAKEN] = addrs,
		[MAP_BINDINGS] = TSW_BINDINGS * (max_endpoints + 1),
		[MAP_PREFIXES] = TSW_PREFIXES * (max_endpoints + 1),
		[MAP_BOUND... MAP_ENDPOINTS] = max_endpoints + 1,
		[MAP_GROUPS] = 2 * (max_tenants + 1) + 2 * max_endpoints,
		[MAP_STATS] = max_tenants + 1,
		[MAP_HOST_STATS] = TSW_MAX_HOSTS,
		[MAP_DROPS] = most_drops(max_tenants),
		[MAP_GATEWAYS] = max_tenants,
		[MAP_MARKS... MAP_PEERS] = TSW_GATEWAY_MAX,
		[MAP_PEER_ROUTES] = TSW_GATEWAY_MAX * TSW_GATEWAY_ADDRS,
		[MAP_PUBLISH] = PUBLISH_MAX,
		[MAP_CLOSED] = 3 * TSW_CLOSED_MOST,
		[MAP_FLOWS] = FLOWS_MAX,
		[MAP_UPLINKS] = TSW_MAX_UPLINKS,
		[MAP_UPLINK_SLOTS] = 3 * TSW_SLOTS + 1, /* see uplink_slots.c */
		[MAP_UPLINK_ADDRS] = TSW_MAX_UPLINKS,
		[MAP_ROUTED] = max_tenants * TSW_GATEWAY_ADDRS + TSW_PREFIXES * (max_endpoints + 1),
		[MAP_ASKED] = ASKED_MAX,
		[MAP_EXPECTED] = EXPECTED_MAX,
		[MAP_LIMITS] = max_tenants + 1 + max_endpoints + 1,
		[MAP_WATCH] = 1,
		[MAP_WATCHERS... MAP_WATCH_METERS] = TSW_WATCHERS,
		[MAP_WATCH_EVENTS] = TSW_WATCHERS * TSW_WATCH_CPUS,
		[MAP_FAIR] = max_tenants + 1,
		[MAP_FAIR_SEEN... MAP_TIMEOUTS] = 1,
		[MAP_CONNS] = CONNS_MAX,
		[MAP_DESCRIPTIONS... MAP_NETS] = max_tenants + 1,
		[MAP_GIVEN_UP... MAP_NAMES] = max_endpoints + 1,
		[MAP_DOMAINS... MAP_RELAYS] = max_tenants + 1,
		[MAP_MOVES... MAP_VIPS] = max_endpoints + 1,
		[MAP_FAST] = fast_leases(),
		[MAP_PROBES] = TSW_MAX_HOSTS + 1, /* this host, too */
		[MAP_SNATS... MAP_SNAT_USERS] = TSW_FAMILIES * max_tenants + 1,
		[MAP_FLOW_TABLES... MAP_POLICIES] = max_tenants + 1,
		[MAP_POLICY_GROUPS] = POLICY_RULES_MAX,
		[MAP_POLICY_MEMBERS] = max_endpoints + 1,
		[MAP_POLICY_RULES... MAP_POLICY_CIDRS] = POLICY_RULES_MAX,
		[MAP_POLICY_WAYS] = POLICY_WAYS_MAX,
		[MAP_POLICY_HITS] = POLICY_RULES_MAX + max_tenants,
		[MAP_POLICY_CONNS] = POLICY_CONNS_MAX,
		[MAP_CRYPT] = 1,
		[MAP_CRYPT_DEVICES] = TSW_CRYPT_PARITIES * TSW_CRYPT_PARITIES,
		[MAP_HOST_KEYS... MAP_HOST_MTUS] = TSW_MAX_HOSTS,
		[MAP_FLOW_CACHE] = TSW_FLOW_BUCKETS,
	};

	return apply_sizes(object, size);
}

__u64 programs_build(void)
{
	__u64 hash = FNV_BEGIN;
	const __u8 *octets;
	size_t n, i;

	octets = tsw_bpf__elf_bytes(&n);
	for (i = 0; i < n; i++)
		hash = (hash ^ octets[i]) * FNV_PRIME;
	return hash;
}

static struct bpf_map *find(const struct tsw_bpf *skel, enum map map)
{
	return bpf_object__find_map_by_name(skel->obj, map_name(map));
}

static int pin_map(int fd, const char *dir, const char *part, enum map map)
{
	char path[PATH_LEN];

	snprintf(path, sizeof(path), "%s/%s/%s", dir, part, map_name(map));
	return bpf_obj_pin(fd, path) ? fail(errno, "cannot pin %s: %s", path, strerror(errno)) : 0;
}

static int pin_programs(const struct tsw_bpf *skel, const char *dir)
{
	struct bpf_program *prog;
	char path[PATH_LEN];
	int err;

	bpf_object__for_each_program(prog, skel->obj) {
		snprintf(path, sizeof(path), "%s/progs/%s", dir, bpf_program__name(prog));
		err = bpf_program__pin(prog, path);
		if (err)
			return fail(err, "cannot pin %s: %s", path, strerror(-err));
	}
	return 0;
}

int programs_open(struct tsw_bpf **skel)
{
	*skel = tsw_bpf__open();
	if (!*skel)
		return fail(errno, "cannot read the programs: %s", strerror(errno));
	(*skel)->rodata->tsw_has_kern_ctx = system_has_kfunc("bpf_cast_to_kern_ctx");
	(*skel)->rodata->tsw_has_conntrack = system_has_conntrack();
	(*skel)->rodata->tsw_has_fast = (*skel)->rodata->tsw_has_conntrack;
	(*skel)->rodata->tsw_jiffy = system_jiffy();
	return 0;
}

/* Reads the programs and sets the sizes of their maps. */
static int prepare(struct tsw_bpf **skel, __u32 max_tenants, __u32 max_endpoints)
{
	int err = programs_open(skel);

	return err ?: set_sizes((*skel)->obj, max_tenants, max_endpoints);
}

/*
 * Maps that no program reads would be lost with their pins, and with them the names of endpoints.
 * Bound to the programs they survive, and can be pinned again.
 */
static int hold_maps(struct bpf_object *object)
{
	struct bpf_program *prog;
	struct bpf_map *map;
	int i, err;

	bpf_object__for_each_program(prog, object) {
		for (i = 0; i < MAP_COUNT && bpf_program__fd(prog) >= 0; i++) {
			map = bpf_object__find_map_by_name(object, map_name(i));
			err = bpf_prog_bind_map(bpf_program__fd(prog), bpf_map__fd(map), NULL);
			if (err)
				return fail(errno, "cannot bind map %s: %s", map_name(i),
					    strerror(errno));
		}
	}
	return 0;
}

/*
 * Lost programs and maps are found by their names. If libbpf's probe for names fails, for instance
 * without memory, libbpf silently leaves the names out.
 */
static int check_names(const struct bpf_object *object)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, object) {
		struct bpf_prog_info info = {};
		__u32 len = sizeof(info);
		int fd = bpf_program__fd(prog);

		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &len))
			return fail(errno, "cannot read program %s: %s", bpf_program__name(prog),
				    strerror(errno));
		if (!*info.name)
			return fail(EAGAIN,
				    "the kernel took program %s without its name: try again",
				    bpf_program__name(prog));
	}
	return 0;
}

int programs_load(struct tsw_bpf *skel)
{
	int err = tsw_bpf__load(skel);

	if (err)
		return fail(err, "the kernel refused the programs: %s (-vv prints its log)",
			    strerror(-err));
	err = check_names(skel->obj);
	return err ?: hold_maps(skel->obj);
}

int programs_make(const char *dir, __u32 max_tenants, __u32 max_endpoints)
{
	struct tsw_bpf *skel;
	int i, err = prepare(&skel, max_tenants, max_endpoints);

	err = err ?: programs_load(skel);
	err = err ?: closed_fill(bpf_map__fd(find(skel, MAP_CLOSED)));
	for (i = 0; !err && i < MAP_COUNT; i++)
		err = pin_map(bpf_map__fd(find(skel, i)), dir, "maps", i);
	err = err ?: pin_programs(skel, dir);
	tsw_bpf__destroy(skel);
	return err;
}

int programs_try(__u32 max_tenants, __u32 max_endpoints)
{
	struct tsw_bpf *skel;
	int err = prepare(&skel, max_tenants, max_endpoints);

	err = err ?: programs_load(skel);
	tsw_bpf__destroy(skel);
	return err;
}

/* The kernel adds a flag to maps of devices. */
static bool same_layout(const struct bpf_map *map, const struct bpf_map_info *info)
{
	const __u32 differ = info->map_flags ^ bpf_map__map_flags(map);

	return info->type == bpf_map__type(map) && info->key_size == bpf_map__key_size(map) &&
	       info->value_size == bpf_map__value_size(map) &&
	       info->max_entries == bpf_map__max_entries(map) && !(differ & ~BPF_F_RDONLY_PROG);
}

/* Refuses a map whose layout is not that of its ABI version, because it could not be moved. */
static int check_old(enum map map, __u32 abi, const struct bpf_map *today,
		     const struct bpf_map_info *info)
{
	const struct migration *step = migrate_first(migrations, abi, map);
	const __u32 key = step ? step->key : bpf_map__key_size(today);
	const __u32 value = step ? step->value : bpf_map__value_size(today);

	if (info->type == bpf_map__type(today) && info->key_size == key &&
	    info->value_size == value)
		return 0;
	return fail(EPROTO, "map %s does not have the layout of ABI version %u", map_name(map),
		    abi);
}

/* Maps that came during version 5, so the first switches of that version lack them. */
static bool is_late(enum map map)
{
	return map == MAP_DESCRIPTIONS || map == MAP_NETS || map == MAP_GIVEN_UP ||
	       map == MAP_NAMES || map == MAP_DOMAINS || map == MAP_MOVES || map == MAP_FAST ||
	       map == MAP_PROBES || map == MAP_SNATS || map == MAP_SNAT_USERS ||
	       map == MAP_BINDINGS || map == MAP_BOUND || map == MAP_BOOT || map == MAP_RELAYS ||
	       map == MAP_MACS || map == MAP_INNER || map == MAP_VIPS || map == MAP_TAKEN ||
	       map == MAP_PREFIXES || map == MAP_PREFIX_LISTS ||
	       (map >= MAP_POLICIES && map <= MAP_FLOW_CACHE);
}

/* Uses the pinned map if its layout fits. Else *OLD becomes its fd, and the map is made anew. */
static int reuse(const struct tsw_bpf *skel, enum map map, const char *dir, __u32 abi, int *old)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	char path[PATH_LEN];
	cleanup_close int fd = -1;
	int err;

	snprintf(path, sizeof(path), "%s/maps/%s", dir, map_name(map));
	fd = bpf_obj_get(path);
	if (fd < 0 && errno == ENOENT && (abi < TSW_ABI_VERSION || is_late(map)))
		return 0;
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return fail(errno, "cannot open %s: %s", path, strerror(errno));
	/* A map of the same size may have another meaning; then it has a migration step, too. */
	if (same_layout(find(skel, map), &info) && !migrate_first(migrations, abi, map)) {
		err = bpf_map__reuse_fd(find(skel, map), fd);
		return err ? fail(err, "map %s: %s", map_name(map), strerror(-err)) : 0;
	}
	err = check_old(map, abi, find(skel, map), &info);
	if (err)
		return err;
	*old = fd;
	fd = -1;
	return 0;
}

struct renewal {
	const char *to;
	__u32 abi;
	const struct tsw_config *config;
	bool fresh[MAP_COUNT]; /* is made anew */
	int old[MAP_COUNT];    /* fd of the map that it replaces, or -1 */
};

static int pin_fresh(const struct tsw_bpf *skel, const struct renewal *r, enum map map)
{
	struct map_move move = {.table = migrations, .abi = r->abi, .map = map};
	int err = 0;

	move.config = r->config;
	move.policies = bpf_map__fd(find(skel, MAP_POLICIES));
	move.to = bpf_map__fd(find(skel, map));
	move.from = r->old[map];
	if (move.from >= 0)
		err = map_move_entries(&move);
	if (!err && r->to && move.from >= 0)
		err = pin_map(move.from, r->to, "old", map);
	return err || !r->to ? err : pin_map(move.to, r->to, "maps", map);
}

static int renew(struct tsw_bpf *skel, struct renewal *r, const char *dir)
{
	int i, err = 0;

	for (i = 0; !err && i < MAP_COUNT; i++) {
		err = reuse(skel, i, dir, r->abi, &r->old[i]);
		r->fresh[i] = bpf_map__fd(find(skel, i)) < 0;
	}
	err = err ?: programs_load(skel);
	if (!err && r->fresh[MAP_CLOSED])
		err = closed_fill(bpf_map__fd(find(skel, MAP_CLOSED)));
	for (i = 0; !err && i < MAP_COUNT; i++)
		if (r->fresh[i])
			err = pin_fresh(skel, r, i);
	return err || !r->to ? err : pin_programs(skel, r->to);
}

int programs_renew(const char *dir, const char *to, __u32 abi, const struct tsw_config *config,
		   bool made[MAP_COUNT])
{
	struct renewal r = {
		.to = to, .abi = abi, .config = config, .old = {[0 ... MAP_COUNT - 1] = -1}};
	struct tsw_bpf *skel;
	int i, err = prepare(&skel, config->max_tenants, config->max_endpoints);

	err = err ?: renew(skel, &r, dir);
	if (made)
		memcpy(made, r.fresh, sizeof(r.fresh));
	for (i = 0; i < MAP_COUNT; i++)
		if (r.old[i] >= 0)
			close(r.old[i]);
	tsw_bpf__destroy(skel);
	return err;
}
