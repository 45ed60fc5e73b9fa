// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/near.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/words.h"
#include "watch/watch.h"

enum { EVENTS_MAX = 1000000, SNAP_MIN = 64 }; /* a second; octets */
enum { VALUE_LEN = 256 };
enum { WAIT_MAX = 24 * 3600, PROBE_MAX = 10000 };

static const char *const missings[] = {"fail", "skip", NULL};
const char *const web_listens[] = {"127.0.0.1", "::1", NULL};
static const char *const containers[] = {"change", "keep", NULL};

#define AT(field) offsetof(struct option_words, field)

/* clang-format off */
static const struct field option_fields[] = {
	[OPTION_FORCE]    = {"force", FIELD_ON, AT(force)},
	[OPTION_DRY_RUN]  = {"dry_run", FIELD_ON, AT(dry_run)},
	[OPTION_ENDPOINTS] = {"endpoints", FIELD_ON, AT(endpoints)},
	[OPTION_TENANT]   = {"tenant", FIELD_NAME, AT(tenant)},
	[OPTION_DROPS]    = {"drops", FIELD_FLAG},
	[OPTION_POLICIES] = {"policies", FIELD_FLAG},
	[OPTION_COUNT]    = {"count", FIELD_NUMBER, AT(count), .min = 1, .max = UINT32_MAX},
	[OPTION_RATE]     = {"rate", FIELD_NUMBER, AT(rate), .min = 1, .max = EVENTS_MAX},
	[OPTION_ENDPOINT] = {"endpoint", FIELD_NAME, AT(endpoint)},
	[OPTION_SNAPLEN]  = {"snaplen", FIELD_NUMBER, AT(snaplen), .min = SNAP_MIN, .max = WATCH_SNAP_MAX},
	[OPTION_WRITE]    = {"write", FIELD_TEXT, AT(write)},
	[OPTION_TENANTS]  = {"tenants", FIELD_ON, AT(tenants)},
	[OPTION_INTERVAL] = {"interval", FIELD_NUMBER, AT(interval), .min = 1, .max = 3600},
	[OPTION_KNOWN]    = {"known", FIELD_TEXT, AT(known)},
	[OPTION_NAME]     = {"name", FIELD_NEW_NAME, AT(name)},
	[OPTION_WAIT]     = {"wait", FIELD_NUMBER, AT(wait), .max = WAIT_MAX},
	[OPTION_MISSING]  = {"missing", FIELD_CHOICE, AT(missing), .choices = missings},
	[OPTION_CONTAINERS] = {"containers", FIELD_CHOICE, AT(containers), .choices = containers},
	[OPTION_CENTRAL]  = {"central", FIELD_FLAG},
	[OPTION_SPREAD]   = {"spread", FIELD_FLAG},
	[OPTION_HOST]     = {"host", FIELD_LATER},
	[OPTION_WEIGHT]   = {"weight", FIELD_LATER},
	[OPTION_LOAD]     = {"load", FIELD_LATER},
	[OPTION_DRAIN]    = {"drain", FIELD_NUMBER, AT(drain), .max = DRAIN_MAX},
	[OPTION_APPLY]    = {"--apply", FIELD_FLAG},
	[OPTION_ONCE]     = {"once", FIELD_ON, AT(once)},
	[OPTION_PROBE]    = {"probe", FIELD_NUMBER, AT(probe), .max = PROBE_MAX},
	[OPTION_HOLD]     = {"hold", FIELD_NUMBER, AT(hold), .max = DRAIN_MAX},
	[OPTION_SYNC]     = {"sync", FIELD_ON, AT(sync)},
	[OPTION_TIMEOUT]  = {"timeout", FIELD_NUMBER, AT(timeout), .min = 1, .max = WAIT_MAX},
	[OPTION_TOP]      = {"top", FIELD_NUMBER, AT(top), .min = 1, .max = UINT32_MAX},
	[OPTION_TO]       = {"to", FIELD_TARGET, AT(to),
		.help = "IP:PORT or [IPv6]:PORT, of a collector"},
	[OPTION_EVERY]    = {"every", FIELD_NUMBER, AT(every), .min = 1, .max = WAIT_MAX,
		.help = "seconds; without it once"},
	[OPTION_DOMAIN]   = {"domain", FIELD_NUMBER, AT(domain), .min = 1, .max = UINT32_MAX,
		.help = "observation domain, by which a collector tells exporters apart; default 1"},
	[OPTION_LISTEN]   = {"listen", FIELD_CHOICE, AT(listen), .choices = web_listens},
	[OPTION_PORT]     = {"port", FIELD_NUMBER, AT(port), .min = 1, .max = 65535},
	[OPTION_SOCKET]   = {"socket", FIELD_TEXT, AT(socket)},
	{},
};

