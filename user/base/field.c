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

/* A list has its items after their number. */
#define LIST(type, ...)                                                                         \
	{                                                                                       \
		sizeof(type), sizeof(((type *)NULL)->at[0]),                                    \
			sizeof(((type *)NULL)->at) / sizeof(((type *)NULL)->at[0]), __VA_ARGS__ \
	}

/* What the structure holds for each kind; of a list also an item's name, and who has how many. */
static const struct {
	size_t size, item;
	__u32 most;
	const char *noun, *room;
} about[] = {
	[FIELD_NAME] = {sizeof(struct tsw_name)},
	[FIELD_NEW_NAME] = {sizeof(struct tsw_name)},
	[FIELD_NUMBER] = {sizeof(__u32)},
	[FIELD_IF_NUMBER] = {sizeof(__u32)},
	[FIELD_MTU] = {sizeof(__u32)},
	[FIELD_CHOICE] = {sizeof(__u32)},
	[FIELD_IF_CHOICE] = {sizeof(__u32)},
	[FIELD_ON] = {sizeof(bool)},
	[FIELD_IF_ON] = {sizeof(bool)},
	[FIELD_IF_OFF] = {sizeof(bool)},
	[FIELD_RATE] = {sizeof(__u64)},
	[FIELD_SIZE] = {sizeof(__u32)},
	[FIELD_LIMIT] = {sizeof(__u32)},
	[FIELD_ZONE] = {sizeof(struct tsw_name)},
	[FIELD_DOMAIN] = {sizeof(struct tsw_name)},
	[FIELD_LINE] = {sizeof(struct tsw_description)},
	[FIELD_FILE] = {sizeof(struct tsw_boot_file)},
	[FIELD_TEXT] = {sizeof(const char *)},
	[FIELD_DEVICE] = {IFNAMSIZ},
	[FIELD_MAC] = {sizeof(struct tsw_mac)},
	[FIELD_IP] = {sizeof(struct tsw_addr)},
	[FIELD_TARGET] = {sizeof(struct tsw_target)},
	[FIELD_WHO] = {sizeof(struct tsw_policy_who)},
	[FIELD_PORTS] = {sizeof(struct tsw_port_range)},
	[FIELD_NAT_PORTS] = {sizeof(struct tsw_port_range)},
	[FIELD_DEVICES] = LIST(struct tsw_device_list, "device", "the underlay has at most"),
	[FIELD_IPS] = LIST(struct tsw_addr_list, "address", "at most"),
	[FIELD_VTEPS] = {sizeof(struct tsw_addr_pair)},
	[FIELD_SNATS] = {sizeof(struct tsw_addr_pair)},
	[FIELD_RESOLVERS] = {sizeof(struct tsw_addr_pair)},
	[FIELD_CIDRS] = LIST(struct tsw_prefix_list, "address", "a gateway has at most"),
	[FIELD_NETWORKS] = LIST(struct tsw_prefix_list, "prefix", "at most"),
	[FIELD_NAMES] = LIST(struct tsw_name_list, "host", "\"backup\" takes at most"),
	[FIELD_NETS] = LIST(struct tsw_prefix_list, "prefix", "at most"),
	[FIELD_GROUPS] = LIST(struct tsw_group_list, "group", "an endpoint can be in"),
	[FIELD_VIPS] = LIST(struct tsw_vip_list, "address", "an endpoint has at most"),
	[FIELD_KEYS] = LIST(struct tsw_key_list, "key", "a host has at most"),
	[FIELD_CLOSED] = {sizeof(struct tsw_closed_list)},
	[FIELD_LATER] = {0},
	[FIELD_FLAG] = {0},
};

_Static_assert(offsetof(struct tsw_prefix_list, at) == sizeof(__u32) &&
		       offsetof(struct tsw_addr_list, at) == sizeof(__u32) &&
		       offsetof(struct tsw_vip_list, at) == sizeof(__u32) &&
		       offsetof(struct tsw_key_list, at) == sizeof(__u32),
	       "the items follow their number");

struct field_items field_items(const struct field *f, const void *object)
{
	const __u32 *list = (const void *)((const char *)object + f->offset);
	struct field_items items = {.most = about[f->kind].most, .size = about[f->kind].item};

	if (items.size) {
		items.n = *list;
		items.at = (const char *)(list + 1);
	}
	return items;
}

bool field_is_list(const struct field *f)
{
	return f->kind >= FIELD_FIRST_LIST && f->kind <= FIELD_LATER;
}

