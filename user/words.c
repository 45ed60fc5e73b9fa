// SPDX-License-Identifier: GPL-2.0-only
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "err.h"
#include "parse.h"
#include "text.h"
#include "words.h"

enum kind { NAME, NUMBER, CHOICE, TEXT, DEVICE, DEVICES, MAC, IPS, LOCALS, MTU };

struct key {
	const char *word;
	__u32 bit;
	enum kind kind;
	size_t offset; /* in struct words */
	__u32 min, max;
	const char *const *choices;
};

enum { MTU_MIN = 576, MTU_MAX = 65535 }; /* RFC 791: what every IPv4 host takes */

static const char *const encaps[] = {"vxlan", "gre", NULL};
static const char *const off_on[] = {"off", "on", NULL};
static const char *const xdps[] = {"auto", "native", "generic", "off", NULL};
static const char *const attaches[] = {"auto", "tcx", "clsact", NULL};

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
	{"encap",         W_ENCAP,         CHOICE, AT(encap),         0, 0,         encaps},
	{"mtu",           W_MTU,           MTU,    AT(mtu),           MTU_MIN, MTU_MAX, NULL},
	{"broadcast",     W_BROADCAST,     CHOICE, AT(broadcast),     0, 0,         off_on},
	{"force",         W_FORCE,         CHOICE, AT(force),         0, 0,         off_on},
	{"local",         W_LOCAL,         LOCALS, AT(local),         0, 0,         NULL},
	{"name",          W_HOST_NAME,     NAME,   AT(host_name),     0, 0,         NULL},
	{"port",          W_PORT,          NUMBER, AT(port),          1, 65535,     NULL},
	{"xdp",           W_XDP,           CHOICE, AT(xdp),           0, 0,         xdps},
	{"attach",        W_ATTACH,        CHOICE, AT(attach),        0, 0,         attaches},
	{"max-endpoints", W_MAX_ENDPOINTS, NUMBER, AT(max_endpoints), 1, 1U << 24,  NULL},
	{"max-tenants",   W_MAX_TENANTS,   NUMBER, AT(max_tenants),   1, 1U << 20,  NULL},
};
/* clang-format on */

#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

static const struct key *find_key(const char *word, __u32 takes)
{
	size_t i;

	for (i = 0; i < N_KEYS; i++)
		if (takes & keys[i].bit && !strcmp(word, keys[i].word))
			return &keys[i];
	return NULL;
}

const char *words_key(__u32 mask)
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
	if (w->n_ip == WORDS_IPS)
		return misuse("more than %d addresses", WORDS_IPS);
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

/* These may come more than once. */
static bool is_list(enum kind kind)
{
	return kind == IPS || kind == DEVICES || kind == LOCALS;
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
	case MTU:
		return read_mtu(key, text, at);
	case TEXT:
		break;
	}
	*(const char **)at = text;
	return 0;
}

int words_read(char *const *word, __u32 takes, struct words *w)
{
	const struct key *key;
	int err;

	for (; *word; word += 2) {
		key = find_key(*word, takes);
		if (!key)
			return misuse("unknown word %s", quoted(*word));
		if (!word[1])
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