#undef AT
#define AT(field) offsetof(struct join_words, field)

static const struct field join_fields[] = {
	[JOIN_ETCD] = {"etcd", FIELD_TEXT, AT(etcd)},
	[JOIN_NAME] = {"name", FIELD_NEW_NAME, AT(name)},
	[JOIN_CA]   = {"ca", FIELD_TEXT, AT(ca)},
	[JOIN_CERT] = {"cert", FIELD_TEXT, AT(cert)},
	[JOIN_KEY]  = {"key", FIELD_TEXT, AT(key)},
	[JOIN_USER] = {"user", FIELD_TEXT, AT(user)},
	[JOIN_PASSWORD_FILE] = {"password_file", FIELD_TEXT, AT(password_file)},
	{},
};
/* clang-format on */

const struct vocabulary switch_words = {switch_fields, offsetof(struct words, up)};
const struct vocabulary host_words = {host_fields, offsetof(struct words, host)};
const struct vocabulary tenant_words = {tenant_fields, offsetof(struct words, tenant)};
const struct vocabulary endpoint_words = {endpoint_fields, offsetof(struct words, endpoint)};
const struct vocabulary gateway_words = {gateway_fields, offsetof(struct words, gateway)};
const struct vocabulary policy_words = {policy_fields, offsetof(struct words, policy)};
const struct vocabulary publish_words = {publish_fields, offsetof(struct words, publish)};
const struct vocabulary peer_words = {peer_fields, offsetof(struct words, peer)};
const struct vocabulary trace_words = {trace_fields, offsetof(struct words, trace)};
const struct vocabulary option_words = {option_fields, offsetof(struct words, option)};
const struct vocabulary join_words = {join_fields, offsetof(struct words, join)};

/* The word's index in the table, or -1. */
static int find(const char *word, const struct vocabulary *v, __u64 takes)
{
	int i;

	for (i = 0; v->fields[i].key; i++)
		if (takes & FIELD(i) && field_is_word(&v->fields[i], word))
			return i;
	return -1;
}

bool words_is_flag(const char *word, const struct vocabulary *v, __u64 takes)
{
	const int i = find(word, v, takes);

	return i >= 0 && v->fields[i].kind == FIELD_FLAG;
}

/* In `from group web` the first word of the value says its kind. */
static bool has_kind(const char *word)
{
	return word && (!strcmp(word, "group") || !strcmp(word, "cidr"));
}

/* `dhcp relay IP` is `dhcp on dhcp-relay IP`: the index of `dhcp-relay`, or -1. */
static int find_second(const char *key, const char *next, const struct vocabulary *v, __u64 takes)
{
	const int i = find(key, v, takes);
	char both[VALUE_LEN];

	if (i < 0 || v->fields[i].kind != FIELD_IF_ON || !next)
		return -1;
	snprintf(both, sizeof(both), "%s-%s", key, next);
	return find(both, v, takes);
}

int words_values(const char *key, const char *next, const struct vocabulary *v, __u64 takes)
{
	const int i = find(key, v, takes);

	if (i < 0)
		return -1;
	if (v->fields[i].kind == FIELD_FLAG)
		return 0;
	if (find_second(key, next, v, takes) >= 0)
		return 2;
	return v->fields[i].kind == FIELD_WHO && has_kind(next) ? 2 : 1;
}

