// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/text.h"
#include "cluster/change.h"
#include "record/fields.h"

int change_number(char number[CHANGE_NONCE])
{
	unsigned char random[(CHANGE_NONCE - 1) / 2];
	size_t i;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return fail(errno, "cannot get random octets: %s", strerror(errno));
	for (i = 0; i < sizeof(random); i++)
		snprintf(number + 2 * i, 3, "%02x", random[i]);
	return 0;
}

void change_begin(struct change *c)
{
	memset(c, 0, sizeof(*c));
	c->err = change_number(c->nonce);
}

void change_end(struct change *c)
{
	while (c->n_texts)
		free(c->text[--c->n_texts]);
}

/* Takes TEXT over, to free it at the end. NULL: there was no memory for it. */
static const char *keep(struct change *c, char *text)
{
	if (!text)
		c->err = fail_memory();
	else
		c->text[c->n_texts++] = text;
	return text;
}

/* Is there room behind USED entries? -EINVAL: no, and C->err is set. */
static int room(struct change *c, size_t used)
{
	if (!c->err && used == ETCD_OPS)
		c->err = fail(E2BIG, "a change of more than %d records", ETCD_OPS);
	return c->err ? -EINVAL : 0;
}

/* The texts of CONDITION and STEP belong to C already. */
static void add_condition(struct change *c, struct etcd_if condition, bool is_claim)
{
	if (room(c, c->n_conditions))
		return;
	c->is_claim[c->n_conditions] = is_claim;
	c->condition[c->n_conditions++] = condition;
}

static void add_step(struct change *c, struct etcd_op step)
{
	if (!room(c, c->n_steps))
		c->step[c->n_steps++] = step;
}

static const char *keep_copy(struct change *c, const char *text)
{
	return c->err ? NULL : keep(c, strdup(text));
}

/* Takes VALUE over and writes it at KEY, or deletes KEY if VALUE is NULL. */
static void add(struct change *c, const char *key, char *value, __s64 modified, bool is_claim)
{
	struct etcd_op step = {.kind = value ? ETCD_PUT : ETCD_DELETE};

	if (room(c, c->n_steps)) {
		free(value);
		return;
	}
	step.range.key = keep_copy(c, key);
	if (value)
		step.value = keep(c, value);
	add_condition(c, (struct etcd_if){step.range.key, modified}, is_claim);
	add_step(c, step);
}

/*
 * The value of a claim or a pulse; the caller frees it. The word of a claim is `own`: true, false,
 * or absent. MTU 0 is absent. NULL: TEXT is not UTF-8, or no memory.
 */
static char *value_of(const struct change *c, const char *key, const char *text,
		      enum claim_word word, __u32 mtu)
{
	json_t *json = json_pack("{s:s, s:s}", key, text, "nonce", c->nonce);
	char *value;

	if (word != CLAIM_GIVEN)
		json_object_set_new(json, "own", json_boolean(word == CLAIM_OWN));
	if (mtu)
		json_object_set_new(json, "mtu", json_integer(mtu));
	value = json ? json_dumps(json, JSON_COMPACT) : NULL;
	json_decref(json);
	return value;
}

enum claim_word claim_word(const char *value)
{
	json_t *claim = json_loads(value, 0, NULL);
	const json_t *own = json_object_get(claim, "own");
	const enum claim_word word = json_is_true(own)	  ? CLAIM_OWN
				     : json_is_false(own) ? CLAIM_LEFT
							  : CLAIM_GIVEN;

	json_decref(claim);
	return word;
}

__u32 claim_mtu(const char *value)
{
	json_t *claim = json_loads(value, 0, NULL);
	const json_int_t mtu = json_integer_value(json_object_get(claim, "mtu"));

	json_decref(claim);
	return mtu >= MTU_MIN && mtu <= MTU_MAX ? (__u32)mtu : 0;
}

void change_claim(struct change *c, const char *key, const char *owner, __s64 modified,
		  enum claim_word word)
{
	change_claim_mtu(c, key, owner, modified, word, 0);
}

void change_claim_mtu(struct change *c, const char *key, const char *owner, __s64 modified,
		      enum claim_word word, __u32 mtu)
{
	char *value = value_of(c, "owner", owner, word, mtu);

	if (!value && !c->err)
		c->err = fail(EINVAL, "%s cannot be an owner's name", quoted(owner));
	if (value)
		add(c, key, value, modified, true);
}

void change_share(struct change *c, const char *key, const char *owner, json_t *members,
		  __s64 modified)
{
	json_t *json =
		json_pack("{s:s, s:s, s:o}", "owner", owner, "nonce", c->nonce, "members", members);
	char *value = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	if (value)
		add(c, key, value, modified, true);
	else if (!c->err)
		c->err = fail_memory();
}

json_t *claim_members(const char *value)
{
	json_t *claim = json_loads(value ? value : "", 0, NULL);
	json_t *members = json_incref(json_object_get(claim, "members"));

	json_decref(claim);
	if (json_is_array(members))
		return members;
	json_decref(members);
	return json_array();
}

