// SPDX-License-Identifier: GPL-2.0-only
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "watch/watch.h"
#include "cli/words.h"
#include "base/spell.h"
#include "record/endpoint_find.h"

enum kind {
	NAME,	  /* of something that is there */
	NEW_NAME, /* which is given */
	NUMBER,
	CHOICE,
	TEXT,
	DEVICE,
	DEVICES,
	MAC,
	IPS,
	LOCALS,
	MTU,
	CIDRS,
	SNATS,
	TARGET,
	NETWORKS,
	RATE,
	SIZE,
	LIMIT,
	FLAG,  /* stands alone */
	LATER, /* read by the command itself, see words.all */
};

struct key {
	const char *word;
	__u64 bit;
	enum kind kind;
	size_t offset; /* in struct words */
	__u32 min, max;
	const char *const *choices;
};

enum { EVENTS_MAX = 1000000, SNAP_MIN = 64 }; /* a second; octets */
enum { DRAIN_MAX = 7 * 24 * 3600 };	      /* longer than conntrack keeps a silent flow */
enum { WAIT_MAX = 24 * 3600 };
enum { LIMIT_MAX = 1 << 20 };

static const char *const missings[] = {"fail", "skip", NULL};
static const char *const off_on[] = {"off", "on", NULL};
static const char *const frames[] = {"tcp", "udp", "icmp", "arp", "nd", NULL};

#define AT(field) offsetof(struct words, field)

