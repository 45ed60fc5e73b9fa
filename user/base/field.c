// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/closed.h"
#include "base/err.h"
#include "base/field.h"
#include "base/key.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/utf8.h"

static const char *const off_on[] = {"off", "on", NULL};

bool field_is_list(const struct field *f)
{
	return f->kind >= FIELD_FIRST_LIST && f->kind <= FIELD_LATER;
}

bool field_is_word(const struct field *f, const char *word)
{
	return !strcmp(field_word(f), word);
}

const char *field_word(const struct field *f)
{
	static _Thread_local char text[4][32];
	static _Thread_local int next;
	char *word = text[next++ % 4], *at;

	snprintf(word, sizeof(text[0]), "%s", f->key);
	for (at = word; *at; at++)
		if (*at == '_')
			*at = '-';
	return word;
}

/* ---- lists ------------------------------------------------------------------------ */

static int read_device(const char *text, char to[IFNAMSIZ])
{
	const size_t len = strlen(text);

	if (!len || len >= IFNAMSIZ)
		return misuse("%s is not a device name: use 1 to %d octets", quoted(text),
			      IFNAMSIZ - 1);
	if (!text_is_utf8(text))
		return misuse("device name %s is not UTF-8, so a state file could not hold it",
			      quoted(text));
	memcpy(to, text, len + 1);
	return 0;
}

static int add_device(const char *text, struct tsw_device_list *list)
{
	unsigned int i;
	int err;

	if (list->n == TSW_UNDERLAYS)
		return misuse("%s is one device too many: the underlay has at most %d",
			      quoted(text), TSW_UNDERLAYS);
	for (i = 0; i < list->n; i++)
		if (!strcmp(list->at[i], text))
			return misuse("device %s is given twice", quoted(text));
	err = read_device(text, list->at[list->n]);
	list->n += !err;
	return err;
}

static int add_ip(const char *text, struct tsw_addr_list *list)
{
	int err;

	if (list->n == TSW_ENDPOINT_IPS)
		return misuse("%s is one address too many: at most %d", quoted(text),
			      TSW_ENDPOINT_IPS);
	err = parse_own_ip(text, &list->at[list->n]);
	if (err)
		return err;
	if (addr_is_among(&list->at[list->n], list->at, list->n))
		return misuse("address %s is given twice", quoted(text));
	list->n++;
	return 0;
}

static bool pair_is_empty(const struct tsw_addr_pair *pair)
{
	return addr_is_none(&pair->of[TSW_IPV4]) && addr_is_none(&pair->of[TSW_IPV6]);
}

static int add_to_pair(const struct field *f, const char *text, struct tsw_addr_pair *pair)
{
	struct tsw_addr addr;
	enum tsw_family family;
	int err = parse_ip(text, &addr);

	if (!err && f->kind == FIELD_VTEPS)
		err = parse_vtep(&addr);
	if (err)
		return err;
	if (f->kind != FIELD_VTEPS && addr_is_link_local(&addr))
		return misuse("%s is a link-local address: answers from other networks cannot "
			      "reach it",
			      quoted(text));
	family = addr_family(&addr);
	if (!addr_is_none(&pair->of[family]))
		return misuse("%s is a second %s address: give \"%s\" once for each family",
			      quoted(text), family_text(family), field_word(f));
	if (pair_is_empty(pair))
		pair->preferred = family;
	pair->of[family] = addr;
	return 0;
}

static int add_cidr(const char *text, struct tsw_prefix_list *list)
{
	__u32 i;
	int err;

	if (list->n == TSW_GATEWAY_ADDRS)
		return misuse("%s is one address too many: a gateway has at most %d", quoted(text),
			      TSW_GATEWAY_ADDRS);
	err = parse_interface(text, &list->at[list->n]);
	if (err)
		return err;
	for (i = 0; i < list->n; i++)
		if (addr_equal(&list->at[i].addr, &list->at[list->n].addr))
			return misuse("address %s is given twice", quoted(text));
	list->n++;
	return 0;
}

