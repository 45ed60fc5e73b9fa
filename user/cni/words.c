// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "cni/cni.h"
#include "plug/json.h"

#define LABEL "tsw."
#define ARG "TSW_"

enum { ARG_MOST = 1024 };

static const char *const words[] = {"tenant", "name", "ip", "mac", "rate-in", "rate-out", "burst"};
enum { WORDS = sizeof(words) / sizeof(*words), WORD_LEN = 16 };

/* ---- known words ------------------------------------------------------------------ */

/* The words above, and behind them those of OFFER_FIELDS. NULL: there are no more. */
static const char *word_at(size_t i)
{
	enum endpoint_field field = ENDPOINT_NAME;

	if (i < WORDS)
		return words[i];
	for (i -= WORDS - 1; i; i--)
		field = offer_next(field);
	return field < ENDPOINT_END ? field_word(&endpoint_fields[field]) : NULL;
}

/* The word as part of a variable, such as RATE_IN. */
static void arg_of(const char *word, char arg[WORD_LEN])
{
	size_t i;

	for (i = 0; word[i] && i < WORD_LEN - 1; i++)
		arg[i] = word[i] == '-' ? '_' : (char)toupper((unsigned char)word[i]);
	arg[i] = '\0';
}

static int check_label(struct cni *c, const void *context, const char *what, const char *key,
		       const json_t *in, const char *at)
{
	const char *word;
	size_t i;

	(void)context, (void)in, (void)at;
	if (strncmp(key, LABEL, strlen(LABEL)))
		return 0;
	for (i = 0; (word = word_at(i)); i++)
		if (!strcmp(key + strlen(LABEL), word))
			return 0;
	misuse("%s %s is unknown; use one of:", what, quoted(key));
	for (i = 0; (word = word_at(i)); i++)
		fail_more("%s " LABEL "%s", i ? "," : "", word);
	return cni_code(c, CNI_BAD_CONFIG, -EINVAL);
}

static int check_arg(struct cni *c, const char *text, size_t len)
{
	char arg[WORD_LEN], name[ARG_MOST];
	const char *word;
	size_t i;

	if (strncmp(text, ARG, strlen(ARG)))
		return 0;
	for (i = 0; (word = word_at(i)); i++) {
		arg_of(word, arg);
		if (len == strlen(ARG) + strlen(arg) &&
		    !strncmp(text + strlen(ARG), arg, strlen(arg)))
			return 0;
	}
	memcpy(name, text, len < ARG_MOST ? len : ARG_MOST - 1);
	name[len < ARG_MOST ? len : ARG_MOST - 1] = '\0';
	misuse("CNI_ARGS: %s is unknown; use one of:", quoted(name));
	for (i = 0; (word = word_at(i)); i++) {
		arg_of(word, arg);
		fail_more("%s " ARG "%s", i ? "," : "", arg);
	}
	return cni_code(c, CNI_BAD_ENV, -EINVAL);
}

/* The value of KEY is AT in the object IN. */
typedef int each_label(struct cni *c, const void *context, const char *what, const char *key,
		       const json_t *in, const char *at);

/*
 * Calls EACH for each label and each annotation. Labels are a convention of the specification:
 * {"args": {"cni": {"labels": [{"key": ..., "value": ...}]}}}.
 */
static int each_of_labels(struct cni *c, each_label *each, const void *context)
{
	json_t *annotations = json_object_get(c->runtime, CNI_ANNOTATIONS);
	const json_t *labels, *item;
	const char *key;
	size_t i;
	int err = cni_list(c, plug_find(plug_find(c->config, "args"), "cni"), "labels", &labels);

	if (err)
		return err;
	json_array_foreach(labels, i, item) {
		err = err ?: cni_text(c, item, "key", &key);
		err = err ?: each(c, context, "label", key ?: "", item, "value");
	}
	json_object_foreach(annotations, key, item) {
		err = err ?: each(c, context, "annotation", key, annotations, key);
	}
	return err;
}

int cni_check_words(struct cni *c)
{
	const char *at;
	int err = each_of_labels(c, check_label, NULL);

	for (at = c->args; !err && *at; at += *at == ';') {
		err = check_arg(c, at, strcspn(at, "=;"));
		at += strcspn(at, ";");
	}
	return err;
}

/* ---- their values ----------------------------------------------------------------- */

struct saying {
	const char *word;
	int (*each)(void *context, const char *value);
	void *context;
};

static int say_label(struct cni *c, const void *context, const char *what, const char *key,
		     const json_t *in, const char *at)
{
	const struct saying *s = context;
	const char *value;
	int err;

	if (strncmp(key, LABEL, strlen(LABEL)) || strcmp(key + strlen(LABEL), s->word))
		return 0;
	err = plug_text(in, at, &value);
	err = err ?: s->each(s->context, value ?: "");
	if (err && !c->code)
		fail_where("%s " LABEL "%s: ", what, s->word);
	return cni_code(c, CNI_BAD_CONFIG, err);
}

static int say_arg(struct cni *c, const struct saying *s)
{
	char key[sizeof(ARG) + WORD_LEN] = ARG, text[ARG_MOST];
	int err;

	arg_of(s->word, key + strlen(ARG));
	err = cni_arg(c, key, text, sizeof(text));
	if (err)
		return err == -ENOENT ? 0 : err;
	err = s->each(s->context, text);
	if (err)
		fail_where("CNI_ARGS: %s: ", key);
	return cni_code(c, CNI_BAD_ENV, err);
}

int cni_each_word(struct cni *c, const char *word, int (*each)(void *context, const char *value),
		  void *context)
{
	const struct saying s = {word, each, context};
	int err = each_of_labels(c, say_label, &s);

	return err ?: say_arg(c, &s);
}
