// SPDX-License-Identifier: GPL-2.0-only
/*
 * The endpoint's groups, and its other fields in the words of the switch: the network's own, and a
 * container's choice among those that the network offers.
 */
#include <stdio.h>

#include "base/err.h"
#include "cni/want.h"
#include "plug/json.h"

const char *cni_offer_key(enum endpoint_field field, bool choice)
{
	static char key[32];
	const char *word = field_word(&endpoint_fields[field]);

	if (choice)
		snprintf(key, sizeof(key), "%sChoice", word);
	else
		snprintf(key, sizeof(key), "%s%s", word, field == ENDPOINT_GROUP ? "s" : "");
	return key;
}

static int choose_all(void *context, const char *texts)
{
	return offer_split(texts, offer_choose, context);
}

/* A list or its texts; of what is no list also a number, true or false. */
static int each_value(struct cni *c, enum endpoint_field field, bool choice,
		      int (*each)(void *context, const char *text), void *context)
{
	const char *key = cni_offer_key(field, choice);
	const json_t *value = plug_find(c->config, key);
	char text[24];
	int err;

	if (field_is_list(&endpoint_fields[field]) ||
	    !(json_is_boolean(value) || json_is_integer(value)))
		return cni_each_name(c, key, each, context);
	snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(value));
	err = each(context, json_is_integer(value) ? text : json_is_true(value) ? "on" : "off");
	if (err)
		fail_where("%s: ", key);
	return cni_code(c, CNI_BAD_CONFIG, err);
}

int want_offers(struct cni *c, struct want *want)
{
	struct offers offers = {};
	struct offering r = {&offers, &want->spec, &want->given, ENDPOINT_NAME};
	int err = 0;

	while (!err && (r.field = offer_next(r.field)) < ENDPOINT_END) {
		err = each_value(c, r.field, false, offer_give, &r);
		err = err ?: each_value(c, r.field, true, offer_add, &r);
		err = err
			      ?: cni_each_word(c, field_word(&endpoint_fields[r.field]), choose_all,
					       &r);
	}
	return err;
}
