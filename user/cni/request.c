// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "cni/cni.h"
#include "plug/json.h"

enum { CONFIG_MOST = 1 << 20 };

const char *const cni_versions[] = {"0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0", NULL};

int cni_code(struct cni *c, enum cni_code code, int err)
{
	if (err && !c->code)
		c->code = code;
	return err;
}

/* ---- JSON ------------------------------------------------------------------------- */

int cni_text(struct cni *c, const json_t *object, const char *key, const char **value)
{
	return cni_code(c, CNI_BAD_CONFIG, plug_text(object, key, value));
}

int cni_number(struct cni *c, const json_t *object, const char *key, json_int_t *value)
{
	return cni_code(c, CNI_BAD_CONFIG, plug_number(object, key, value));
}

int cni_list(struct cni *c, const json_t *object, const char *key, const json_t **value)
{
	return cni_code(c, CNI_BAD_CONFIG, plug_list(object, key, value));
}

int cni_each_name(struct cni *c, const char *key, int (*each)(void *context, const char *name),
		  void *context)
{
	const json_t *value = plug_find(c->config, key), *item;
	const char *text = json_string_value(value);
	size_t i;
	int err = text || !value ? 0 : cni_list(c, c->config, key, &value);

	if (text)
		err = each(context, text);
	json_array_foreach(value, i, item) {
		err = err ?: each(context, json_string_value(item) ?: "");
	}
	if (err && !c->code)
		fail_where("%s: ", key);
	return cni_code(c, CNI_BAD_CONFIG, err);
}

/* ---- the environment -------------------------------------------------------------- */

static const char *env(const char *name)
{
	return getenv(name) ?: "";
}

/* As in the specification: a letter or digit, then also "_", "." and "-". */
static bool is_identifier(const char *text)
{
	return isalnum((unsigned char)*text) &&
	       !text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")];
}

/* A device's name that can also be part of an endpoint's name. */
static bool is_ifname(const char *text)
{
	const char *at;

	for (at = text; *at; at++)
		if (*at <= ' ' || *at > '~' || *at == '/' || *at == ':')
			return false;
	return *text && at - text < IFNAMSIZ && strcmp(text, ".") && strcmp(text, "..");
}

enum { CONTAINER_MOST = 128 }; /* characters that fit into a device's alias */

static int check_env(struct cni *c)
{
	const bool adds = !strcmp(c->command, "ADD"), checks = !strcmp(c->command, "CHECK");

	if (!adds && !checks && strcmp(c->command, "DEL"))
		return 0;
	if (!is_identifier(c->container))
		return misuse("CNI_CONTAINERID: %s is not a container's id", quoted(c->container));
	if (adds && strlen(c->container) > CONTAINER_MOST)
		return misuse("CNI_CONTAINERID: %s has more than %d characters",
			      quoted(c->container), CONTAINER_MOST);
	if (!is_ifname(c->ifname))
		return misuse("CNI_IFNAME: %s is not a device's name", quoted(c->ifname));
	if ((adds || checks) && !strchr(c->netns, '/'))
		return misuse("CNI_NETNS: %s is not the path of a network namespace",
			      quoted(c->netns));
	return 0;
}

int cni_arg(struct cni *c, const char *key, char *value, size_t room)
{
	const size_t len = strlen(key);
	const char *at, *end;

	for (at = c->args; *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, ";");
		if (strncmp(at, key, len) || at[len] != '=')
			continue;
		at += len + 1;
		if ((size_t)(end - at) >= room)
			return cni_code(c, CNI_BAD_ENV,
					misuse("CNI_ARGS: %s is too long", quoted(key)));
		memcpy(value, at, (size_t)(end - at));
		value[end - at] = '\0';
		return end > at ? 0 : -ENOENT;
	}
	return -ENOENT;
}

/* ---- the configuration ------------------------------------------------------------ */

static int read_input(struct cni *c)
{
	size_t n = 0;
	ssize_t got;

	c->text = malloc(CONFIG_MOST + 1);
	if (!c->text)
		return fail_memory();
	while ((got = read(STDIN_FILENO, c->text + n, CONFIG_MOST - n)) > 0)
		n += (size_t)got;
	c->text[n] = '\0';
	if (got < 0)
		return cni_code(c, CNI_IO,
				fail(errno, "cannot read the configuration: %s", strerror(errno)));
	if (n == CONFIG_MOST)
		return cni_code(c, CNI_BAD_CONFIG,
				fail(E2BIG, "the configuration has more than %d octets",
				     CONFIG_MOST - 1));
	return 0;
}

static int parse_input(struct cni *c)
{
	json_error_t why;

	c->config = json_loads(c->text, 0, &why);
	if (!c->config)
		return cni_code(c, CNI_NO_JSON,
				misuse("the configuration is not JSON: line %d: %s", why.line,
				       escaped(why.text)));
	return json_is_object(c->config)
		       ? 0
		       : cni_code(c, CNI_NO_JSON, misuse("the configuration is not a JSON object"));
}

static int read_version(struct cni *c)
{
	const char *text;
	int err = cni_text(c, c->config, "cniVersion", &text);
	unsigned int i;

	if (err)
		return err;
	for (i = 0; text && i < CNI_VERSIONS; i++)
		if (!strcmp(text, cni_versions[i])) {
			c->version = i;
			return 0;
		}
	c->version = CNI_1_1_0; /* for the answer */
	return cni_code(c, CNI_BAD_VERSION,
			misuse("cniVersion %s is not supported; use one of: 0.3.0, 0.3.1, 0.4.0, "
			       "1.0.0, 1.1.0",
			       quoted(text ?: "")));
}

static int read_config(struct cni *c)
{
	const char *instance;
	struct tsw_name unused;
	int err = cni_text(c, c->config, "name", &c->network);

	err = err ?: cni_text(c, c->config, "instance", &instance);
	err = err ?: cni_text(c, plug_find(c->config, "ipam"), "type", &c->ipam);
	if (err)
		return err;
	if (!c->network || !is_identifier(c->network))
		return cni_code(c, CNI_BAD_CONFIG,
				misuse("name: %s is not a network's name",
				       quoted(c->network ?: "")));
	c->instance = instance ?: "default";
	err = parse_known_name(c->instance, &unused);
	if (err) {
		fail_where("instance: ");
		return cni_code(c, CNI_BAD_CONFIG, err);
	}
	c->runtime = plug_find(c->config, "runtimeConfig");
	cni_name(c->instance, c->network, c->container, c->ifname, &c->names);
	return 0;
}

int cni_read(struct cni *c)
{
	int err;

	c->command = env("CNI_COMMAND");
	c->container = env("CNI_CONTAINERID");
	c->netns = env("CNI_NETNS");
	c->ifname = env("CNI_IFNAME");
	c->path = env("CNI_PATH");
	c->args = env("CNI_ARGS");
	c->version = CNI_1_1_0;
	/* VERSION needs no configuration. */
	if (!strcmp(c->command, "VERSION"))
		return 0;
	err = read_input(c);
	err = err ?: parse_input(c);
	err = err ?: read_version(c);
	err = err ?: cni_code(c, CNI_BAD_ENV, check_env(c));
	return err ?: read_config(c);
}

void cni_free(struct cni *c)
{
	free(c->text);
	json_decref(c->config);
	json_decref(c->error);
}
