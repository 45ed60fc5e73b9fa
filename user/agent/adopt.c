// SPDX-License-Identifier: GPL-2.0-only
#include "agent/adopt.h"
#include "base/err.h"
#include "cluster/change.h"
#include "cluster/record.h"

enum { AT_ONCE = ETCD_OPS - 1 }; /* and one for the pulse */

static int write_some(const struct records *r, const struct record *all, size_t n)
{
	char key[MEMBER_KEY];
	struct change c;
	size_t i;
	int err;

	change_begin(&c);
	record_pulse(r, &c, "at/%s/", r->m.host.s);
	for (i = 0; i < n; i++) {
		record_key(r, key, "%s", all[i].key);
		change_put(&c, key, all[i].value, all[i].modified);
	}
	err = change_commit(r->e, &c, NULL);
	change_end(&c);
	return err;
}

void adopt_write(struct complaints *complaints, struct replica *rp, struct record_set *adopted)
{
	struct records r = {.e = rp->e, .m = *rp->m};
	size_t i, n;
	int err = 0;

	for (i = 0; !err && i < adopted->n; i += n) {
		n = adopted->n - i < AT_ONCE ? adopted->n - i : AT_ONCE;
		err = write_some(&r, &adopted->all[i], n);
	}
	record_set_free(adopted);
	if (err)
		complaints_add_line(complaints,
				    "cannot write this host's devices into its index: %s",
				    failure()->text);
	else
		complaints_clear(complaints);
}