static int add_network(const struct field *f, const char *text, struct tsw_prefix_list *list)
{
	__u32 i;
	int err;

	if (list->n == TSW_GATEWAY_ADDRS)
		return misuse("%s is one prefix too many: at most %d", quoted(text),
			      TSW_GATEWAY_ADDRS);
	err = f->kind == FIELD_NETS ? parse_subnet(text, &list->at[list->n])
				    : parse_network(text, &list->at[list->n]);
	if (err)
		return err;
	for (i = 0; i < list->n; i++)
		if (prefix_overlap(&list->at[i], &list->at[list->n]))
			return misuse("%s overlaps %s, which is given too", quoted(text),
				      prefix_text(&list->at[i]));
	list->n++;
	return 0;
}

static int add_name(const struct field *f, const char *text, struct tsw_name_list *list)
{
	const __u32 room = sizeof(list->at) / sizeof(list->at[0]);
	int err;

	if (list->n == room)
		return misuse("%s is one host too many: \"%s\" takes at most %u", quoted(text),
			      field_word(f), room);
	err = parse_known_name(text, &list->at[list->n]);
	list->n += !err;
	return err;
}

/* The list is sorted by name, whatever the order of the words. */
static int add_group(const char *text, struct tsw_group_list *list)
{
	struct tsw_name name;
	__u32 i;
	int err = parse_group(text, &name);

	if (err)
		return err;
	for (i = 0; i < list->n; i++)
		if (!strcmp(list->at[i].s, name.s))
			return misuse("group %s is given twice", quoted(text));
	if (list->n == TSW_POLICY_MEMBER)
		return misuse("%s is one group too many: an endpoint can be in %d", quoted(text),
			      TSW_POLICY_MEMBER);
	for (i = list->n++; i && strcmp(list->at[i - 1].s, name.s) > 0; i--)
		list->at[i] = list->at[i - 1];
	list->at[i] = name;
	return 0;
}

/* The second key replaces the first during a rekey; their parities tell them apart. */
static int add_key(const char *text, struct tsw_key_list *list)
{
	struct tsw_key key;
	int err = parse_key(text, &key);

	if (err)
		return err;
	if (list->n == TSW_CRYPT_PARITIES)
		return misuse("%s is one key too many: a host has at most %d", quoted(text),
			      TSW_CRYPT_PARITIES);
	if (list->n && TSW_CRYPT_PARITY(list->at[0].octet) == TSW_CRYPT_PARITY(key.octet))
		return misuse("%s cannot be a second key: give one that `switch rekey` made on "
			      "that host",
			      quoted(text));
	list->at[list->n++] = key;
	return 0;
}

/* ---- all kinds -------------------------------------------------------------------- */

static int read_mtu(const struct field *f, const char *text, __u32 *mtu)
{
	int err;

	*mtu = 0;
	if (!strcmp(text, "0"))
		return 0;
	err = parse_number(text, f->min, f->max, mtu);
	if (err)
		fail_more(" (or 0 for what the underlay allows)");
	return err;
}

static int read_on(const struct field *f, const char *text, bool *set)
{
	__u32 value;
	int err = parse_choice(text, off_on, &value);

	if (!err)
		*set = (bool)value != (f->kind == FIELD_IF_OFF);
	return err;
}

/* `none` or an empty text clears the zone. */
static int read_zone(const char *text, struct tsw_name *zone)
{
	if (*text && strcmp(text, "none"))
		return parse_name(text, zone);
	memset(zone, 0, sizeof(*zone));
	return 0;
}

/* `none`, or the field's own word for it, is 0. */
static int read_if_number(const struct field *f, const char *text, __u32 *n)
{
	if (strcmp(text, f->choices ? *f->choices : "none"))
		return parse_number(text, f->min, f->max, n);
	*n = 0;
	return 0;
}

/* Adds an item to a list. */
static int read_list(const struct field *f, const char *text, void *at)
{
	switch (f->kind) {
	case FIELD_DEVICES:
		return add_device(text, at);
	case FIELD_IPS:
		return add_ip(text, at);
	case FIELD_VTEPS:
	case FIELD_SNATS:
	case FIELD_RESOLVERS:
		return add_to_pair(f, text, at);
	case FIELD_CIDRS:
		return add_cidr(text, at);
	case FIELD_NAMES:
		return add_name(f, text, at);
	case FIELD_NETWORKS:
	case FIELD_NETS:
		return add_network(f, text, at);
	case FIELD_GROUPS:
		return add_group(text, at);
	case FIELD_KEYS:
		return add_key(text, at);
	case FIELD_CLOSED:
		return closed_add(text, at);
	default:
		return 0;
	}
}

