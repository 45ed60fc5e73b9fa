// SPDX-License-Identifier: GPL-2.0-only
/*
 * Container runtimes call tsw-cni once for each operation. It prints only a result or an error, in
 * the form of the specification.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cni/cni.h"

static int show_version(struct cni *c)
{
	json_t *all = json_array();
	unsigned int i;

	for (i = 0; i < CNI_VERSIONS; i++)
		json_array_append_new(all, json_string(cni_versions[i]));
	return cni_print(c, json_pack("{s:s, s:o}", "cniVersion", cni_versions[CNI_1_1_0],
				      "supportedVersions", all));
}

static const struct verb {
	const char *name;
	enum cni_version since;
	int (*run)(struct cni *c);
} verbs[] = {
	{"ADD", CNI_0_3_0, cni_add},	   {"DEL", CNI_0_3_0, cni_del},
	{"CHECK", CNI_0_4_0, cni_check},   {"GC", CNI_1_1_0, cni_gc},
	{"STATUS", CNI_1_1_0, cni_status}, {"VERSION", CNI_0_3_0, show_version},
};

/* Checked before any input is read, because a call by hand has none. */
static int find(struct cni *c, const struct verb **verb)
{
	const char *command = getenv("CNI_COMMAND") ?: "";
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(command, verbs[i].name)) {
			*verb = &verbs[i];
			return 0;
		}
	c->version = CNI_1_1_0;
	return cni_code(c, CNI_BAD_ENV,
			misuse("CNI_COMMAND: %s is unknown; use one of: ADD, DEL, CHECK, GC, "
			       "STATUS, VERSION",
			       quoted(command)));
}

static int run(struct cni *c)
{
	const struct verb *verb = NULL;
	int err = find(c, &verb);

	err = err ?: cni_read(c);
	if (!err && c->version < verb->since)
		err = cni_code(c, CNI_BAD_VERSION,
			       misuse("cniVersion %s has no %s", quoted(cni_versions[c->version]),
				      verb->name));
	err = err ?: cni_read_tenant(c);
	return err ?: verb->run(c);
}

/* Errors that pass by themselves get CNI_TRY_AGAIN. */
static enum cni_code code_of(const struct cni *c, int err)
{
	if (c->code)
		return c->code;
	switch (-err) {
	case EAGAIN:
	case EBUSY:
	case ETIMEDOUT:
	case EHOSTUNREACH:
		return CNI_TRY_AGAIN;
	}
	return CNI_REFUSED;
}

static void report(struct cni *c, int err)
{
	if (c->error) {
		json_object_set_new(c->error, "cniVersion", json_string(cni_versions[c->version]));
		cni_print(c, json_incref(c->error));
		return;
	}
	cni_print(c, json_pack("{s:s, s:i, s:o, s:o}", "cniVersion", cni_versions[c->version],
			       "code", code_of(c, err), "msg", json_text(failure()->text),
			       "details", json_text(strerror(-err))));
}

int main(void)
{
	struct cni c = {};
	int err;

	libbpf_set_print(NULL);
	signal(SIGPIPE, SIG_IGN); /* a plugin may not read its input */
	err = run(&c);
	if (err)
		report(&c, err);
	cni_free(&c);
	return err ? EXIT_CANNOT : EXIT_DONE;
}