/* clang-format off */
static const struct key keys[] = {
	{"tenant",        W_TENANT,        NAME,   AT(tenant),        0, 0,         NULL},
	{"host",          W_HOST,          NAME,   AT(host),          0, 0,         NULL},
	{"dev",           W_DEV,           DEVICE, AT(dev),           0, 0,         NULL},
	{"dev",           W_DEVS,          DEVICES, AT(devs),         0, 0,         NULL},
	{"mac",           W_MAC,           MAC,    AT(mac),           0, 0,         NULL},
	{"ip",            W_IP,            IPS,    AT(ip),            0, 0,         NULL},
	{"id",            W_ID,            TEXT,   AT(id_text),       0, 0,         NULL},
	{"encap",         W_ENCAP,         CHOICE, AT(encap),         0, 0,         word_encaps},
	{"mtu",           W_MTU,           MTU,    AT(mtu),           MTU_MIN, MTU_MAX, NULL},
	{"broadcast",     W_BROADCAST,     CHOICE, AT(broadcast),     0, 0,         off_on},
	{"force",         W_FORCE,         CHOICE, AT(force),         0, 0,         off_on},
	{"dry-run",       W_DRY_RUN,       CHOICE, AT(dry_run),       0, 0,         off_on},
	{"local",         W_LOCAL,         LOCALS, AT(local),         0, 0,         NULL},
	{"name",          W_HOST_NAME,     NEW_NAME, AT(host_name),     0, 0,         NULL},
	{"port",          W_PORT,          NUMBER, AT(port),          1, 65535,     NULL},
	{"xdp",           W_XDP,           CHOICE, AT(xdp),           0, 0,         word_xdps},
	{"attach",        W_ATTACH,        CHOICE, AT(attach),        0, 0,         word_attaches},
	{"max-endpoints", W_MAX_ENDPOINTS, NUMBER, AT(max_endpoints), 1, MAX_ENDPOINTS_MOST, NULL},
	{"max-tenants",   W_MAX_TENANTS,   NUMBER, AT(max_tenants),   1, MAX_TENANTS_MOST, NULL},
	{"ip",            W_CIDR,          CIDRS,  AT(cidr),          0, 0,         NULL},
	{"nat",           W_NAT,           CHOICE, AT(nat),           0, 0,         off_on},
	{"snat",          W_SNAT,          SNATS,  AT(snat),          0, 0,         NULL},
	{"drain",         W_DRAIN,         NUMBER, AT(drain),         0, DRAIN_MAX, NULL},
	{"proto",         W_PROTO,         CHOICE, AT(proto),         0, 0,         word_protos},
	{"to",            W_TO,            TARGET, AT(to),            0, 0,         NULL},
	{"with",          W_WITH,          NAME,   AT(with),          0, 0,         NULL},
	{"prefix",        W_PREFIX,        NETWORKS, AT(prefix),      0, 0,         NULL},
	{"from",          W_FROM,          NAME,   AT(from),          0, 0,         NULL},
	{"to",            W_AIM,           TEXT,   AT(aim),           0, 0,         NULL},
	{"proto",         W_FRAME,         CHOICE, AT(frame),         0, 0,         frames},
	{"length",        W_LENGTH,        NUMBER, AT(length),        28, 65535,    NULL},
	{"rate-out",      W_RATE_OUT,      RATE,   AT(rate_out),      0, 0,         NULL},
	{"rate-in",       W_RATE_IN,       RATE,   AT(rate_in),       0, 0,         NULL},
	{"burst",         W_BURST,         SIZE,   AT(burst),         0, 0,         NULL},
	{"connections",   W_CONNECTIONS,   LIMIT,  AT(connections),   1, LIMIT_MAX, NULL},
	{"half-open",     W_HALF_OPEN,     LIMIT,  AT(half_open),     1, LIMIT_MAX, NULL},
	{"drops",         W_DROPS,         FLAG,   0,                 0, 0,         NULL},
	{"count",         W_COUNT,         NUMBER, AT(count),         1, UINT32_MAX, NULL},
	{"rate",          W_RATE,          NUMBER, AT(rate),          1, EVENTS_MAX, NULL},
	{"endpoint",      W_ENDPOINT,      NAME,   AT(endpoint),      0, 0,         NULL},
	{"write",         W_WRITE,         TEXT,   AT(write),         0, 0,         NULL},
	{"snaplen",       W_SNAPLEN,       NUMBER, AT(snaplen),       SNAP_MIN, WATCH_SNAP_MAX, NULL},
	{"tenants",       W_TENANTS,       CHOICE, AT(tenants),       0, 0,         off_on},
	{"interval",      W_INTERVAL,      NUMBER, AT(interval),      1, 3600,      NULL},
	{"wait",          W_WAIT,          NUMBER, AT(wait),          0, WAIT_MAX,  NULL},
	{"missing",       W_MISSING,       CHOICE, AT(missing),       0, 0,         missings},
	{"known",         W_KNOWN,         TEXT,   AT(known),         0, 0,         NULL},
	{"host",          W_PLACE_HOSTS,   LATER,  0,                 0, 0,         NULL},
	{"weight",        W_WEIGHT,        LATER,  0,                 0, 0,         NULL},
	{"load",          W_LOAD,          LATER,  0,                 0, 0,         NULL},
	{"central",       W_CENTRAL,       FLAG,   0,                 0, 0,         NULL},
	{"spread",        W_SPREAD,        FLAG,   0,                 0, 0,         NULL},
	{"--apply",       W_APPLY,         FLAG,   0,                 0, 0,         NULL},
};
/* clang-format on */

#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

static const struct key *find_key(const char *word, __u64 takes)
{
	size_t i;

	for (i = 0; i < N_KEYS; i++)
		if (takes & keys[i].bit && !strcmp(word, keys[i].word))
			return &keys[i];
	return NULL;
}

bool words_is_flag(const char *word, __u64 takes)
{
	const struct key *key = find_key(word, takes);

	return key && key->kind == FLAG;
}

const char *words_key(__u64 mask)
{
	size_t i;

	for (i = 0; i < N_KEYS; i++)
		if (mask & keys[i].bit)
			return keys[i].word;
	return "NAME";
}

/* `ip` may come again and again; `ip none` stands alone and means an empty list. */
static int read_ips(const char *text, struct words *w)
{
	unsigned int i;
	int err;

	if (!strcmp(text, "none"))
		return w->given & W_IP ? misuse("\"none\" stands alone, without other addresses")
				       : 0;
	if (w->given & W_IP && !w->n_ip)
		return misuse("\"none\" stands alone, without other addresses");
	if (w->n_ip == ENDPOINT_IPS)
		return misuse("more than %d addresses", ENDPOINT_IPS);
	err = parse_ip(text, &w->ip[w->n_ip]);
	if (err)
		return err;
	for (i = 0; i < w->n_ip; i++)
		if (addr_equal(&w->ip[i], &w->ip[w->n_ip]))
			return misuse("address %s is given twice", quoted(text));
	w->n_ip++;
	return 0;
}

