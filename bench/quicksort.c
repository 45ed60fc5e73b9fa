// SPDX-License-Identifier: GPL-2.0-only
/*
 * A batch job: a quicksort of N random integers by all ranks of an MPI job. Prints the seconds that
 * the sort took, its distribution and collection with it.
 *
 *     mpiexec -n RANKS build/bench_quicksort N        RANKS: 1, 2, 4, 8 ...
 *
 * Rank 0 has all. Who has more than its share sends what is above a pivot to another rank, which
 * does the same with it, until all ranks have some; each sorts and sends back what it got.
 */
#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N_MAX = 1000000000, FEW = 24, SAMPLES = 1001 };

/* What a permutation of the same numbers has, too. */
struct sum {
	uint64_t plain, mixed;
};

static uint64_t mix(uint64_t x) /* splitmix64 */
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static struct sum sum_of(const int32_t *v, size_t n)
{
	struct sum sum = {};

	for (size_t i = 0; i < n; i++) {
		sum.plain += (uint32_t)v[i];
		sum.mixed += mix((uint32_t)v[i]);
	}
	return sum;
}

static bool is_sorted(const int32_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (v[i - 1] > v[i])
			return false;
	return true;
}

/* ---- on one rank -------------------------------------------------------------------- */

static void swap(int32_t *a, int32_t *b)
{
	int32_t t = *a;

	*a = *b;
	*b = t;
}

/*
 * Hoare's: the first so many, that it returns, are at most the pivot, the others at least. Neither
 * part has all if the pivot is the median of three of them, not all at the end.
 */
static size_t partition(int32_t *v, size_t n, int32_t pivot)
{
	int32_t *low = v, *high = v + n - 1;

	for (;; low++, high--) {
		while (*low < pivot)
			low++;
		while (*high > pivot)
			high--;
		if (low >= high)
			return (size_t)(high - v) + 1;
		swap(low, high);
	}
}

static void insertion_sort(int32_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int32_t x = v[i];
		size_t at = i;

		for (; at > 0 && v[at - 1] > x; at--)
			v[at] = v[at - 1];
		v[at] = x;
	}
}

static int32_t median3(int32_t a, int32_t b, int32_t c)
{
	if (a > b)
		swap(&a, &b);
	return c < a ? a : c > b ? b : c;
}

static void sort(int32_t *v, size_t n)
{
	while (n > FEW) {
		size_t low = partition(v, n, median3(v[0], v[n / 2], v[n - 1]));

		/* The smaller part by a call, so that calls nest log2(n) deep at most. */
		if (low <= n - low) {
			sort(v, low);
			v += low;
			n -= low;
		} else {
			sort(v + low, n - low);
			n = low;
		}
	}
	insertion_sort(v, n);
}

/* ---- over all ranks ----------------------------------------------------------------- */

/* About the median of all. */
static int32_t pivot_of(const int32_t *v, size_t n)
{
	int32_t sample[SAMPLES];

	for (size_t i = 0; i < SAMPLES; i++)
		sample[i] = v[mix(i) % n];
	sort(sample, SAMPLES);
	return sample[SAMPLES / 2];
}

/* Sorts by the ranks RANK, RANK + 1 ... RANK + RANKS - 1, of which this is the first. */
static void sort_with(int32_t *v, size_t n, int rank, int ranks)
{
	int other = rank + ranks / 2;
	MPI_Request back;
	size_t low;

	if (ranks == 1) {
		sort(v, n);
		return;
	}
	low = n ? partition(v, n, pivot_of(v, n)) : 0;
	MPI_Send(v + low, (int)(n - low), MPI_INT32_T, other, 0, MPI_COMM_WORLD);
	MPI_Irecv(v + low, (int)(n - low), MPI_INT32_T, other, 0, MPI_COMM_WORLD, &back);
	sort_with(v, low, rank, ranks / 2);
	MPI_Wait(&back, MPI_STATUS_IGNORE);
}

/* All but the first: sort what comes, with the ranks whose first this is, give it back. */
static void serve(int rank)
{
	int ranks = rank & -rank, from = rank - ranks, n;
	MPI_Status status;
	int32_t *v;

	MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_INT32_T, &n);
	v = malloc(((size_t)n + 1) * sizeof(*v));
	if (!v)
		MPI_Abort(MPI_COMM_WORLD, ENOMEM);
	MPI_Recv(v, n, MPI_INT32_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	sort_with(v, (size_t)n, rank, ranks);
	MPI_Send(v, n, MPI_INT32_T, from, 0, MPI_COMM_WORLD);
	free(v);
}

/* The first rank: has all, and takes the time. */
static int job(size_t n, int ranks)
{
	int32_t *v = malloc((n + 1) * sizeof(*v));
	struct sum before, after;
	double seconds;

	if (!v)
		return fprintf(stderr, "bench_quicksort: no memory for %zu integers\n", n), 1;
	for (size_t i = 0; i < n; i++)
		v[i] = (int32_t)mix(i);
	before = sum_of(v, n);
	MPI_Barrier(MPI_COMM_WORLD);
	seconds = MPI_Wtime();
	sort_with(v, n, 0, ranks);
	seconds = MPI_Wtime() - seconds;
	after = sum_of(v, n);
	if (!is_sorted(v, n) || before.plain != after.plain || before.mixed != after.mixed)
		return fprintf(stderr, "bench_quicksort: the result is not the sorted input\n"), 1;
	printf("%.6f\n", seconds);
	free(v);
	return 0;
}

/* N of the command line; 0 if it is no number. */
static size_t count_of(int argc, char **argv)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = argc == 2 && *argv[1] >= '0' && *argv[1] <= '9' ? strtoul(argv[1], &end, 10) : 0;
	if (!n || *end || errno || n > N_MAX) {
		fprintf(stderr,
			"usage: mpiexec -n RANKS bench_quicksort N, N from 1 to %d, not \"%s\"\n",
			N_MAX, argc > 1 ? argv[1] : "");
		return 0;
	}
	return n;
}

int main(int argc, char **argv)
{
	int rank, ranks, err = 0;
	size_t n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	n = count_of(argc, argv);
	if (ranks & (ranks - 1)) {
		fprintf(stderr, "bench_quicksort: %d ranks: must be a power of 2\n", ranks);
		n = 0;
	}
	if (!n)
		MPI_Abort(MPI_COMM_WORLD, 2);
	if (rank) {
		MPI_Barrier(MPI_COMM_WORLD);
		serve(rank);
	} else {
		err = job(n, ranks);
	}
	if (err)
		MPI_Abort(MPI_COMM_WORLD, err);
	/*
	 * Not by MPI_Finalize: that of MPICH 4.0 over UCX's TCP waits for ever, more often
	 * than not, for a rank that has got further and takes no messages any more.
	 */
	MPI_Barrier(MPI_COMM_WORLD);
	fflush(stdout);
	_exit(0);
}
