// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "plug/offer.h"

#define ANY "any"

static const struct field *of(enum endpoint_field field)
{
	return &endpoint_fields[field];
}

enum endpoint_field offer_next(enum endpoint_field field)
{
	while (++field < ENDPOINT_END && !(FIELD(field) & OFFER_FIELDS))
		;
	return field;
}

static bool has_item(const struct field_items *items, const void *item)
{
	__u32 i;

	for (i = 0; i < items->n; i++)
		if (!memcmp(items->at + i * items->size, item, items->size))
			return true;
	return false;
}

/* Does SPEC have the value of ONE, in a list among others? */
static bool has(const struct tsw_endpoint_spec *spec, enum endpoint_field field,
		const struct tsw_endpoint_spec *one)
{
	const struct field_items items = field_items(of(field), spec);

	return items.size ? has_item(&items, field_items(of(field), one).at)
			  : fields_equal(endpoint_fields, FIELD(field), spec, one);
}

static int read_one(enum endpoint_field field, const char *text, struct tsw_endpoint_spec *one)
{
	*one = (struct tsw_endpoint_spec){};
	return field_read(of(field), text, one);
}

int offer_give(void *offering, const char *text)
{
	const struct offering *o = offering;
	struct tsw_endpoint_spec one;
	int err = read_one(o->field, text, &one);

	*o->given |= FIELD(o->field);
	return err || has(o->spec, o->field, &one) ? err : field_read(of(o->field), text, o->spec);
}

/* ---- choices ---------------------------------------------------------------------- */

static bool is_addrs(const struct field *f)
{
	return f->kind == FIELD_IPS || f->kind == FIELD_VIPS;
}

static bool is_nets(const struct field *f)
{
	return is_addrs(f) || f->kind == FIELD_NETWORKS || f->kind == FIELD_NETS;
}

static int check_offer(enum endpoint_field field, const char *text)
{
	struct tsw_endpoint_spec one;
	struct tsw_prefix net;

	if (!strcmp(text, ANY))
		return 0;
	return is_nets(of(field)) ? parse_prefix(text, &net) : read_one(field, text, &one);
}

int offer_add(void *offering, const char *text)
{
	const struct offering *o = offering;
	struct offers *offers = o->offers;
	struct tsw_name *offered;
	int err = check_offer(o->field, text);

	if (err)
		return err;
	if (offers->n == OFFERS)
		return misuse("%s is one %s too many to choose from: with more than %d say any",
			      quoted(text), field_word(of(o->field)), OFFERS);
	offered = &offers->at[offers->n].text;
	offers->at[offers->n++].field = o->field;
	snprintf(offered->s, sizeof(offered->s), "%s", text);
	return 0;
}

/* Is A's value, which is a number, or on or off, at most B's? */
static bool at_most(const struct field *f, const struct tsw_endpoint_spec *a,
		    const struct tsw_endpoint_spec *b)
{
	const void *one = (const char *)a + f->offset, *most = (const char *)b + f->offset;

	if (f->kind == FIELD_IF_ON)
		return *(const bool *)one <= *(const bool *)most;
	return f->kind == FIELD_IF_NUMBER && *(const __u32 *)one <= *(const __u32 *)most;
}

static bool allows(const char *offered, enum endpoint_field field,
		   const struct tsw_endpoint_spec *one)
{
	const void *item = field_items(of(field), one).at;
	const struct tsw_prefix *wanted = item;
	struct tsw_endpoint_spec most;
	struct tsw_prefix net;

	if (!strcmp(offered, ANY))
		return true;
	if (is_nets(of(field))) {
		if (parse_prefix(offered, &net))
			return false;
		return is_addrs(of(field))
			       ? prefix_has(&net, item)
			       : net.len <= wanted->len && prefix_has(&net, &wanted->addr);
	}
	if (read_one(field, offered, &most))
		return false;
	return item ? has(&most, field, one) : at_most(of(field), one, &most);
}

int offer_choose(void *offering, const char *text)
{
	const struct offering *o = offering;
	const struct offers *offers = o->offers;
	struct tsw_endpoint_spec one;
	unsigned int i;
	int err = read_one(o->field, text, &one);

	*o->given |= FIELD(o->field);
	if (err || has(o->spec, o->field, &one))
		return err;
	for (i = 0; i < offers->n; i++)
		if (offers->at[i].field == o->field && allows(offers->at[i].text.s, o->field, &one))
			return field_read(of(o->field), text, o->spec);
	return fail(EPERM, "the network does not let its containers choose %s %s",
		    field_word(of(o->field)), quoted(text));
}

/* ---- what an endpoint has --------------------------------------------------------- */

static const char *item_text(const struct field *f, const void *item)
{
	if (is_addrs(f))
		return addr_text(item);
	return is_nets(f) ? prefix_text(item) : quoted(item);
}

static int check_field(const char *name, enum endpoint_field field,
		       const struct tsw_endpoint_spec *want, const struct tsw_endpoint_spec *got)
{
	const struct field_items items = field_items(of(field), want);
	const struct field_items others = field_items(of(field), got);
	const char *item = items.at;
	__u32 i;

	if (!items.size && !has(got, field, want))
		return fail(ENOENT, "endpoint %s has another value of \"%s\"", quoted(name),
			    field_word(of(field)));
	for (i = 0; i < items.n; i++, item += items.size)
		if (!has_item(&others, item))
			return fail(ENOENT, "endpoint %s has no %s %s", quoted(name),
				    field_word(of(field)), item_text(of(field), item));
	return 0;
}

int offer_check(const char *name, __u64 fields, const struct tsw_endpoint_spec *want,
		const struct tsw_endpoint_spec *got)
{
	enum endpoint_field field = ENDPOINT_NAME;
	int err = 0;

	while (!err && (field = offer_next(field)) < ENDPOINT_END)
		if (FIELD(field) & fields)
			err = check_field(name, field, want, got);
	return err;
}

int offer_split(const char *text, int (*each)(void *context, const char *value), void *context)
{
	char cleanup_free *copy = strdup(text);
	char *value, *rest = copy;
	int err = copy ? 0 : fail_memory();

	while (!err && (value = strsep(&rest, ",")))
		err = each(context, value);
	return err;
}
