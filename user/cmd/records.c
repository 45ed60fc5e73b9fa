// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/records.h"

enum { LEAST_MS = 1000 };

unsigned int records_wait_ms(const struct cli *cli)
{
	return cli->tsw.wait_ms > LEAST_MS ? cli->tsw.wait_ms : LEAST_MS;
}

int records_begin(struct cli *cli, struct records **r)
{
	int err = 0;

	if (cli->records)
		records_wait(cli->records, records_wait_ms(cli));
	else
		err = records_open(cli->tsw.instance, records_wait_ms(cli), &cli->records);
	*r = cli->records;
	return err;
}

int backend_begin(struct cli *cli, struct backend *b)
{
	struct records *r = NULL;
	int err = cli->cluster ? records_begin(cli, &r) : 0;

	*b = backend_of(&cli->tsw, r);
	return err;
}

void records_note_refused(const struct cli *cli, size_t n)
{
	if (n)
		note(&cli->tsw.log, "records that are not as tsw writes them, and left out: %zu",
		     n);
}
