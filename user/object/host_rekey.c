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

static bool awaits_handshake(const struct tsw *t, const struct tsw_name *name)
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

	while (!err && awaits_handshake(t, name) && clock_ns(CLOCK_MONOTONIC) < end) {
		nanosleep(&moment, NULL);
		err = crypt_mend(t);
	}
	if (err || !awaits_handshake(t, name))
		return err;
	err = host_find(t, name, &id, &host);
	if (!err)
		err = host_set(t, &host, old);
	if (err)
		return err;
	return fail(ETIMEDOUT,
		    "host %s does not answer with the new key, and keeps its old one: check that "
		    "the host is up, that switch rekey made the key there, and that the host "
		    "knows this host's key. If it lost its old key, delete and add the host",
		    quoted(name->s));
}
