/* SPDX-License-Identifier: GPL-2.0-only */
/* The command's sweep on the bench of lab.h, whose header and user/'s name the maps alike. */
#ifndef TSW_TESTS_SWEEP_LAB_H
#define TSW_TESTS_SWEEP_LAB_H

#include <stdbool.h>
#include <stddef.h>

#include <bpf/libbpf.h>

/* How many buckets; DRY: how many there would be. */
size_t sweep_lab(const struct bpf_object *object, bool dry);

#endif
