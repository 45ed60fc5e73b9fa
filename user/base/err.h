/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What went wrong, set once where it is known and printed once by main. No
 * function below main prints an error.
 */
#ifndef TSW_ERR_H
#define TSW_ERR_H

enum { EXIT_DONE, EXIT_CANNOT, EXIT_MISUSE };

struct failure {
	int code;   /* errno's number */
	int status; /* the process's exit status */
	char text[1024];
};

/* It could not be done. Takes errno's number with either sign, returns it negative. */
int fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Out of memory: returns -ENOMEM. */
int fail_memory(void);

/* The command is wrong: returns -EINVAL, the exit status will be 2. */
int misuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Says more behind the message that is set, keeps code and status. */
void fail_more(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Says where, before the message that is set. */
void fail_where(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

const struct failure *failure(void);

/* Sets a failure again, behind steps that may have had their own. */
int fail_again(const struct failure *why);

#endif
