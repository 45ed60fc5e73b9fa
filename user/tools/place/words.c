// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "cmd/cmd.h"
#include "tools/place/first.h"
#include "tools/place/words.h"

static bool is_flag(const char *word)
{
	return words_is_flag(word, &option_words,
			     FIELD(OPTION_CENTRAL) | FIELD(OPTION_SPREAD) | FIELD(OPTION_APPLY));
}

const char *place_value(char *const **at, const char *key)
{
	char *const *word;

	while (**at) {
		word = *at;
		*at += is_flag(*word) ? 1 : 2;
		if (!is_flag(*word) && !strcmp(*word, key))
			return word[1];
	}
	return NULL;
}

bool place_is_weight(char *const *at)
{
	return *at && !strcmp(*at, "weight");
}

static int check_hosts(const struct words *w, unsigned int *hosts, unsigned int *weights)
{
	char *const *at = w->all;
	struct tsw_name name;
	const char *text;
	__u32 weight;
	int err;

	while ((text = place_value(&at, "host"))) {
		err = parse_known_name(text, &name);
		if (!err && place_is_weight(at)) {
			err = parse_number(at[1], 1, PLACE_WEIGHT_MAX, &weight);
			*weights += 1;
		}
		if (err)
			return err;
		*hosts += 1;
	}
	return 0;
}

int fit_gateway_place(struct words *w)
{
	unsigned int hosts = 0, behind = 0, weights = 0;
	char *const *at = w->all;
	int err = check_hosts(w, &hosts, &behind);

	if (err)
		return err;
	while (place_value(&at, "weight"))
		weights++;
	if (weights != behind)
		return misuse("\"weight\" must stand right behind the \"host\" it is of");
	if (!(w->given & FIELD(OPTION_CENTRAL)) == !(w->given & FIELD(OPTION_SPREAD)))
		return misuse("either central or spread is needed");
	if (w->given & FIELD(OPTION_CENTRAL) &&
	    (hosts != 1 || w->given & (FIELD(OPTION_WEIGHT) | FIELD(OPTION_LOAD))))
		return misuse("central needs one \"host\", and neither \"weight\" nor \"load\"");
	return 0;
}
