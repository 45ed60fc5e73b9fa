// SPDX-License-Identifier: GPL-2.0-only
/* An endpoint's name, by which the tenant's other endpoints find it if the tenant has `dns on`. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "cni/want.h"

enum { POD_MOST = 1024 };

struct calling {
	struct cni *c;
	struct want *want;
	bool refused; /* the network names its endpoints itself */
};

static int call(void *context, const char *text)
{
	const struct calling *calling = context;
	struct tsw_name name;
	int err = parse_name(text, &name);

	err = err ?: given_check(&name, calling->c->names.network);
	if (err)
		return err;
	if (calling->refused)
		return fail(EPERM, "the network does not let containers choose a name: %s",
			    quoted(text));
	if (*calling->want->name.s && strcmp(calling->want->name.s, name.s))
		return misuse("two names are given, %s and %s", quoted(calling->want->name.s),
			      quoted(text));
	calling->want->name = name;
	return 0;
}

/* Takes the pod's name. Ignores one that is not valid here, such as a too long one. */
static int call_by_pod(struct cni *c, struct want *want)
{
	char text[POD_MOST];
	int err = cni_arg(c, "K8S_POD_NAME", text, sizeof(text));

	if (err)
		return err == -ENOENT ? 0 : err;
	want->pod = !parse_name(text, &want->name) && !given_check(&want->name, c->names.network);
	if (!want->pod)
		want->name = (struct tsw_name){};
	return 0;
}

int want_name(struct cni *c, struct want *want)
{
	struct calling calling = {c, want, false};
	const char *from;
	int err = cni_text(c, c->config, "nameFrom", &from);

	if (!err && from && strcmp(from, "pod") && strcmp(from, "id"))
		err = cni_code(c, CNI_BAD_CONFIG,
			       misuse("nameFrom: %s is unknown; use \"pod\" or \"id\"",
				      quoted(from)));
	calling.refused = !err && from && !strcmp(from, "id");
	err = err ?: cni_each_word(c, "name", call, &calling);
	return err || *want->name.s || calling.refused ? err : call_by_pod(c, want);
}