int words_width(char *const *word, const struct vocabulary *v, __u64 takes)
{
	const int i = find(*word, v, takes);
	int n = 1 + (i < 0 ? 1 : words_values(*word, word[1], v, takes));

	if (n == 1 || !word[1])
		return 1;
	if (n == 3 && !word[2])
		return 2;
	/* A list of groups ends at the next key. */
	if (i >= 0 && v->fields[i].kind == FIELD_GROUPS)
		while (word[n] && find(word[n], v, takes) < 0)
			n++;
	return n;
}

/* Kinds that may be empty, by the word `none`. */
static bool takes_none(const struct field *f)
{
	return f->kind == FIELD_IPS || f->kind == FIELD_SNATS || f->kind == FIELD_RESOLVERS ||
	       f->kind == FIELD_NETS || f->kind == FIELD_GROUPS || f->kind == FIELD_KEYS ||
	       f->kind == FIELD_VIPS;
}

/* Refuses `none` beside other values. OTHERS: the list has some already. */
static int read_none(const struct field *f, bool none, bool again, bool others)
{
	if (!takes_none(f) || !again || (!none && others))
		return 0;
	return misuse("\"none\" stands alone, without other %s",
		      f->kind == FIELD_NETS	? "networks"
		      : f->kind == FIELD_GROUPS ? "groups"
		      : f->kind == FIELD_KEYS	? "keys"
						: "addresses");
}

static int read_auto(const struct field *f, struct words *w)
{
	if (w->automatic & f->automatic)
		return misuse("\"auto\" is given twice for \"%s\"", field_word(f));
	w->automatic |= f->automatic;
	return 0;
}

static int read_value(const struct field *f, const char *text, bool again, struct words *w,
		      void *object)
{
	const bool none = takes_none(f) && !strcmp(text, "none");
	int err;

	if (again && !field_is_list(f))
		return misuse("\"%s\" is given twice", field_word(f));
	err = read_none(f, none, again, w->automatic & f->automatic || !field_is_empty(f, object));
	if (err || none)
		return err;
	if (f->automatic && !strcmp(text, "auto"))
		return read_auto(f, w);
	err = field_read(f, text, object);
	if (err && f->automatic)
		fail_more(" (or auto)");
	return err;
}

/* Reads N words, the first of which is the key. */
static int read_values(const struct field *f, char *const *word, int n, bool again, struct words *w)
{
	void *object = (char *)w + w->at;
	char text[VALUE_LEN];
	int i, err = 0;

	if (n == 1)
		return read_value(f, "", again, w, object);
	if (f->kind == FIELD_WHO && n == 3) {
		snprintf(text, sizeof(text), "%s:%s", word[1], word[2]);
		return read_value(f, text, again, w, object);
	}
	for (i = 1; !err && i < n; i++)
		err = read_value(f, word[i], again || i > 1, w, object);
	return err;
}

static int misuse_word(const char *word, const struct vocabulary *v, __u64 takes, struct words *w)
{
	struct near near = {.word = word};
	int i;

	if (option_is(word))
		return misuse("unknown word %s: options stand on the command line", quoted(word));
	for (i = 0; v->fields[i].key; i++)
		if (takes & FIELD(i))
			near_look(&near, field_word(&v->fields[i]));
	misuse("unknown word %s", quoted(word));
	near_tell(&near);
	w->unlike = !*near.best;
	return -failure()->code;
}

