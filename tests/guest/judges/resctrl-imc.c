// SPDX-License-Identifier: GPL-2.0
/*
 * resctrl-imc CPU COMMAND: what the kernel's self-test of resctrl reads from the memory
 * controllers of the CPU's package, in MiB, while a shell command runs. It is that test's
 * own code, with its second of waiting replaced by the command; the parts that need resctrl
 * are not linked.
 */
#include <unistd.h>

static unsigned int run_command(unsigned int seconds);

#define sleep(seconds) run_command(seconds)
#include "resctrl_val.c"
#undef sleep

static const char *command;
static int status;

static unsigned int run_command(unsigned int seconds)
{
	status = system(command);
	return 0;
}

int main(int argc, char *argv[])
{
	float mebibytes;

	if (argc != 3) {
		fprintf(stderr, "usage: resctrl-imc CPU COMMAND\n");
		return 2;
	}
	command = argv[2];
	if (initialize_read_mem_bw_imc() || perf_open_imc_read_mem_bw(atoi(argv[1])))
		return 1;
	do_imc_read_mem_bw_test();
	if (status || get_read_mem_bw_imc(&mebibytes))
		return 1;
	perf_close_imc_read_mem_bw();
	printf("%d counters, %f MiB\n", imcs, mebibytes);
	return 0;
}