void change_put(struct change *c, const char *key, const char *value, __s64 modified)
{
	char *copy = strdup(value);

	if (copy)
		add(c, key, copy, modified, false);
	else
		keep(c, NULL);
}

void change_del(struct change *c, const char *key, __s64 modified)
{
	add(c, key, NULL, modified, false);
}

void change_check(struct change *c, const char *key, __s64 modified)
{
	add_condition(c, (struct etcd_if){keep_copy(c, key), modified}, false);
}

void change_unchanged(struct change *c, const char *key, const char *end, __s64 revision)
{
	const char *first = keep_copy(c, key);

	add_condition(c, (struct etcd_if){first, revision, keep_copy(c, end)}, false);
}

void change_empty(struct change *c, const char *key, const char *end)
{
	change_unchanged(c, key, end, 0);
}

void change_write(struct change *c, const char *key, const char *value, __s64 lease)
{
	struct etcd_op step = {.kind = ETCD_PUT, .lease = lease};

	if (room(c, c->n_steps))
		return;
	step.range.key = keep_copy(c, key);
	step.value = keep_copy(c, value);
	add_step(c, step);
}

void change_clear(struct change *c, const char *key, const char *end)
{
	struct etcd_op step = {.kind = ETCD_DELETE};

	if (room(c, c->n_steps))
		return;
	step.range.key = keep_copy(c, key);
	if (end)
		step.range.end = keep_copy(c, end);
	add_step(c, step);
}

void change_pulse(struct change *c, const char *key, const char *by)
{
	char cleanup_free *value = NULL;
	struct etcd_op pulse;
	size_t i;

	for (i = 0; i < c->n_pulses; i++)
		if (!strcmp(c->step[i].range.key, key))
			return;
	value = value_of(c, "by", by, CLAIM_GIVEN, 0);
	change_write(c, key, value ? value : "{}", 0);
	if (c->err)
		return;
	pulse = c->step[c->n_steps - 1];
	memmove(c->step + c->n_pulses + 1, c->step + c->n_pulses,
		(c->n_steps - 1 - c->n_pulses) * sizeof(pulse));
	c->step[c->n_pulses++] = pulse;
}

void claim_read(const char *value, char owner[CHANGE_TEXT], char nonce[CHANGE_NONCE])
{
	json_t *claim = json_loads(value, 0, NULL);
	const char *its = json_string_value(json_object_get(claim, "owner"));
	const char *number = json_string_value(json_object_get(claim, "nonce"));

	snprintf(owner, CHANGE_TEXT, "%s", its && number ? its : "");
	if (nonce)
		snprintf(nonce, CHANGE_NONCE, "%s", number ? number : "");
	json_decref(claim);
}

bool claim_is_of(const char *value, const char *owner)
{
	char its[CHANGE_TEXT];

	claim_read(value, its, NULL);
	return *its && !strcmp(its, owner);
}

static const struct etcd_if *condition_of(const struct change *c, const char *key)
{
	size_t i;

	for (i = 0; i < c->n_conditions; i++)
		if (!c->condition[i].end && !strcmp(c->condition[i].key, key))
			return &c->condition[i];
	return NULL;
}

/* Looks at an entry that exists although C was refused. Keeps the first that should not exist. */
static int look(void *context, const struct etcd_entry *entry)
{
	struct change *c = context;
	const struct etcd_if *condition = condition_of(c, entry->key);
	char owner[CHANGE_TEXT], nonce[CHANGE_NONCE];

	if (!condition || condition->modified == entry->modified)
		return 0;
	claim_read(entry->value, owner, nonce);
	if (c->is_claim[condition - c->condition] && !strcmp(nonce, c->nonce))
		c->ours = true;
	if (condition->modified || *c->key)
		return 0;
	snprintf(c->key, sizeof(c->key), "%s", entry->key);
	memcpy(c->owner, owner, sizeof(c->owner));
	return 0;
}

/* The result if etcd did not execute the steps. */
static int refused(const struct change *c)
{
	if (c->ours)
		return 0;
	if (*c->key)
		return fail(EEXIST, "%s exists already", quoted(c->key));
	return fail(EAGAIN, "the records were changed meanwhile");
}

int change_commit(struct etcd *e, struct change *c, __s64 *revision)
{
	struct etcd_op get[ETCD_OPS];
	struct etcd_txn txn = {
		.conditions = c->condition,
		.then = c->step,
		.otherwise = get,
		.n_conditions = c->n_conditions,
		.n_then = c->n_steps,
		.each = look,
		.context = c,
	};
	size_t i;
	int err;

	if (c->err)
		return c->err;
	/* Ranges are left out, because they may be long. */
	for (i = 0; i < c->n_conditions; i++)
		if (!c->condition[i].end)
			get[txn.n_otherwise++] = (struct etcd_op){.kind = ETCD_GET,
								  .range.key = c->condition[i].key};
	c->ours = false;
	*c->key = *c->owner = '\0';
	err = etcd_commit(e, &txn, revision);
	if (err < 0)
		return err;
	return err ? 0 : refused(c);
}
