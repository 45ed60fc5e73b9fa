// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/terminal.h"

void report(struct cli *cli, const char *where, int argc, char **argv)
{
	const struct failure *f = failure();
	const char *code = strerrorname_np(f->code);
	char asked[512], message[2048];
	json_t *error;

	command_text(argc, argv, asked, sizeof(asked));
	snprintf(message, sizeof(message), "%s%s%s%s%s", where ? where : "", where ? ": " : "",
		 asked, *asked ? ": " : "", f->text);
	progress_clear();
	fflush(stdout);
	fprintf(stderr, "%stsw:%s %s\n", colour(stderr, COLOUR_BAD), colour(stderr, COLOUR_NONE),
		message);
	if (!cli->out.json)
		return;
	error = json_pack("{s:o, s:s}", "error", json_text(message), "code", code ? code : "EIO");
	if (cli->out.aside)
		json_object_update(error, cli->out.aside);
	json_decref(cli->out.aside);
	cli->out.aside = NULL;
	out_object(&cli->out, error);
}