static int read_device(const char *text, const char **dev)
{
	if (!*text || strlen(text) >= IFNAMSIZ)
		return misuse("%s is no device's name: 1 to %d octets", quoted(text), IFNAMSIZ - 1);
	*dev = text;
	return 0;
}

/* `dev` again and again: all devices of the underlay. */
static int read_devices(const char *text, struct words *w)
{
	unsigned int i;
	int err;

	if (w->n_devs == TSW_UNDERLAYS)
		return misuse("%s is one device too many: the underlay has at most %d",
			      quoted(text), TSW_UNDERLAYS);
	err = read_device(text, &w->devs[w->n_devs]);
	if (err)
		return err;
	for (i = 0; i < w->n_devs; i++)
		if (!strcmp(w->devs[i], text))
			return misuse("device %s is given twice", quoted(text));
	w->n_devs++;
	return 0;
}

/* The VTEP's addresses, one of each family. */
static int read_locals(const char *text, struct words *w)
{
	struct tsw_addr addr;
	enum tsw_family family;
	int err = parse_ip(text, &addr);

	if (!err)
		err = parse_vtep(&addr);
	if (err)
		return err;
	family = addr_family(&addr);
	if (!addr_is_none(&w->local[family]))
		return misuse("%s is a second %s address: \"local\" is given once for each family",
			      quoted(text), family_text(family));
	w->local[family] = addr;
	return 0;
}

/* A gateway's addresses, each with its network. */
static int read_cidrs(const char *text, struct words *w)
{
	unsigned int i;
	int err;

	if (w->n_cidr == TSW_GATEWAY_ADDRS)
		return misuse("%s is one address too many: a gateway has at most %d", quoted(text),
			      TSW_GATEWAY_ADDRS);
	err = parse_interface(text, &w->cidr[w->n_cidr]);
	if (err)
		return err;
	for (i = 0; i < w->n_cidr; i++)
		if (addr_equal(&w->cidr[i].addr, &w->cidr[w->n_cidr].addr))
			return misuse("address %s is given twice", quoted(text));
	w->n_cidr++;
	return 0;
}

/* The addresses to leave as, one of each family; `none` stands alone. */
static int read_snats(const char *text, struct words *w)
{
	const bool none = addr_is_none(&w->snat[TSW_IPV4]) && addr_is_none(&w->snat[TSW_IPV6]);
	struct tsw_addr addr;
	enum tsw_family family;
	int err;

	if (w->given & W_SNAT && (none || !strcmp(text, "none")))
		return misuse("\"none\" stands alone, without other addresses");
	if (!strcmp(text, "none"))
		return 0;
	err = parse_ip(text, &addr);
	if (err)
		return err;
	if (addr_is_link_local(&addr))
		return misuse("%s is a link-local address, which no answer finds from elsewhere",
			      quoted(text));
	family = addr_family(&addr);
	if (!addr_is_none(&w->snat[family]))
		return misuse("%s is a second %s address: \"snat\" is given once for each family",
			      quoted(text), family_text(family));
	w->snat[family] = addr;
	return 0;
}

/* Parts of a tenant that none of the others is in. */
static int read_networks(const char *text, struct words *w)
{
	struct tsw_prefix *network = &w->prefix[w->n_prefixes];
	unsigned int i;
	int err;

	if (w->n_prefixes == TSW_GATEWAY_ADDRS)
		return misuse("%s is one prefix too many: at most %d", quoted(text),
			      TSW_GATEWAY_ADDRS);
	err = parse_network(text, network);
	if (err)
		return err;
	for (i = 0; i < w->n_prefixes; i++)
		if (prefix_overlap(&w->prefix[i], network))
			return misuse("%s overlaps %s, which is given too", quoted(text),
				      prefix_text(&w->prefix[i]));
	w->n_prefixes++;
	return 0;
}

/* These may come more than once. */
static bool is_list(enum kind kind)
{
	return kind == IPS || kind == DEVICES || kind == LOCALS || kind == CIDRS || kind == SNATS ||
	       kind == NETWORKS || kind == LATER;
}