bool field_is_word(const struct field *f, const char *word)
{
	const char *key = f->key;

	for (; *key && *word == (*key == '_' ? '-' : *key); key++)
		word++;
	return !*key && !*word;
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
	memset(to, 0, IFNAMSIZ);
	memcpy(to, text, len);
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

static int read_item(const struct field *f, const char *text, void *item)
{
	switch (f->kind) {
	case FIELD_DEVICES:
		return read_device(text, item);
	case FIELD_IPS:
	case FIELD_VIPS:
		return parse_own_ip(text, item);
	case FIELD_CIDRS:
		return parse_interface(text, item);
	case FIELD_NETWORKS:
		return parse_network(text, item);
	case FIELD_NETS:
		return parse_subnet(text, item);
	case FIELD_NAMES:
		return parse_known_name(text, item);
	case FIELD_GROUPS:
		return parse_group(text, item);
	default:
		return parse_key(text, item);
	}
}

/*
 * Refuses an item that contradicts another one of the list. The second key replaces the first
 * during a rekey; their parities tell them apart.
 */
static int compare_items(const struct field *f, const char *text, const void *a, const void *b)
{
	switch (f->kind) {
	case FIELD_NAMES:
		return 0;
	case FIELD_NETWORKS:
	case FIELD_NETS:
		return prefix_overlap(a, b) ? misuse("%s overlaps %s, which is given too",
						     quoted(text), prefix_text(a))
					    : 0;
	case FIELD_KEYS:
		return TSW_CRYPT_PARITY((const __u8 *)a) == TSW_CRYPT_PARITY((const __u8 *)b)
			       ? misuse("%s cannot be a second key: give one that `switch rekey` "
					"made on that host",
					quoted(text))
			       : 0;
	case FIELD_CIDRS: /* of one address */
		return addr_equal(a, b) ? misuse("address %s is given twice", quoted(text)) : 0;
	default:
		return memcmp(a, b, about[f->kind].item)
			       ? 0
			       : misuse("%s %s is given twice", about[f->kind].noun, quoted(text));
	}
}

/* Groups are sorted by name, whatever the order of the words. */
static void sort_last(struct tsw_group_list *list)
{
	const struct tsw_name last = list->at[list->n - 1];
	__u32 i;

	for (i = list->n - 1; i && strcmp(list->at[i - 1].s, last.s) > 0; i--)
		list->at[i] = list->at[i - 1];
	list->at[i] = last;
}

static int add_item(const struct field *f, const char *text, void *object)
{
	const struct field_items items = field_items(f, object);
	void *list = (char *)object + f->offset;
	void *item = (void *)(items.at + items.n * items.size);
	__u32 i;
	int err;

	if (items.n == items.most)
		return misuse("%s is one %s too many: %s %u", quoted(text), about[f->kind].noun,
			      about[f->kind].room, items.most);
	err = read_item(f, text, item);
	for (i = 0; !err && i < items.n; i++)
		err = compare_items(f, text, items.at + i * items.size, item);
	if (err)
		return err;
	++*(__u32 *)list;
	if (f->kind == FIELD_GROUPS)
		sort_last(list);
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

static int read_on(const char *text, bool *set)
{
	__u32 value;
	int err = parse_choice(text, off_on, &value);

	if (!err)
		*set = value;
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

static int read_text(const struct field *f, const char *text, void *to)
{
	if (f->kind == FIELD_LINE)
		return parse_description(text, to);
	if (f->kind == FIELD_FILE)
		return parse_boot_file(text, to);
	*(const char **)to = text;
	return 0;
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
		return read_on(text, at);
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
	case FIELD_FILE:
	case FIELD_TEXT:
		return read_text(f, text, at);
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
	case FIELD_VTEPS:
	case FIELD_SNATS:
	case FIELD_RESOLVERS:
		return add_to_pair(f, text, at);
	case FIELD_CLOSED:
		return closed_add(text, at);
	default:
		return about[f->kind].item ? add_item(f, text, object) : 0;
	}
}

bool field_is_empty(const struct field *f, const void *object)
{
	const struct field_items items = field_items(f, object);
	const void *at = (const char *)object + f->offset;

	if (items.size)
		return !items.n;
	switch (f->kind) {
	case FIELD_VTEPS:
	case FIELD_SNATS:
	case FIELD_RESOLVERS:
		return pair_is_empty(at);
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

void field_clear(const struct field *f, void *object)
{
	memset((char *)object + f->offset, 0, about[f->kind].size);
}

static bool same(const struct field *f, const void *a, const void *b)
{
	const struct field_items items = field_items(f, a), others = field_items(f, b);

	a = (const char *)a + f->offset;
	b = (const char *)b + f->offset;
	switch (f->kind) {
	case FIELD_DEVICE:
		return !strcmp(a, b);
	case FIELD_TEXT:
		return !strcmp(*(const char *const *)a, *(const char *const *)b);
	case FIELD_DEVICES:
		return same_devices(a, b);
	case FIELD_CLOSED:
		return closed_equal(a, b);
	case FIELD_VTEPS:
	case FIELD_SNATS:
	case FIELD_RESOLVERS: /* their order does not count */
		return !memcmp(a, b, sizeof(((struct tsw_addr_pair *)NULL)->of));
	default:
		if (items.size)
			return items.n == others.n &&
			       !memcmp(items.at, others.at, items.n * items.size);
		return !memcmp(a, b, about[f->kind].size);
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
			       about[fields[i].kind].size);
}
