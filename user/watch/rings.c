// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/text.h"
#include "watch/rings.h"

enum { PAGES_ALL = 16384, PAGES_LEAST = 8 }; /* of all CPUs together; of each */

struct sample {
	struct perf_event_header header;
	__u32 size;
	struct tsw_event event;
	__u8 frame[];
} __attribute__((packed));

struct lost {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
};

int watch_check_tenant(const struct watch *w)
{
	struct tsw_tenant now;

	if (!w->want.tenant)
		return 0;
	if (!map_get(&w->t->maps, MAP_TENANTS, &w->want.tenant, &now) &&
	    !strcmp(now.name, w->tenant.s))
		return 0;
	return fail(ENOENT, "tenant %s, which was followed, is gone", quoted(w->tenant.s));
}

static enum bpf_perf_event_ret take(void *data, int cpu, struct perf_event_header *header)
{
	const struct sample *sample = (const void *)header;
	struct tsw_event event;
	struct watch *w = data;

	(void)cpu;
	if (header->type == PERF_RECORD_LOST)
		w->lost += ((const struct lost *)(const void *)header)->lost;
	if (header->type != PERF_RECORD_SAMPLE || w->result || sample->size < sizeof(event))
		return LIBBPF_PERF_EVENT_CONT;
	memcpy(&event, &sample->event, sizeof(event));
	if (event.captured > sample->size - sizeof(event))
		return LIBBPF_PERF_EVENT_CONT;
	/* The program has checked the tenant, but for the slot's last owner a moment ago. */
	if (w->want.tenant && w->want.tenant != event.tenant)
		return LIBBPF_PERF_EVENT_CONT;
	/* Meanwhile another tenant may have the id. */
	w->result = watch_check_tenant(w);
	if (!w->result)
		w->result = w->event(w, &event, sample->frame);
	return LIBBPF_PERF_EVENT_CONT;
}

/* A CPU that is always online, such as the first, has no such file. */
static bool is_online(int cpu)
{
	char path[64], word = '1';
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	f = fopen(path, "re");
	if (!f)
		return true;
	if (fread(&word, 1, 1, f) != 1)
		word = '0';
	fclose(f);
	return word == '1';
}

static int online(int cpu[TSW_WATCH_CPUS])
{
	int possible = libbpf_num_possible_cpus(), n = 0, i;

	for (i = 0; i < possible && i < TSW_WATCH_CPUS; i++)
		if (is_online(i))
			cpu[n++] = i;
	return n;
}

static struct perf_buffer *open_rings(struct watch *w, unsigned int pages)
{
	/* The rings are read ten times a second, and earlier if one fills up. */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_RAW,
		.sample_period = 1,
		.watermark = 1,
		.wakeup_watermark = pages * (__u32)sysconf(_SC_PAGESIZE) / 4,
	};
	int cpu[TSW_WATCH_CPUS], key[TSW_WATCH_CPUS], i;
	LIBBPF_OPTS(perf_buffer_raw_opts, opts, .cpu_cnt = online(cpu), .cpus = cpu,
		    .map_keys = key);

	attr.size = sizeof(attr);
	for (i = 0; i < opts.cpu_cnt; i++)
		key[i] = (int)w->slot * TSW_WATCH_CPUS + cpu[i];
	return perf_buffer__new_raw(w->t->maps.fd[MAP_WATCH_EVENTS], pages, &attr, take, w, &opts);
}

int rings_open(struct watch *w)
{
	unsigned int pages = w->pages, cpus = (unsigned int)libbpf_num_possible_cpus();

	while (pages * cpus > PAGES_ALL && pages > PAGES_LEAST)
		pages /= 2;
	/* Without CAP_IPC_LOCK the kernel may allow less room than that. */
	for (; pages >= PAGES_LEAST; pages /= 2) {
		w->rings = open_rings(w, pages);
		if (w->rings || errno != EPERM)
			break;
	}
	if (w->rings)
		return 0;
	if (errno == EACCES || errno == EPERM)
		return fail(EPERM, "seeing frames needs CAP_PERFMON: run as root, or with this "
				   "capability");
	return fail(errno, "cannot make rings for events: %s", strerror(errno));
}

void rings_close(struct watch *w)
{
	perf_buffer__free(w->rings);
	w->rings = NULL;
}

int rings_read(struct watch *w, int timeout)
{
	int got = perf_buffer__poll(w->rings, timeout);

	if (got >= 0 || got == -EINTR)
		got = perf_buffer__consume(w->rings);
	return got < 0 && got != -EINTR ? fail(got, "cannot read events: %s", strerror(-got)) : 0;
}
