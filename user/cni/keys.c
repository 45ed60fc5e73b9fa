// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keys that are nearly one of ours are refused, because they are mistakes: a "tenat", or a
 * "hostport" that ends in a second t. Other unknown keys may be a later version's, or another
 * program's: they are told on standard error, which runtimes write to their log.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/text.h"
#include "cni/cni.h"
#include "plug/json.h"

/* Ours, the specification's, and what its library and Multus add. */
static const char *const of_config[] = {"tenant",	"tenantFrom",	 "tenantChoice",
					"instance",	"mtu",		 "device",
					"nameFrom",	"rate-in",	 "rate-out",
					"burst",	"addressChoice", "cniVersion",
					"cniVersions",	"name",		 "type",
					"capabilities", "runtimeConfig", "prevResult",
					"args",		"ipam",		 "dns",
					"ipMasq",	"disableCheck",	 "disableGC",
					"deviceID",	"pciBusID",	 NULL};
static const char *const of_runtime[] = {"portMappings", "bandwidth",	  "dns", "ips",
					 "mac",		 CNI_ANNOTATIONS, NULL};
static const char *const of_port[] = {"hostPort", "containerPort", "protocol", "hostIP", NULL};
static const char *const of_bandwidth[] = {"ingressRate", "ingressBurst", "egressRate",
					   "egressBurst", NULL};
static const char *const of_runtime_dns[] = {"servers", "searches", "options", NULL};
static const char *const of_dns[] = {"nameservers", "domain", "search", "options", NULL};

/* The objects of a configuration. */
static const struct object {
	const char *in, *key;	  /* IN NULL: an object of the configuration itself */
	const char *const *known; /* NULL: any keys */
} objects[] = {
	{NULL, "capabilities", of_runtime},
	{NULL, "runtimeConfig", of_runtime},
	{NULL, "dns", of_dns},
	{NULL, "ipam", NULL},
	{NULL, "args", NULL},
	{"args", "cni", NULL},
	{"runtimeConfig", "bandwidth", of_bandwidth},
	{"runtimeConfig", "dns", of_runtime_dns},
	{"runtimeConfig", CNI_ANNOTATIONS, NULL},
};

static char lower(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? (char)(letter + 'a' - 'A') : letter;
}

/* Do A and B differ by one letter, or by two neighbours that changed places? */
static bool is_near(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	for (; n && m && lower(*a) == lower(*b); n--, m--)
		a++, b++;
	for (; n && m && lower(a[n - 1]) == lower(b[m - 1]); n--, m--)
		;
	return (n <= 1 && m <= 1) ||
	       (n == 2 && m == 2 && lower(a[0]) == lower(b[1]) && lower(a[1]) == lower(b[0]));
}

/* Keys with a domain and comments are certainly not meant for us. */
static bool is_foreign(const char *key)
{
	return *key == '_' || strpbrk(key, "./");
}

static int check_key(struct cni *c, const char *where, const char *key, const char *const *known)
{
	size_t i;

	for (i = 0; known[i]; i++)
		if (!strcasecmp(key, known[i]))
			return 0;
	for (i = 0; known[i]; i++)
		if (is_near(key, known[i]))
			return misuse("%s: key %s is unknown; did you mean \"%s\"?", where,
				      quoted(key), known[i]);
	/* An IPAM plugin reads the same configuration. */
	if (!c->ipam && !is_foreign(key))
		fprintf(stderr, "tsw-cni: network %s: %s: key %s is unknown, and ignored\n",
			quoted(c->network), where, quoted(key));
	return 0;
}

static int check_keys(struct cni *c, const char *where, const json_t *object,
		      const char *const *known)
{
	const json_t *value;
	const char *key;
	int err = 0;

	json_object_foreach((json_t *)object, key, value) {
		err = err ?: check_key(c, where, key, known);
	}
	return err;
}

static int check_ports(struct cni *c)
{
	const json_t *list, *item;
	size_t i;
	int err = plug_list(c->runtime, "portMappings", &list);

	json_array_foreach(list, i, item) {
		err = err ?: check_keys(c, "portMappings", item, of_port);
	}
	return err;
}

/* The values go into the result as they are. */
static int check_texts(const json_t *dns, const char *key)
{
	const json_t *list, *item;
	size_t i;
	int err = plug_list(dns, key, &list);

	json_array_foreach(list, i, item) {
		if (!err && !json_is_string(item))
			err = misuse("%s[%zu] is not a text", key, i);
	}
	return err;
}

static int check_dns(const json_t *dns, const char *const *known)
{
	const char *domain;
	int err = plug_text(dns, "domain", &domain);

	for (; !err && *known; known++)
		if (strcmp(*known, "domain"))
			err = check_texts(dns, *known);
	if (err)
		fail_where("dns: ");
	return err;
}

/* Adds the keys of OFFER_FIELDS to those of a configuration. */
static int check_config(struct cni *c)
{
	enum { OF_CONFIG = sizeof(of_config) / sizeof(*of_config) };
	const char *known[OF_CONFIG + 2 * (size_t)ENDPOINT_END];
	char key[2 * (size_t)ENDPOINT_END][32];
	enum endpoint_field field = ENDPOINT_NAME;
	size_t n = 0, k;

	while ((field = offer_next(field)) < ENDPOINT_END)
		for (k = 0; k < 2; k++, n++) {
			snprintf(key[n], sizeof(key[n]), "%s", cni_offer_key(field, k));
			known[n] = key[n];
		}
	memcpy(known + n, of_config, sizeof(of_config));
	return check_keys(c, "the network's configuration", c->config, known);
}

int cni_check_keys(struct cni *c)
{
	const struct object *o;
	const json_t *in, *object = NULL;
	int err = check_config(c);

	for (o = objects; !err && o < objects + sizeof(objects) / sizeof(*objects); o++) {
		in = o->in ? plug_find(c->config, o->in) : c->config;
		err = plug_object(in, o->key, &object);
		if (!err && o->known)
			err = check_keys(c, o->key, object, o->known);
	}
	err = err ?: check_dns(plug_find(c->config, "dns"), of_dns);
	err = err ?: check_dns(plug_find(c->runtime, "dns"), of_runtime_dns);
	return cni_code(c, CNI_BAD_CONFIG, err ?: check_ports(c));
}