int words_read(char *const *word, const struct vocabulary *v, __u64 takes, struct words *w)
{
	const struct field *f;
	int i, n, second, err;

	w->all = word;
	w->at = v->at;
	for (; *word; word += n) {
		i = find(*word, v, takes);
		if (i < 0)
			return misuse_word(*word, v, takes, w);
		if (w->given & FIELD(i) && v->fields[i].again & takes)
			i = __builtin_ctzll(v->fields[i].again);
		f = &v->fields[i];
		n = words_width(word, v, takes);
		if (n < words_values(*word, word[1], v, takes) + 1) {
			w->lacks = f;
			return misuse("%s needs a value", quoted(word[n - 1]));
		}
		second = find_second(*word, word[1], v, takes);
		if (second >= 0) {
			err = read_value(f, "on", w->given & FIELD(i), w, (char *)w + w->at);
			if (err)
				return err;
			w->given |= FIELD(i);
			i = second;
			f = &v->fields[i];
			word++, n--;
		}
		err = read_values(f, word, n, w->given & FIELD(i), w);
		if (err)
			return err;
		w->given |= FIELD(i);
	}
	return 0;
}

/* The kinds in the JSON of `help`. "list" there says whether a word may be repeated. */
static const char *const kinds[] = {
	[FIELD_NAME] = "name",	      [FIELD_NEW_NAME] = "name", [FIELD_NUMBER] = "number",
	[FIELD_MTU] = "number",	      [FIELD_CHOICE] = "choice", [FIELD_ON] = "choice",
	[FIELD_IF_ON] = "choice",     [FIELD_RATE] = "rate",	 [FIELD_SIZE] = "size",
	[FIELD_LIMIT] = "limit",      [FIELD_TEXT] = "text",	 [FIELD_DEVICE] = "device",
	[FIELD_MAC] = "mac",	      [FIELD_IP] = "ip",	 [FIELD_TARGET] = "target",
	[FIELD_DEVICES] = "device",   [FIELD_IPS] = "ip",	 [FIELD_VTEPS] = "ip",
	[FIELD_SNATS] = "ip",	      [FIELD_CIDRS] = "cidr",	 [FIELD_NETWORKS] = "cidr",
	[FIELD_NETS] = "cidr",	      [FIELD_LATER] = "text",	 [FIELD_LINE] = "text",
	[FIELD_FILE] = "text",	      [FIELD_FLAG] = "flag",	 [FIELD_DOMAIN] = "domain",
	[FIELD_RESOLVERS] = "ip",     [FIELD_NAMES] = "name",	 [FIELD_ZONE] = "name",
	[FIELD_IF_OFF] = "choice",    [FIELD_WHO] = "who",	 [FIELD_PORTS] = "ports",
	[FIELD_IF_CHOICE] = "choice", [FIELD_GROUPS] = "group",	 [FIELD_IF_NUMBER] = "number",
	[FIELD_VIPS] = "ip",	      [FIELD_KEYS] = "key",	 [FIELD_NAT_PORTS] = "ports",
	[FIELD_CLOSED] = "cidr",
};

static json_t *choices_json(const struct field *f)
{
	const bool on = f->kind == FIELD_ON || f->kind == FIELD_IF_ON || f->kind == FIELD_IF_OFF;
	json_t *list = on ? json_pack("[s, s]", "off", "on") : json_array();
	size_t i;

	for (i = 0; f->choices && f->choices[i]; i++)
		json_array_append_new(list, json_string(f->choices[i]));
	return list;
}

static json_t *key_json(const struct field *f, bool needed)
{
	json_t *json = json_pack("{s:s, s:s, s:b, s:b}", "key", field_word(f), "kind",
				 kinds[f->kind], "needed", needed, "list", field_is_list(f));
	json_t *choices = choices_json(f);

	if (json_array_size(choices))
		json_object_set(json, "choices", choices);
	json_decref(choices);
	if (f->automatic)
		json_object_set_new(json, "auto", json_true());
	if (f->max) {
		json_object_set_new(json, "min", json_integer(f->min));
		json_object_set_new(json, "max", json_integer(f->max));
	}
	return json;
}

json_t *words_json(const struct vocabulary *v, __u64 takes, __u64 needs)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; v->fields[i].key; i++)
		if (takes & FIELD(i))
			json_array_append_new(list, key_json(&v->fields[i], needs & FIELD(i)));
	return list;
}
