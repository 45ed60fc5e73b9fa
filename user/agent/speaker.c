// SPDX-License-Identifier: GPL-2.0-only
#include "agent/speaker.h"
#include "base/clock.h"
#include "door/speak.h"
#include "switch/session.h"

enum {
	AGAIN_SECONDS = 3, /* RFC 5227 section 2.3: an announcement may be lost */
	LOCK_MS = 2000,
};

static int say_again(const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	const __u64 now = clock_kernel_ns();
	struct link link;
	size_t i;
	int err = map_rows(&t->maps, MAP_SNATS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_snat *snat = row_value(&rows, i);
		const struct tsw_addr *addr = row_key(&rows, i);

		if (snat->since + AGAIN_SECONDS * SECOND_NS > now && !speak_device(addr, &link))
			speak_announce(t, addr, &link);
	}
	return err;
}

static int mend(const struct tsw *here)
{
	struct tsw t = TSW_CLOSED;
	int err;

	t.instance = here->instance;
	t.log = here->log;
	t.will_write = true;
	t.wait_ms = LOCK_MS;
	err = session_open(&t);
	err = err ?: speak_mend(&t);
	session_close(&t);
	return err;
}

int speaker_look(const struct tsw *t)
{
	json_t *problems = json_array();
	int err = t->config.gateway ? say_again(t) : 0;

	if (!err && t->config.gateway)
		err = speak_check(t, problems);
	if (!err && json_array_size(problems))
		err = mend(t);
	json_decref(problems);
	return err;
}
