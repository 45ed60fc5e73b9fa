// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a container may choose of an endpoint's words. Each word that clients hand on has a row: a
 * new one without a row fails.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h" /* its fail() before cmocka's */
#include "plug/offer.h"

#include <cmocka.h>

/* A value, offers that allow it, and offers that do not. */
static const struct {
	const char *value, *offers[4], *others[4];
} rows[ENDPOINT_END] = {
	[ENDPOINT_SERVER] = {"on", {"on"}, {"off"}},
	[ENDPOINT_XDP] = {"on", {"on"}, {"off"}},
	[ENDPOINT_GROUP] = {"web", {"db", "web"}, {"db", "we", "webs"}},
	[ENDPOINT_VIP] = {"10.0.0.100",
			  {"10.9.0.0/24", "10.0.0.0/24"},
			  {"10.0.0.101/32", "10.0.1.0/24", "fd00::/64"}},
	[ENDPOINT_PREFIX] = {"10.7.1.0/24",
			     {"10.9.0.0/16", "10.7.0.0/16"},
			     {"10.8.0.0/16", "10.7.1.0/25", "fd00::/64"}},
	[ENDPOINT_MACS] = {"4", {"4"}, {"3", "none"}},
};

static bool same(const struct tsw_endpoint_spec *a, const struct tsw_endpoint_spec *b)
{
	return fields_equal(endpoint_fields, OFFER_FIELDS, a, b);
}

static int add_all(struct offering *o, const char *const offer[4])
{
	size_t i;
	int err = 0;

	*o->offers = (struct offers){};
	for (i = 0; !err && i < 4 && offer[i]; i++)
		err = offer_add(o, offer[i]);
	return err;
}

static void each_word(void **state)
{
	const struct tsw_endpoint_spec none = {};
	struct tsw_endpoint_spec spec, given;
	enum endpoint_field field = ENDPOINT_NAME;
	struct offers offers = {};
	__u64 fields = 0;

	(void)state;
	while ((field = offer_next(field)) < ENDPOINT_END) {
		const char *value = rows[field].value, *word = endpoint_fields[field].key;
		struct offering o = {&offers, &spec, &fields, field}, own = o;

		if (!value)
			fail_msg("\"%s\" has no row: add one", word);
		own.spec = &given;
		spec = given = none;
		offers = (struct offers){};
		if (offer_choose(&o, value) != -EPERM || !same(&spec, &none))
			fail_msg("%s: chosen without an offer", word);
		assert_non_null(strstr(failure()->text, "does not let its containers choose"));
		if (add_all(&o, rows[field].others) || offer_choose(&o, value) != -EPERM ||
		    !same(&spec, &none))
			fail_msg("%s: chosen by another offer: %s", word, failure()->text);
		if (offer_give(&own, value) || same(&given, &none))
			fail_msg("%s: the network's own: %s", word, failure()->text);
		if (add_all(&o, rows[field].offers) || offer_choose(&o, value) ||
		    !same(&spec, &given))
			fail_msg("%s: not chosen by its offer: %s", word, failure()->text);
		/* What the network gives needs no offer, and is there once. */
		offers = (struct offers){};
		if (offer_choose(&o, value) || !same(&spec, &given))
			fail_msg("%s: given and chosen: %s", word, failure()->text);
		spec = none;
		if (offer_add(&o, "any") || offer_choose(&o, value) || !same(&spec, &given))
			fail_msg("%s: any: %s", word, failure()->text);
		/* An offer is of its own word alone. */
		offers.at[0].field = field == ENDPOINT_SERVER ? ENDPOINT_XDP : ENDPOINT_SERVER;
		spec = none;
		assert_int_equal(offer_choose(&o, value), -EPERM);
		assert_int_equal(offer_add(&o, ""), -EINVAL);
		assert_int_equal(offer_add(&o, "no such"), -EINVAL);
		assert_int_equal(offer_choose(&o, "no such"), -EINVAL);
		assert_true(fields & FIELD(field));
		assert_int_equal(offer_check("a", FIELD(field), &given, &given), 0);
		assert_int_equal(offer_check("a", FIELD(field), &given, &none), -ENOENT);
		assert_int_equal(offer_check("a", 0, &given, &none), 0);
	}
}

static void too_many(void **state)
{
	struct offers offers = {};
	struct offering o = {.offers = &offers, .field = ENDPOINT_GROUP};
	int i, err = 0;

	(void)state;
	for (i = 0; !err && i < OFFERS; i++)
		err = offer_add(&o, "web");
	assert_int_equal(err, 0);
	assert_int_equal(offer_add(&o, "db"), -EINVAL);
	assert_non_null(strstr(failure()->text, "\"db\" is one group too many"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_word), cmocka_unit_test(too_many)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