static int read_mtu(const struct key *key, const char *text, __u32 *mtu)
{
	int err;

	if (!strcmp(text, "0")) { /* as wide as the underlay allows */
		*mtu = 0;
		return 0;
	}
	err = parse_number(text, key->min, key->max, mtu);
	if (err)
		fail_more(" (or 0: what the underlay allows)");
	return err;
}

static int read_value(const struct key *key, const char *text, struct words *w)
{
	void *at = (char *)w + key->offset;

	switch (key->kind) {
	case NAME:
		return parse_known_name(text, at);
	case NEW_NAME:
		return parse_name(text, at);
	case NUMBER:
		return parse_number(text, key->min, key->max, at);
	case CHOICE:
		return parse_choice(text, key->choices, at);
	case DEVICE:
		return read_device(text, at);
	case MAC:
		return parse_mac(text, at);
	case DEVICES:
		return read_devices(text, w);
	case LOCALS:
		return read_locals(text, w);
	case IPS:
		return read_ips(text, w);
	case CIDRS:
		return read_cidrs(text, w);
	case SNATS:
		return read_snats(text, w);
	case MTU:
		return read_mtu(key, text, at);
	case FLAG:
	case LATER:
		return 0;
	case TARGET:
		return parse_target(text, at);
	case NETWORKS:
		return read_networks(text, w);
	case RATE:
		return parse_rate(text, at);
	case SIZE:
		return parse_size(text, at);
	case LIMIT:
		return parse_limit(text, key->max, at);
	case TEXT:
		break;
	}
	*(const char **)at = text;
	return 0;
}

int words_read(char *const *word, __u64 takes, struct words *w)
{
	const struct key *key;
	int err;

	w->all = word;
	for (; *word; word += key->kind == FLAG ? 1 : 2) {
		key = find_key(*word, takes);
		if (!key)
			return misuse("unknown word %s", quoted(*word));
		if (!word[1] && key->kind != FLAG)
			return misuse("%s needs a value", quoted(*word));
		if (w->given & key->bit && !is_list(key->kind))
			return misuse("%s is given twice", quoted(*word));
		err = read_value(key, word[1], w);
		if (err)
			return err;
		w->given |= key->bit;
	}
	return 0;
}

/* For `help` in JSON. What may come again is a list there, whatever its kind. */
static const char *const kinds[] = {
	[NAME] = "name", [NEW_NAME] = "name", [NUMBER] = "number",  [CHOICE] = "choice",
	[TEXT] = "text", [DEVICE] = "device", [DEVICES] = "device", [MAC] = "mac",
	[IPS] = "ip",	 [LOCALS] = "ip",     [MTU] = "number",	    [CIDRS] = "cidr",
	[SNATS] = "ip",	 [TARGET] = "target", [NETWORKS] = "cidr",  [RATE] = "rate",
	[SIZE] = "size", [FLAG] = "flag",     [LIMIT] = "limit",    [LATER] = "text",
};

static const char *kind_word(enum kind kind)
{
	const size_t n = sizeof(kinds) / sizeof(kinds[0]);

	return (size_t)kind < n && kinds[kind] ? kinds[kind] : "text";
}

static json_t *key_json(const struct key *key, bool needed)
{
	json_t *json =
		json_pack("{s:s, s:s, s:b, s:b}", "key", key->word, "kind", kind_word(key->kind),
			  "needed", needed, "list", is_list(key->kind));
	json_t *choices = json_array();
	size_t i;

	for (i = 0; key->choices && key->choices[i]; i++)
		json_array_append_new(choices, json_string(key->choices[i]));
	if (i)
		json_object_set(json, "choices", choices);
	json_decref(choices);
	if (key->max) {
		json_object_set_new(json, "min", json_integer(key->min));
		json_object_set_new(json, "max", json_integer(key->max));
	}
	return json;
}

json_t *words_json(__u64 takes, __u64 needs)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < N_KEYS; i++)
		if (takes & keys[i].bit)
			json_array_append_new(list, key_json(&keys[i], needs & keys[i].bit));
	return list;
}
