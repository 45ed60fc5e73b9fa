// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tenant of an interface. The network's configuration names it, or says that it is the pod's
 * Kubernetes namespace. A container may choose another one only if the configuration offers it.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "cni/cni.h"
#include "plug/json.h"

enum { NAMESPACE_MOST = 1024 };

struct choosing {
	struct cni *c;
	struct tsw_name tenant;
	bool offered, chosen;
};

static int offer(void *context, const char *text)
{
	struct choosing *choosing = context;
	struct tsw_name name;
	int err = strcmp(text, "any") ? parse_known_name(text, &name) : 0;

	choosing->offered |= !strcmp(text, "any") || !strcmp(text, choosing->tenant.s);
	return err;
}

static int choose(void *context, const char *text)
{
	struct choosing *choosing = context;
	struct cni *c = choosing->c;
	const struct tsw_name before = choosing->tenant;
	int err = parse_known_name(text, &choosing->tenant);

	if (!err && choosing->chosen && strcmp(before.s, text))
		err = misuse("two tenants are given, %s and %s", quoted(before.s), quoted(text));
	choosing->offered = !strcmp(text, c->tenant.s);
	err = err ?: cni_each_name(c, "tenantChoice", offer, choosing);
	if (!err && !choosing->offered)
		err = fail(EPERM, "the network does not let its containers choose tenant %s",
			   quoted(text));
	choosing->chosen = true;
	return err;
}

/* The container's choice, if it makes one. A pod's choice must not get lost on its way here. */
static int read_choice(struct cni *c)
{
	struct choosing choosing = {.c = c};
	const bool offers = plug_find(c->config, "tenantChoice");
	char unused[NAMESPACE_MOST];
	int err = cni_each_word(c, "tenant", choose, &choosing);

	if (err || choosing.chosen) {
		c->tenant = choosing.tenant;
		c->tenant_from = "the container's own choice";
		return err;
	}
	if (offers && !json_object_get(c->runtime, CNI_ANNOTATIONS) &&
	    cni_arg(c, "K8S_POD_NAMESPACE", unused, sizeof(unused)) != -ENOENT)
		return cni_code(c, CNI_BAD_CONFIG,
				misuse("tenantChoice: the runtime hands on no annotations of the "
				       "pod; the network's capabilities need \"%s\": true",
				       CNI_ANNOTATIONS));
	return *c->tenant.s ? 0
			    : cni_code(c, CNI_BAD_CONFIG,
				       misuse("the container is in no tenant: it has no label "
					      "tsw.tenant, and the network no \"tenant\""));
}

static int read_namespace(struct cni *c, bool adds)
{
	char text[NAMESPACE_MOST];
	int err = cni_arg(c, "K8S_POD_NAMESPACE", text, sizeof(text));

	if (err == -ENOENT)
		return adds ? cni_code(c, CNI_BAD_ENV,
				       misuse("CNI_ARGS: %s has no K8S_POD_NAMESPACE, which names "
					      "the tenant",
					      quoted(c->args)))
			    : 0;
	c->tenant_from = "the pod's Kubernetes namespace";
	err = err ?: parse_known_name(text, &c->tenant);
	if (err)
		fail_where("CNI_ARGS: K8S_POD_NAMESPACE: ");
	return cni_code(c, CNI_BAD_ENV, err);
}

/* The tenant that the network's configuration says. */
static int read_own(struct cni *c, bool adds, bool offers)
{
	const char *name, *from;
	int err = cni_text(c, c->config, "tenant", &name);

	err = err ?: cni_text(c, c->config, "tenantFrom", &from);
	if (err)
		return err;
	if ((name && from) || (!name && !from && !offers))
		return cni_code(c, CNI_BAD_CONFIG,
				misuse("give either \"tenant\" or \"tenantFrom\", or "
				       "\"tenantChoice\" without both"));
	if (name)
		return cni_code(c, CNI_BAD_CONFIG, parse_known_name(name, &c->tenant));
	if (!from)
		return 0;
	return !strcmp(from, "namespace")
		       ? read_namespace(c, adds)
		       : cni_code(c, CNI_BAD_CONFIG,
				  misuse("tenantFrom: %s is unknown; use \"namespace\"",
					 quoted(from)));
}

int cni_read_tenant(struct cni *c)
{
	const bool adds = !strcmp(c->command, "ADD"), status = !strcmp(c->command, "STATUS");
	struct choosing unused = {.c = c};
	const bool offers = plug_find(c->config, "tenantChoice");
	int err = c->config ? read_own(c, adds, offers) : 0; /* VERSION has none */

	err = err ?: cni_each_name(c, "tenantChoice", offer, &unused);
	if (adds)
		return err ?: read_choice(c);
	if (status || (!err && !offers))
		return err;
	/* The endpoint is found without its tenant, also if the configuration is wrong by now. */
	c->tenant = (struct tsw_name){};
	c->code = 0;
	return 0;
}
