// SPDX-License-Identifier: GPL-2.0-only
#include <dlfcn.h>
#include <errno.h>

#include "base/err.h"
#include "etcd/curl.h"

int curl_load(struct curl *curl)
{
	/* NODELETE, because it registers functions for the end of the process. */
	void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!library)
		return fail(ENOENT, "a cluster needs libcurl (apt install libcurl4): %s",
			    dlerror());
#define CURL_CALL(name)                                                              \
	curl->name = (__typeof__(curl->name))dlsym(library, "curl_" #name);          \
	if (!curl->name) {                                                           \
		dlclose(library);                                                    \
		return fail(ENOENT, "libcurl has no curl_" #name ": it is too old"); \
	}
	CURL_CALLS(CURL_CALL)
#undef CURL_CALL
	dlclose(library);
	if (curl->global_init(CURL_GLOBAL_DEFAULT))
		return fail(ENOMEM, "libcurl could not be set up");
	return 0;
}
