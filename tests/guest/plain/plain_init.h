/* SPDX-License-Identifier: GPL-2.0 */
/* Registers the PMUs of the array pmus[]. */

static void plain_unregister(int count)
{
	while (count--)
		perf_pmu_unregister(&pmus[count]);
}

static int __init plain_init(void)
{
	for (int i = 0; i < ARRAY_SIZE(pmus); i++) {
		int error = perf_pmu_register(&pmus[i], pmus[i].name, -1);

		if (error) {
			plain_unregister(i);
			return error;
		}
	}
	return 0;
}

static void __exit plain_exit(void)
{
	plain_unregister(ARRAY_SIZE(pmus));
}

module_init(plain_init);
module_exit(plain_exit);
MODULE_DESCRIPTION("PMUs with fixed files");
MODULE_LICENSE("GPL");
