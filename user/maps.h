/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only access to the pinned maps. Functions return 0, or a negative errno and set the message.
 * Where absence is a valid answer, -ENOENT comes without a message.
 */
#ifndef TSW_MAPS_H
#define TSW_MAPS_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

#include "base/lookup.h"

/*
 * All maps, pinned as tsw_<name>. A row has the enum's name, the pin's name, the types of key and
 * value, and whether values are per CPU. Headers in bpf/ declare the maps, and loader.c sets their
 * sizes.
 */
/* clang-format off */
#define TSW_MAPS(X) \
	X(CONFIG,       config,       __u32,                     struct tsw_config,      ONE)      \
	X(TOTALS,       totals,       __u32,                     struct tsw_totals,      ONE)      \
	X(TENANTS,      tenants,      __u32,                     struct tsw_tenant,      ONE)      \
	X(TENANT_IDS,   tenant_ids,   struct tsw_name,           __u32,                  ONE)      \
	X(HOSTS,        hosts,        __u32,                     struct tsw_host,        ONE)      \
	X(HOST_IDS,     host_ids,     struct tsw_name,           __u32,                  ONE)      \
	X(VTEPS,        vteps,        struct tsw_addr,           __u32,                  ONE)      \
	X(PORTS,        ports,        __u32,                     struct tsw_port,        ONE)      \
	X(DEVICES,      devices,      __u32,                     __u32,                  ONE)      \
	X(FDB,          fdb,          struct tsw_fdb_key,        struct tsw_fdb,         ONE)      \
	X(ADDRS,        addrs,        struct tsw_addr_key,       struct tsw_addr_owner,  ONE)      \
	X(TAKEN,        taken,        struct tsw_addr_key,       struct tsw_taken,       ONE)      \
	X(BINDINGS,     bindings,     struct tsw_addr_key,       struct tsw_binding,     ONE)      \
	X(PREFIXES,     prefixes,     struct tsw_prefix_key,     struct tsw_behind,      ONE)      \
	X(BOUND,        bound,        struct tsw_fdb_key,        struct tsw_bound,       ONE)      \
	X(MACS,         macs,         struct tsw_fdb_key,        __u32,                  ONE)      \
	X(INNER,        inner,        struct tsw_fdb_key,        struct tsw_inner,       ONE)      \
	X(PREFIX_LISTS, prefix_lists, struct tsw_fdb_key,        struct tsw_prefix_set,  ONE)      \
	X(ENDPOINTS,    endpoints,    struct tsw_endpoint_key,   struct tsw_endpoint,    ONE)      \
	X(GROUPS,       groups,       struct tsw_group_key,      struct tsw_group,       ONE)      \
	X(STATS,        stats,        __u32,                     struct tsw_tenant_stats, EACH_CPU) \
	X(HOST_STATS,   host_stats,   __u32,                     struct tsw_host_stats,  EACH_CPU) \
	X(DROPS,        drops,        struct tsw_drop_key,       struct tsw_counter,     EACH_CPU) \
	X(GATEWAYS,     gateways,     __u32,                     struct tsw_gateway,     ONE)      \
	X(MARKS,        marks,        __u32,                     struct tsw_mark,        ONE)      \
	X(PEERS,        peers,        struct tsw_peer_key,       struct tsw_peer,        ONE)      \
	X(PEER_ROUTES,  peer_routes,  struct tsw_peer_route_key, struct tsw_peer_route,  ONE)      \
	X(PUBLISH,      publish,      struct tsw_publish_key,    struct tsw_publish,     ONE)      \
	X(CLOSED,       closed,       struct tsw_closed_key,     __u32,                  ONE)      \
	X(FLOWS,        flows,        struct tsw_flow_key,       struct tsw_flow,        ONE)      \
	X(UPLINKS,      uplinks,      __u32,                     struct tsw_uplink,      ONE)      \
	X(UPLINK_SLOTS, uplink_slots, struct tsw_uplink_net,     __u32,                  ONE)      \
	X(UPLINK_ADDRS, uplink_addrs, struct tsw_addr,           __u32,                  ONE)      \
	X(ROUTED,       routed,       struct tsw_routed_key,     __u32,                  ONE)      \
	X(ASKED,        asked,        struct tsw_asked_key,      __u64,                  ONE)      \
	X(EXPECTED,     expected,     struct tsw_asked_key,      struct tsw_expected,    ONE)      \
	X(LIMITS,       limits,       struct tsw_limit_key,      struct tsw_limit,       ONE)      \
	X(WATCH,        watch,        __u32,                     struct tsw_watch,       ONE)      \
	X(WATCHERS,     watchers,     __u32,                     struct tsw_watcher,     ONE)      \
	X(WATCH_METERS, watch_meters, __u32,                     struct tsw_watch_meter, EACH_CPU) \
	X(WATCH_EVENTS, watch_events, __u32,                     __u32,                  ONE)      \
	X(FAIR,         fair,         __u32,                     struct tsw_fair,        ONE)      \
	X(FAIR_SEEN,    fair_seen,    __u32,                     struct tsw_fair_seen,   EACH_CPU) \
	X(TIMEOUTS,     timeouts,     __u32,                     struct tsw_timeouts,    ONE)      \
	X(CONNS,        conns,        struct tsw_conn_key,       struct tsw_conn_bucket, ONE)      \
	X(DESCRIPTIONS, descriptions, __u32,                     struct tsw_description, ONE)      \
	X(SHARES,       shares,       __u32,                     struct tsw_share,       ONE)      \
	X(NETS,         nets,         __u32,                     struct tsw_nets,        ONE)      \
	X(GIVEN_UP,     given_up,     struct tsw_addr_key,       __u64,                  ONE)      \
	X(NAMES,        names,        struct tsw_fdb_key,        struct tsw_name,        ONE)      \
	X(DOMAINS,      domains,      __u32,                     struct tsw_domain,      ONE)      \
	X(BOOT,         boot,         __u32,                     struct tsw_boot,        ONE)      \
	X(RELAYS,       relays,       __u32,                     struct tsw_relay,       ONE)      \
	X(MOVES,        moves,        struct tsw_fdb_key,        struct tsw_move,        ONE)      \
	X(VIPS,         vips,         struct tsw_fdb_key,        struct tsw_vips,        ONE)      \
	X(FAST,         fast,         struct tsw_flow_key,       struct tsw_fast,        ONE)      \
	X(PROBES,       probes,       __u32,                     struct tsw_probe,       ONE)      \
	X(SNATS,        snats,        struct tsw_addr,           struct tsw_snat,        ONE)      \
	X(SNAT_USERS,   snat_users,   struct tsw_addr,           __u32,                  ONE)      \
	X(FLOW_TABLES,  flow_tables,  __u32,                     struct tsw_flow_table,  ONE)      \
	X(POLICIES,     policies,     __u32,                     struct tsw_policy,      ONE)      \
	X(POLICY_GROUPS, policy_groups, struct tsw_policy_name,  __u32,                  ONE)      \
	X(POLICY_MEMBERS, policy_members, struct tsw_fdb_key,    struct tsw_policy_member, ONE)    \
	X(POLICY_RULES, policy_rules, struct tsw_policy_name,    struct tsw_policy_rule, ONE)      \
	X(POLICY_CIDRS, policy_cidrs, struct tsw_policy_cidr_key, struct tsw_policy_cidr, ONE)     \
	X(POLICY_WAYS,  policy_ways,  struct tsw_policy_way_key, struct tsw_policy_way,  ONE)      \
	X(POLICY_HITS,  policy_hits,  struct tsw_policy_hit_key, struct tsw_counter,     EACH_CPU) \
	X(POLICY_CONNS, policy_conns, struct tsw_policy_conn_key, struct tsw_policy_bucket, ONE)    \
	X(CRYPT,        crypt,        __u32,                     struct tsw_crypt,       ONE)      \
	X(HOST_KEYS,    host_keys,    __u32,                     struct tsw_host_keys,   ONE)      \
	X(HOST_MTUS,    host_mtus,    __u32,                     __u32,                  ONE)      \
	X(CRYPT_DEVICES, crypt_devices, __u32,                   __u32,                  ONE)      \
	X(FLOW_CACHE,   flow_cache,   struct tsw_flow_bucket_key, struct tsw_flow_bucket, ONE)
