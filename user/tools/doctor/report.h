/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of `doctor` and `test`: what was checked, how it is, and the command that mends it. */
#ifndef TSW_TOOLS_DOCTOR_REPORT_H
#define TSW_TOOLS_DOCTOR_REPORT_H

#include "cli/cli.h"

enum health { OK, WARN, FAIL };

struct report {
	struct cli *cli;
	json_t *rows;
};

/* A row about the CHECK as a whole. MEND: a command as mend_text() takes it, or NULL. */
void report_add(struct report *r, enum health state, const char *check, const char *mend,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* A row about OBJECT, or NULL, with a DETAIL of any octets. */
void report_row(struct report *r, enum health state, const char *check, const char *object,
		const char *detail, const char *mend);

/* A row about OBJECT; WHAT has a command in mend.c, or is NULL. */
void report_about(struct report *r, enum health state, const char *check, const char *what,
		  const char *object, const char *detail);

/* Prints and frees all rows. */
void report_print(struct report *r);

#endif
