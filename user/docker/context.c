// SPDX-License-Identifier: GPL-2.0-only

#include "base/err.h"
#include "base/text.h"
#include "docker/docker.h"

int docker_context_open(const json_t *body, enum docker_of of, bool last, struct docker_context *p)
{
	const char *network, *id = NULL;
	int err = docker_ids(body, &network, of == DOCKER_ENDPOINT ? &id : NULL);

	*p = (struct docker_context){.w = WORLD_CLOSED};
	if (err)
		return err;
	docker_name(network, id, &p->names);
	p->given = docker_given(&p->names);
	err = docker_network_load(network, &p->n);
	if (err && last) {
		p->n.options.tenant = (struct tsw_name){};
		err = 0;
	}
	err = err ?: world_open(&p->w, p->n.options.instance.s, WORLD_CHANGE_MS);
	if (!err)
		docker_tell_directory(p->n.options.instance.s);
	return err || !id ? err : given_load(&p->given, &p->w, &p->n.options.tenant);
}

/* Keeps failure(). */
void docker_context_close(struct docker_context *p)
{
	const struct failure why = *failure();

	world_close(&p->w);
	fail_again(&why);
}

/*
 * An address in no net of the tenant has no gateway. An address of a family that the network does
 * not have was set by hand, and no container has it.
 */
int docker_context_load(struct docker_context *p)
{
	struct tsw_endpoint_spec got;
	unsigned int i;
	int err = world_tenant(&p->w, &p->n.options.tenant, &p->tenancy);

	err = err ?: given_get(&p->given, &p->w, &p->n.options.tenant, &got);
	for (i = 0; !err && i < got.ip.n; i++) {
		struct dress_ip *ip = &p->dress.ip[p->dress.n_ip];

		if (!(addr_is_v4(&got.ip.at[i]) ? p->n.ipv4 : p->n.ipv6))
			continue;
		p->dress.n_ip++;
		ip->at.addr = got.ip.at[i];
		if (!tenancy_length(&p->tenancy, &ip->at))
			ip->gateway = tenancy_gateway(&p->tenancy, &ip->at);
	}
	return err;
}
