// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/text.h"
#include "cni/ipam.h"
#include "plug/json.h"

enum { ANSWER_MOST = 1 << 20 };

/* Searches only the directories of CNI_PATH. */
static int find(struct cni *c, char path[PATH_MAX])
{
	const char *at, *end;
	struct stat file;

	if (!*c->ipam || strchr(c->ipam, '/') || !strcmp(c->ipam, ".") || !strcmp(c->ipam, ".."))
		return cni_code(c, CNI_BAD_CONFIG,
				misuse("ipam.type: %s is not a plugin's name", quoted(c->ipam)));
	for (at = c->path; *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, ':');
		if (end == at ||
		    snprintf(path, PATH_MAX, "%.*s/%s", (int)(end - at), at, c->ipam) >= PATH_MAX)
			continue;
		if (!stat(path, &file) && S_ISREG(file.st_mode) && !access(path, X_OK))
			return 0;
	}
	return cni_code(c, CNI_BAD_CONFIG,
			fail(ENOENT, "ipam.type: there is no plugin %s in CNI_PATH, which is %s",
			     quoted(c->ipam), quoted(c->path)));
}

/* A file instead of a pipe, because a plugin may read it late or not at all. */
static int input_of(const struct cni *c)
{
	const size_t len = strlen(c->text);
	int fd = memfd_create("tsw-cni", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, c->text, len) == (ssize_t)len && !lseek(fd, 0, SEEK_SET))
		return fd;
	if (fd >= 0)
		close(fd);
	return fail(errno, "cannot pass the configuration on: %s", strerror(errno));
}

static void become(const char *path, const char *command, int in, int out)
{
	char *argv[] = {(char *)path, NULL};

	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    !setenv("CNI_COMMAND", command, 1))
		execv(path, argv);
	_exit(127);
}

/* Reads the plugin's output to its end. */
static int answer_of(int fd, char *text)
{
	size_t n = 0;
	ssize_t got;

	while (n < ANSWER_MOST &&
	       ((got = read(fd, text + n, ANSWER_MOST - n)) > 0 || (got < 0 && errno == EINTR)))
		n += got > 0 ? (size_t)got : 0;
	text[n] = '\0';
	return 0;
}

static int run(const char *path, const char *command, int in, char *text, int *status)
{
	int out[2];
	pid_t child;

	if (pipe2(out, O_CLOEXEC))
		return fail(errno, "cannot make a pipe: %s", strerror(errno));
	child = fork();
	if (!child)
		become(path, command, in, out[1]);
	close(out[1]);
	if (child > 0)
		answer_of(out[0], text);
	close(out[0]);
	if (child < 0)
		return fail(errno, "cannot make a process: %s", strerror(errno));
	while (waitpid(child, status, 0) < 0)
		if (errno != EINTR)
			return fail(errno, "cannot wait for a process: %s", strerror(errno));
	return 0;
}

/* Takes the plugin's own error, if it printed a valid one. */
static int failed(struct cni *c, const char *command, int status, json_t *answer)
{
	const char *said = json_string_value(plug_find(answer, "msg"));

	if (json_is_integer(plug_find(answer, "code")) && said) {
		json_decref(c->error);
		c->error = json_incref(answer);
		return fail(EIO, "%s", escaped(said));
	}
	return fail(EIO, "plugin %s failed at %s with status %d and no error", quoted(c->ipam),
		    command, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int ipam_call(struct cni *c, const char *command, json_t **result)
{
	cleanup_free char *text = malloc(ANSWER_MOST + 1);
	char path[PATH_MAX];
	json_t *answer;
	int in, status = 0;
	int err = text ? find(c, path) : fail_memory();

	if (err)
		return err;
	in = input_of(c);
	if (in < 0)
		return in;
	err = run(path, command, in, text, &status);
	close(in);
	if (err)
		return err;
	answer = json_loads(text, 0, NULL);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		err = failed(c, command, status, answer);
	else if (result && !json_is_object(answer))
		err = cni_code(c, CNI_NO_JSON,
			       fail(EPROTO, "plugin %s printed no result, but %s", quoted(c->ipam),
				    quoted(text)));
	if (!err && result)
		*result = json_incref(answer);
	json_decref(answer);
	return err;
}
