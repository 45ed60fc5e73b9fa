// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "object/host.h"
#include "object/host_rekey.h"
#include "wire/crypt.h"

enum { WAIT_MS = 5000, LOOK_MS = 50 };

static bool is_coming(const struct tsw *t, const struct tsw_name *name)
{
	struct tsw_host host;
	__u32 id;

	return !host_find(t, name, &id, &host) && host.flags & TSW_HOST_COMING;
}

int host_key_await(struct tsw *t, const struct tsw_name *name, const struct tsw_key_list *old)
{
	const struct timespec moment = {.tv_nsec = LOOK_MS * 1000000L};
	const __u64 end = clock_ns(CLOCK_MONOTONIC) + WAIT_MS * MS_NS;
	struct tsw_host host;
	__u32 id;
	int err = crypt_mend(t);

	while (!err && is_coming(t, name) && clock_ns(CLOCK_MONOTONIC) < end) {
		nanosleep(&moment, NULL);
		err = crypt_mend(t);
	}
	if (err || !is_coming(t, name))
		return err;
	err = host_find(t, name, &id, &host);
	if (!err)
		err = host_set(t, &host, old);
	if (err)
		return err;
	return fail(ETIMEDOUT,
		    "host %s does not answer by the new key, and keeps its old one: is it up, "
		    "was it made by switch rekey there, and does it know this host's key? A "
		    "host that lost its old key is deleted and added anew",
		    quoted(name->s));
}
