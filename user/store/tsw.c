// SPDX-License-Identifier: GPL-2.0-only
#include "base/err.h"
#include "store/tsw.h"

int mark_torn(struct tsw *t)
{
	t->torn = true;
	return -failure()->code;
}