/* clang-format on */

enum map {
#define X(NAME, name, key, value, cpus) MAP_##NAME,
	TSW_MAPS(X)
#undef X
		MAP_COUNT
};

struct snapshot;

struct maps {
	int fd[MAP_COUNT];
	/*
	 * If not NULL, map_get() and map_rows() answer from this copy. Each map is copied as a
	 * whole at its first read. Nobody may write to the maps meanwhile.
	 */
	struct snapshot *snapshot;
};

#define MAPS_CLOSED                                  \
	{                                            \
		.fd = { [0 ... MAP_COUNT - 1] = -1 } \
	}

/* The number of addresses that fit into the maps of a switch with these limits. */
__u32 maps_addrs(__u32 max_tenants, __u32 max_endpoints);

/* Opens the maps pinned below DIR; WRITES: for writing, too. -ENOENT without message: no pin. */
int maps_open(struct maps *maps, const char *dir, bool writes);
/* Makes OBJECT use these maps. Call before it is loaded. */
struct bpf_object;
int maps_reuse(struct bpf_object *object, const struct maps *maps);
void maps_close(struct maps *maps);

/* Opens those maps that exist and have today's layout. Never fails, but a message may be set. */
void maps_open_known(struct maps *maps, const char *dir);

/*
 * Reads the configuration in the layout of its own ABI version, and clears the rest of the ROOM
 * octets. -ENOENT without message.
 */
