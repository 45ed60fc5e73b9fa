// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "cni/cni.h"

int cni_print(struct cni *c, json_t *object)
{
	char *text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
	int err = text ? 0 : fail_memory();

	if (text) {
		json_write(stdout, text, "");
		putchar('\n');
	}
	free(text);
	json_decref(object);
	if (!err && (ferror(stdout) | fflush(stdout)))
		err = cni_code(c, CNI_IO, fail(EIO, "cannot write the result"));
	return err;
}
