// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/list.h"
#include "object/policy_change.h"
#include "record/policy_find.h"

int policy_make(const struct tsw *t, __u32 tenant, struct tsw_policy *policy)
{
	const struct tsw_policy_hit_key none = {.tenant = tenant};
	int err = map_get(&t->maps, MAP_POLICIES, &tenant, policy);

	if (err != -ENOENT)
		return err;
	*policy = (struct tsw_policy){};
	if (getrandom(&policy->table, sizeof(policy->table), 0) < 0)
		policy->table = tenant;
	err = map_put(&t->maps, MAP_POLICIES, &tenant, policy);
	return err ?: map_zero(&t->maps, MAP_POLICY_HITS, &none);
}

int policy_change_begin(const struct tsw *t, __u32 tenant, struct policy_change *c)
{
	*c = (struct policy_change){.tenant = tenant};
	return policy_make(t, tenant, &c->policy);
}

void policy_change_end(struct policy_change *c)
{
	free(c->edit);
}

int policy_choice_now(const struct tsw *t, const struct policy_change *c,
		      const struct tsw_policy_way_key *key, struct tsw_policy_choice *choice)
{
	struct tsw_policy_way way = {};
	int err = map_get(&t->maps, MAP_POLICY_WAYS, key, &way);

	*choice = *policy_way_now(&way, c->policy.generation);
	return err == -ENOENT ? 0 : err;
}

int policy_change_add(struct policy_change *c, const struct tsw_policy_way_key *key,
		      const struct tsw_policy_choice *was, const struct tsw_policy_choice *then)
{
	const struct policy_edit edit = {*key, *was, *then};

	return policy_same_choice(was, then) ? 0
					     : list_append(&c->edit, &c->n, &edit, sizeof(edit));
}

int policy_change_write(const struct tsw *t, const struct policy_change *c)
{
	struct tsw_policy policy = c->policy;
	size_t i;
	int err;

	policy.pending = policy.generation + 1;
	for (i = 0; i < c->n; i++)
		if (c->edit[i].then.number)
			policy.lengths |= 1U << c->edit[i].key.length;
	err = map_put(&t->maps, MAP_POLICIES, &c->tenant, &policy);
	for (i = 0; !err && i < c->n; i++) {
		const struct tsw_policy_way way = {.generation = policy.pending,
						   .now = c->edit[i].was,
						   .then = c->edit[i].then};

		err = map_put(&t->maps, MAP_POLICY_WAYS, &c->edit[i].key, &way);
	}
	return err;
}

int policy_change_commit(const struct tsw *t, const struct policy_change *c, __u32 lengths)
{
	struct tsw_policy policy;
	size_t i;
	int err = policy_load(t, c->tenant, &policy);

	if (err)
		return err;
	policy.generation++;
	policy.pending = 0;
	err = map_put(&t->maps, MAP_POLICIES, &c->tenant, &policy);
	for (i = 0; !err && i < c->n; i++)
		if (!c->edit[i].then.number)
			err = map_del(&t->maps, MAP_POLICY_WAYS, &c->edit[i].key);
	if (err || policy.lengths == lengths)
		return err;
	policy.lengths = lengths;
	return map_put(&t->maps, MAP_POLICIES, &c->tenant, &policy);
}

int policy_count(const struct tsw *t, __u32 tenant, int more)
{
	struct tsw_policy policy;
	int err = policy_make(t, tenant, &policy);

	if (err)
		return err;
	policy.generation++;
	policy.members += (__u32)more;
	return map_put(&t->maps, MAP_POLICIES, &tenant, &policy);
}
