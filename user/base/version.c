// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/version.h"

enum { PART_MAX = 255 };

__u32 version_number(const char *text)
{
	unsigned int major, minor, patch;
	char more;

	if (sscanf(text, "%u.%u.%u%c", &major, &minor, &patch, &more) != 3 || major > PART_MAX ||
	    minor > PART_MAX || patch > PART_MAX)
		return 0;
	return major << 16 | minor << 8 | patch;
}

const char *version_text(__u32 number)
{
	static _Thread_local char text[32];

	if (!number)
		return NULL;
	snprintf(text, sizeof(text), "%u.%u.%u", number >> 16, number >> 8 & PART_MAX,
		 number & PART_MAX);
	return text;
}
