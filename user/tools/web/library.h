/* SPDX-License-Identifier: GPL-2.0-only */
/* libmicrohttpd, which only `tsw web` loads: linked, it would slow each start of the command. */
#ifndef TSW_TOOLS_WEB_LIBRARY_H
#define TSW_TOOLS_WEB_LIBRARY_H

#include <microhttpd.h>

/* clang-format off */
#define MHD_CALLS(X) \
	X(start_daemon) X(stop_daemon) X(run) X(get_timeout) X(get_daemon_info) \
	X(get_connection_info) X(lookup_connection_value) X(create_response_from_buffer) \
	X(add_response_header) X(queue_response) X(destroy_response) X(suspend_connection) \
	X(resume_connection)
/* clang-format on */

struct mhd {
#define X(name) __typeof__(&MHD_##name) name;
	MHD_CALLS(X)
#undef X
};

extern struct mhd mhd;

int mhd_load(void);

#endif
