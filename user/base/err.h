/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * This thread's failure. It is set once, where the cause is known, and printed once, by main(). No
 * function below main() prints an error.
 */
#ifndef TSW_ERR_H
#define TSW_ERR_H

enum { EXIT_DONE, EXIT_CANNOT, EXIT_MISUSE };

struct failure {
	int code;   /* errno's number */
	int status; /* the process's exit status */
	char text[1024];
};

/* The request cannot be done. Takes errno's number with either sign, returns it negative. */
int fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Out of memory: returns -ENOMEM. */
int fail_memory(void);

/* The command is wrong: returns -EINVAL, the exit status will be 2. */
int misuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Appends to the message that is set; code and status stay. */
void fail_more(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Puts a place in front of the message that is set. */
void fail_where(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

const struct failure *failure(void);

/* Sets a saved failure again, which later steps may have overwritten. */
int fail_again(const struct failure *why);

#endif
