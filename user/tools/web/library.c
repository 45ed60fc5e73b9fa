// SPDX-License-Identifier: GPL-2.0-only
#include <dlfcn.h>
#include <errno.h>

#include "base/err.h"
#include "tools/web/library.h"

#define LIBRARY "libmicrohttpd.so.12"

struct mhd mhd;

int mhd_load(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return fail(ENOENT,
			    "the page needs libmicrohttpd, Debian's package libmicrohttpd12: %s",
			    dlerror());
#define X(name)                                                        \
	mhd.name = (__typeof__(mhd.name))dlsym(library, "MHD_" #name); \
	if (!mhd.name)                                                 \
		return fail(ENOSYS, LIBRARY " has no MHD_" #name);
	MHD_CALLS(X)
#undef X
	return 0;
}