int maps_read_config(const char *dir, void *config, size_t room);

const char *map_name(enum map map);

/* Whether the open map is the one that is pinned under its name below DIR. */
bool maps_pinned(const struct maps *maps, enum map map, const char *dir);

__u64 maps_bytes(const struct maps *maps);

struct map_usage {
	const char *name;
	__u32 capacity;
	__u64 bytes; /* of memory, as the kernel accounts for it */
};

int map_usage(const struct maps *maps, enum map map, struct map_usage *usage);

/*
 * These macros check that key and value have the map's types, so the map must be a constant such as
 * MAP_TENANTS. The functions with _any take a variable, for code that handles several maps.
 */
#define map_get(maps, map, key, value) map##_get(maps, key, value)
#define map_put(maps, map, key, value) map##_put(maps, key, value)
#define map_del(maps, map, key) map##_del(maps, key) /* 0 also if it is absent */
/*
 * For maps in which a missing entry means a value of zeros: map_get_or_zero() reads it as zeros,
 * and map_store() deletes the entry if the value is zero.
 */
#define map_get_or_zero(maps, map, key, value) map##_get_or_zero(maps, key, value)
#define map_store(maps, map, key, value) map##_store(maps, key, value)

/* For per-CPU maps whose values are __u64 members: the sum over all CPUs, and writing zeros. */
#define map_sum(maps, map, key, sum) map##_sum(maps, key, sum)
#define map_zero(maps, map, key) map##_zero(maps, key)

int map_get_any(const struct maps *maps, enum map map, const void *key, void *value);
int map_put_any(const struct maps *maps, enum map map, const void *key, const void *value);
int map_get_or_zero_any(const struct maps *maps, enum map map, const void *key, void *value);
/* Writes nothing if the entry equals VALUE already. OLD is a buffer for one value. */
int map_store_any(const struct maps *maps, enum map map, const void *key, const void *value,
		  void *old);
/* map_get() for a value with a bpf_spin_lock: reads under the lock, so the value is consistent. */
int map_get_locked(const struct maps *maps, enum map map, const void *key, void *value);
int map_del_any(const struct maps *maps, enum map map, const void *key);
int map_sum_any(const struct maps *maps, enum map map, const void *key, void *sum);
int map_zero_any(const struct maps *maps, enum map map, const void *key);

/*
 * map_take_locked() removes an entry whose value has a lock, and reads its last value. -ENOENT
 * without message: it was removed already. map_put_back() adds the entry again. -EEXIST without
 * message: a program has added it meanwhile.
 */
