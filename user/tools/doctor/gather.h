/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs commands and keeps what they print in memory. */
#ifndef TSW_TOOLS_DOCTOR_GATHER_H
#define TSW_TOOLS_DOCTOR_GATHER_H

enum { GATHER_SECONDS = 15 };

/*
 * Runs ARGV, with the file at OUT as its output and errors. A command that is missing, fails, or is
 * killed after GATHER_SECONDS leaves a last line that says so. Negative: it could not be started.
 */
int gather_run(char *const *argv, int out);

struct gathered {
	int fd;
	char name[64];
};

/* Writes a tar with N open files, by their names below the folder TOP, to the file at OUT. */
int gather_tar(const struct gathered *all, unsigned int n, const char *top, int out);

#endif