int field_read(const struct field *f, const char *text, void *object)
{
	void *at = (char *)object + f->offset;

	switch (f->kind) {
	case FIELD_NAME:
		return parse_known_name(text, at);
	case FIELD_NEW_NAME:
		return parse_name(text, at);
	case FIELD_NUMBER:
		return parse_number(text, f->min, f->max, at);
	case FIELD_IF_NUMBER:
		return read_if_number(f, text, at);
	case FIELD_MTU:
		return read_mtu(f, text, at);
	case FIELD_CHOICE:
	case FIELD_IF_CHOICE:
		return parse_choice(text, f->choices, at);
	case FIELD_ON:
	case FIELD_IF_ON:
	case FIELD_IF_OFF:
		return read_on(f, text, at);
	case FIELD_RATE:
		return parse_rate(text, at);
	case FIELD_SIZE:
		return parse_size(text, at);
	case FIELD_LIMIT:
		return parse_limit(text, f->max, at);
	case FIELD_ZONE:
		return read_zone(text, at);
	case FIELD_DOMAIN:
		return parse_domain(text, at);
	case FIELD_LINE:
		return parse_description(text, at);
	case FIELD_DEVICE:
		return read_device(text, at);
	case FIELD_MAC:
		return parse_mac(text, at);
	case FIELD_IP:
		return parse_ip(text, at);
	case FIELD_TARGET:
		return parse_target(text, at);
	case FIELD_WHO:
		return parse_who(text, at);
	case FIELD_PORTS:
		return parse_ports(text, at);
	case FIELD_NAT_PORTS:
		return parse_nat_ports(text, f->min, at);
	case FIELD_TEXT:
		*(const char **)at = text;
		return 0;
	default:
		return read_list(f, text, at);
	}
}

bool field_is_empty(const struct field *f, const void *object)
{
	const void *at = (const char *)object + f->offset;

	switch (f->kind) {
	case FIELD_DEVICES:
		return !((const struct tsw_device_list *)at)->n;
	case FIELD_IPS:
		return !((const struct tsw_addr_list *)at)->n;
	case FIELD_VTEPS:
	case FIELD_SNATS:
	case FIELD_RESOLVERS:
		return pair_is_empty(at);
	case FIELD_NAMES:
		return !((const struct tsw_name_list *)at)->n;
	case FIELD_GROUPS:
		return !((const struct tsw_group_list *)at)->n;
	case FIELD_KEYS:
		return !((const struct tsw_key_list *)at)->n;
	case FIELD_CIDRS:
	case FIELD_NETWORKS:
	case FIELD_NETS:
		return !((const struct tsw_prefix_list *)at)->n;
	case FIELD_NAT_PORTS:
		return !((const struct tsw_port_range *)at)->first;
	default:
		return false;
	}
}

/* ---- comparing -------------------------------------------------------------------- */

static bool same_devices(const struct tsw_device_list *a, const struct tsw_device_list *b)
{
	unsigned int i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->at[i], b->at[i]))
			return false;
	return a->n == b->n;
}

