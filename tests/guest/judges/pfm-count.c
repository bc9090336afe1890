// SPDX-License-Identifier: GPL-2.0
/*
 * pfm-count: prints the PMUs that libpfm4 knows and finds, a line each.
 * pfm-count CPU COMMAND EVENT...: opens one event after the other on a CPU, as libpfm4
 * encodes it, while a shell command runs. Prints a line for each: its name, and its count or
 * the reason why libpfm4 or the kernel refused it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/pfmlib_perf_event.h>

static int list(void)
{
	int pmu;

	pfm_for_all_pmus(pmu) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (pfm_get_pmu_info(pmu, &info) == PFM_SUCCESS && info.is_present)
			printf("%s\n", info.name);
	}
	return 0;
}

/* Opens an event, or returns why there is none. */
static const char *open_event(const char *name, int cpu, int *file)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t encoded = { .attr = &attr, .size = sizeof(encoded) };
	int error = pfm_get_os_event_encoding(name, 0, PFM_OS_PERF_EVENT, &encoded);

	if (error != PFM_SUCCESS)
		return pfm_strerror(error);
	*file = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return *file < 0 ? strerror(errno) : NULL;
}

static int count(const char *name, int cpu, const char *command)
{
	const char *refused;
	__u64 value;
	int file = -1;
	int right;

	refused = open_event(name, cpu, &file);
	if (refused) {
		printf("%s %s\n", name, refused);
		return 0;
	}
	right = !system(command) && read(file, &value, sizeof(value)) == sizeof(value);
	close(file);
	if (!right)
		return 1;
	printf("%s %llu\n", name, (unsigned long long)value);
	return 0;
}

int main(int argc, char *argv[])
{
	int i;

	if (pfm_initialize() != PFM_SUCCESS) {
		fprintf(stderr, "pfm-count: libpfm4 knows nothing of this machine\n");
		return 1;
	}
	if (argc == 1)
		return list();
	if (argc < 4) {
		fprintf(stderr, "usage: pfm-count [CPU COMMAND EVENT...]\n");
		return 2;
	}
	for (i = 3; i < argc; i++) {
		if (count(argv[i], atoi(argv[1]), argv[2]))
			return 1;
	}
	return 0;
}
