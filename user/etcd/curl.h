/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libcurl, loaded only for a call to etcd. With the thirty libraries that it needs it would more
 * than double the start time of each command, also without a cluster.
 */
#ifndef TSW_ETCD_CURL_H
#define TSW_ETCD_CURL_H

#include <curl/curl.h>

/* clang-format off */
#define CURL_CALLS(X)                                                          \
	X(global_init) X(version_info) X(easy_init) X(easy_setopt) X(easy_perform) \
	X(easy_cleanup) X(easy_pause) X(easy_strerror) X(slist_append)             \
	X(slist_free_all) X(multi_init) X(multi_add_handle)                        \
	X(multi_remove_handle) X(multi_perform) X(multi_poll) X(multi_info_read)   \
	X(multi_cleanup)
/* clang-format on */

#undef curl_easy_setopt /* a macro that checks types */

struct curl {
#define CURL_CALL(name) __typeof__(curl_##name) *name;
	CURL_CALLS(CURL_CALL)
#undef CURL_CALL
};

/* -ENOENT: it is not installed, or too old to have all of these. */
int curl_load(struct curl *curl);

#endif