static size_t size_of(const struct field *f)
{
	static const size_t size[] = {
		[FIELD_NAME] = sizeof(struct tsw_name),
		[FIELD_NEW_NAME] = sizeof(struct tsw_name),
		[FIELD_NUMBER] = sizeof(__u32),
		[FIELD_IF_NUMBER] = sizeof(__u32),
		[FIELD_MTU] = sizeof(__u32),
		[FIELD_CHOICE] = sizeof(__u32),
		[FIELD_IF_CHOICE] = sizeof(__u32),
		[FIELD_ON] = sizeof(bool),
		[FIELD_IF_ON] = sizeof(bool),
		[FIELD_IF_OFF] = sizeof(bool),
		[FIELD_RATE] = sizeof(__u64),
		[FIELD_SIZE] = sizeof(__u32),
		[FIELD_LIMIT] = sizeof(__u32),
		[FIELD_ZONE] = sizeof(struct tsw_name),
		[FIELD_DOMAIN] = sizeof(struct tsw_name),
		[FIELD_LINE] = sizeof(struct tsw_description),
		[FIELD_TEXT] = sizeof(const char *),
		[FIELD_DEVICE] = IFNAMSIZ,
		[FIELD_MAC] = sizeof(struct tsw_mac),
		[FIELD_IP] = sizeof(struct tsw_addr),
		[FIELD_TARGET] = sizeof(struct tsw_target),
		[FIELD_WHO] = sizeof(struct tsw_policy_who),
		[FIELD_PORTS] = sizeof(struct tsw_port_range),
		[FIELD_NAT_PORTS] = sizeof(struct tsw_port_range),
		[FIELD_DEVICES] = sizeof(struct tsw_device_list),
		[FIELD_IPS] = sizeof(struct tsw_addr_list),
		[FIELD_VTEPS] = sizeof(struct tsw_addr_pair),
		[FIELD_SNATS] = sizeof(struct tsw_addr_pair),
		[FIELD_RESOLVERS] = sizeof(struct tsw_addr_pair),
		[FIELD_CIDRS] = sizeof(struct tsw_prefix_list),
		[FIELD_NETWORKS] = sizeof(struct tsw_prefix_list),
		[FIELD_NAMES] = sizeof(struct tsw_name_list),
		[FIELD_NETS] = sizeof(struct tsw_prefix_list),
		[FIELD_GROUPS] = sizeof(struct tsw_group_list),
		[FIELD_KEYS] = sizeof(struct tsw_key_list),
		[FIELD_CLOSED] = sizeof(struct tsw_closed_list),
		[FIELD_LATER] = 0,
		[FIELD_FLAG] = 0,
	};

	return size[f->kind];
}

void field_clear(const struct field *f, void *object)
{
	memset((char *)object + f->offset, 0, size_of(f));
}

bool prefixes_equal(const struct tsw_prefix_list *a, const struct tsw_prefix_list *b)
{
	return a->n == b->n && !memcmp(a->at, b->at, a->n * sizeof(a->at[0]));
}

static bool same_addrs(const struct tsw_addr_list *a, const struct tsw_addr_list *b)
{
	return a->n == b->n && !memcmp(a->at, b->at, a->n * sizeof(a->at[0]));
}

static bool same_names(const struct tsw_name_list *a, const struct tsw_name_list *b)
{
	return a->n == b->n && !memcmp(a->at, b->at, a->n * sizeof(a->at[0]));
}

static bool same_groups(const struct tsw_group_list *a, const struct tsw_group_list *b)
{
	return a->n == b->n && !memcmp(a->at, b->at, a->n * sizeof(a->at[0]));
}

static bool same(const struct field *f, const void *a, const void *b)
{
	a = (const char *)a + f->offset;
	b = (const char *)b + f->offset;
	switch (f->kind) {
	case FIELD_DEVICE:
		return !strcmp(a, b);
	case FIELD_TEXT:
		return !strcmp(*(const char *const *)a, *(const char *const *)b);
	case FIELD_DEVICES:
		return same_devices(a, b);
	case FIELD_IPS:
		return same_addrs(a, b);
	case FIELD_NAMES:
		return same_names(a, b);
	case FIELD_GROUPS:
		return same_groups(a, b);
	case FIELD_CIDRS:
	case FIELD_NETWORKS:
	case FIELD_NETS:
		return prefixes_equal(a, b);
	case FIELD_CLOSED:
		return closed_equal(a, b);
	case FIELD_VTEPS:
	case FIELD_SNATS:
	case FIELD_RESOLVERS: /* their order does not count */
		return !memcmp(a, b, sizeof(((struct tsw_addr_pair *)NULL)->of));
	default:
		return !memcmp(a, b, size_of(f));
	}
}

bool fields_equal(const struct field *fields, __u64 mask, const void *a, const void *b)
{
	size_t i;

	for (i = 0; fields[i].key; i++)
		if (mask & FIELD(i) && !same(&fields[i], a, b))
			return false;
	return true;
}

void fields_copy(const struct field *fields, __u64 mask, const void *from, void *to)
{
	size_t i;

	for (i = 0; fields[i].key; i++)
		if (mask & FIELD(i))
			memcpy((char *)to + fields[i].offset, (const char *)from + fields[i].offset,
			       size_of(&fields[i]));
}
