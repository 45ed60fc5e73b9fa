/* SPDX-License-Identifier: GPL-2.0-only */
/* The command that mends what `doctor` finds. */
#ifndef TSW_TOOLS_DOCTOR_MEND_H
#define TSW_TOOLS_DOCTOR_MEND_H

#include "store/tsw.h"

enum { MEND_LEN = 512 };

/*
 * The command for this run's switch: `tsw` becomes `tsw -n h1`, INSTANCE and OBJECT their names,
 * OTHER_END that of the device OBJECT's, OTHER_NETNS where that is. They stay where a name is not
 * known or could mean something to a shell. NULL for NULL.
 */
const char *mend_text(const struct tsw *t, const char *command, const char *object,
		      char text[MEND_LEN]);

/* The command that DETAIL tells, in the container's namespace if that has a name; or NULL. */
const char *mend_told(const char *detail, const char *object, char text[MEND_LEN]);

/* The command for WHAT of OBJECT, a word of `switch check` or one of mend.c alone. */
const char *mend_for(const char *what, const char *object);

#endif
