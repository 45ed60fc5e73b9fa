// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of the interface. The network's file sets the maximum; the runtime and the container
 * itself may ask for less.
 */
#include <errno.h>
#include <stdint.h>

#include "base/err.h"
#include "base/parse.h"
#include "cni/want.h"
#include "plug/json.h"
#include "record/fields.h"

/* Reads one direction: bits a second, and bits of a burst. */
static int read_rate(struct cni *c, const json_t *bandwidth, const char *const keys[2], __u64 *rate,
		     __u64 *burst)
{
	json_int_t n[2];
	int err = cni_number(c, bandwidth, keys[0], &n[0]);

	err = err ?: cni_number(c, bandwidth, keys[1], &n[1]);
	if (err)
		return err;
	if (n[0] && (n[0] < RATE_MIN || (__u64)n[0] > RATE_MAX))
		return cni_code(c, CNI_BAD_CONFIG,
				misuse("bandwidth: %s: %lld is not between %d and %llu bits a "
				       "second",
				       keys[0], (long long)n[0], RATE_MIN, RATE_MAX));
	if (n[1] && !n[0])
		return cni_code(c, CNI_BAD_CONFIG,
				misuse("bandwidth: %s %lld needs %s", keys[1], (long long)n[1],
				       keys[0]));
	if (n[0])
		*rate = (__u64)n[0];
	/* containerd and CRI-O write this or more for "no burst is set". */
	*burst = n[1] < UINT32_MAX ? (__u64)n[1] / 8 : 0;
	return 0;
}

/* The container's ingress is `rate-in`. The burst is for both directions: the larger one. */
static int read_bandwidth(struct cni *c, struct tsw_limits *limits)
{
	static const char *const in[] = {"ingressRate", "ingressBurst"};
	static const char *const out[] = {"egressRate", "egressBurst"};
	const json_t *bandwidth = plug_find(c->runtime, "bandwidth");
	__u64 burst_in, burst_out;
	int err = read_rate(c, bandwidth, in, &limits->rate[TSW_RATE_IN], &burst_in);

	err = err ?: read_rate(c, bandwidth, out, &limits->rate[TSW_RATE_OUT], &burst_out);
	if (err)
		return err;
	if (burst_in < burst_out)
		burst_in = burst_out;
	if (burst_in)
		limits->burst = (__u32)burst_in;
	return 0;
}

/* ---- in the words of the switch --------------------------------------------------- */

static const char *const words[] = {
	[TSW_RATE_OUT] = "rate-out", [TSW_RATE_IN] = "rate-in", [TSW_RATES] = "burst"};
enum { WORDS = sizeof(words) / sizeof(*words) };

struct reading {
	const struct field *field;
	struct tsw_limits *limits, most; /* MOST zero: no maximum */
};

static int read_word(void *context, const char *text)
{
	const struct reading *r = context;
	struct tsw_endpoint_spec spec = {.limits = *r->limits};
	int err = field_read(r->field, text, &spec);

	if (!err)
		*r->limits = spec.limits;
	return err;
}

static const struct field *field_of(const char *word)
{
	const struct field *f = &endpoint_fields[ENDPOINT_RATE_OUT];

	while (!field_is_word(f, word))
		f++;
	return f;
}

/* Reads the network's own value. */
static int read_conf(struct cni *c, const char *word, struct reading *r)
{
	const char *text;
	int err = cni_text(c, c->config, word, &text);

	if (err || !text)
		return err;
	r->field = field_of(word);
	err = read_word(r, text);
	if (err)
		fail_where("%s: ", word);
	return cni_code(c, CNI_BAD_CONFIG, err);
}

static int check_most(const struct reading *r)
{
	const __u64 most[] = {r->most.rate[0], r->most.rate[1], r->most.burst};
	const __u64 asked[] = {r->limits->rate[0], r->limits->rate[1], r->limits->burst};
	size_t i;

	for (i = 0; i < WORDS; i++)
		if (most[i] && asked[i] > most[i])
			return fail(EPERM, "%s: %llu exceeds the network's limit of %llu", words[i],
				    asked[i], most[i]);
	return 0;
}

int want_rates(struct cni *c, struct tsw_limits *limits)
{
	struct reading r = {.limits = limits};
	int err = 0;
	size_t i;

	for (i = 0; !err && i < WORDS; i++)
		err = read_conf(c, words[i], &r);
	r.most = *limits;
	err = err ?: read_bandwidth(c, limits);
	for (i = 0; !err && i < WORDS; i++) {
		r.field = field_of(words[i]);
		err = cni_each_word(c, words[i], read_word, &r);
	}
	return err ?: cni_code(c, CNI_BAD_CONFIG, check_most(&r));
}