int map_take_locked(const struct maps *maps, enum map map, const void *key, void *value);
int map_put_back(const struct maps *maps, enum map map, const void *key, const void *value);

#define ONE(NAME, K, V)                                                                           \
	static inline int MAP_##NAME##_get(const struct maps *maps, const K *key, V *value)       \
	{                                                                                         \
		return map_get_any(maps, MAP_##NAME, key, value);                                 \
	}                                                                                         \
	static inline int MAP_##NAME##_put(const struct maps *maps, const K *key, const V *value) \
	{                                                                                         \
		return map_put_any(maps, MAP_##NAME, key, value);                                 \
	}                                                                                         \
	static inline int MAP_##NAME##_get_or_zero(const struct maps *maps, const K *key,         \
						   V *value)                                      \
	{                                                                                         \
		return map_get_or_zero_any(maps, MAP_##NAME, key, value);                         \
	}                                                                                         \
	static inline int MAP_##NAME##_store(const struct maps *maps, const K *key,               \
					     const V *value)                                      \
	{                                                                                         \
		V old;                                                                            \
                                                                                                  \
		return map_store_any(maps, MAP_##NAME, key, value, &old);                         \
	}
#define EACH_CPU(NAME, K, V)                                                              \
	static inline int MAP_##NAME##_sum(const struct maps *maps, const K *key, V *sum) \
	{                                                                                 \
		return map_sum_any(maps, MAP_##NAME, key, sum);                           \
	}                                                                                 \
	static inline int MAP_##NAME##_zero(const struct maps *maps, const K *key)        \
	{                                                                                 \
		return map_zero_any(maps, MAP_##NAME, key);                               \
	}
#define X(NAME, name, K, V, cpus)                                                                  \
	cpus(NAME, K, V) static inline int MAP_##NAME##_del(const struct maps *maps, const K *key) \
	{                                                                                          \
		return map_del_any(maps, MAP_##NAME, key);                                         \
	}
TSW_MAPS(X)
#undef X
#undef EACH_CPU
#undef ONE

/* Reads the value of one CPU from a per-CPU map. */
int map_of_cpu(const struct maps *maps, enum map map, const void *key, int cpu, void *value);

bool map_is_empty(const struct maps *maps, enum map map);

/* All entries of a map, read within a short time. Per-CPU values are summed. */
struct rows {
	char *keys;
	char *values;
	size_t n;
	size_t key_size;
	size_t value_size;
	bool only_keys; /* without values */
	bool lent;	/* a snapshot owns them, and they are valid as long as it exists */
};

int map_rows(const struct maps *maps, enum map map, struct rows *rows);
int map_row_keys(const struct maps *maps, enum map map, struct rows *rows); /* without values */

/* Copies of maps, and an index of their keys. */
struct snapshot {
	struct rows rows[MAP_COUNT];
	struct lookup in[MAP_COUNT];
	bool has[MAP_COUNT]; /* the map is in `rows` */
};

/* Copies the map, once, for snapshot_get(). */
int snapshot_index(const struct maps *maps, enum map map, struct snapshot *s);
/* The value of KEY; NULL: there is no such entry. */
const void *snapshot_get(const struct snapshot *s, enum map map, const void *key);
void snapshot_free(struct snapshot *s);

#define cleanup_snapshot __attribute__((cleanup(snapshot_free)))

/*
 * Calls VISIT for each entry of a map that is not per CPU. VISIT may delete entries. Its first
 * error ends the walk and is returned.
 */
typedef int map_visit(void *context, const void *key, const void *value);
int map_walk(const struct maps *maps, enum map map, map_visit *visit, void *context);

/* How many entries there are. */
int map_count(const struct maps *maps, enum map map, size_t *n);
void rows_free(struct rows *rows);

#define cleanup_rows __attribute__((cleanup(rows_free)))
#define row_key(rows, i) ((const void *)((rows)->keys + (i) * (rows)->key_size))
#define row_value(rows, i) ((const void *)((rows)->values + (i) * (rows)->value_size))

#endif
