// SPDX-License-Identifier: GPL-2.0-only
#include <pwd.h>
#include <stdio.h>

#include "owner.h"
#include "text.h"

const char *owner_text(uid_t uid, char owner[OWNER_LEN])
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		snprintf(owner, OWNER_LEN, "uid %u (%s)", uid, quoted(user->pw_name));
	else
		snprintf(owner, OWNER_LEN, "uid %u", uid);
	return owner;
}
