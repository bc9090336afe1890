// SPDX-License-Identifier: GPL-2.0
/*
 * Stands for libdebuginfod in the guest, which has no network: as far as perf can
 * tell, the library is there and knows no server. The real one brings along curl,
 * TLS, Kerberos and LDAP, which are most of what starting perf costs there.
 */

#include <errno.h>
#include <stddef.h>

struct debuginfod_client;

struct debuginfod_client *debuginfod_begin(void)
{
	return NULL;
}

void debuginfod_end(struct debuginfod_client *client)
{
	(void)client;
}

int debuginfod_find_debuginfo(struct debuginfod_client *client, const unsigned char *id,
			      int length, char **path)
{
	(void)client;
	(void)id;
	(void)length;
	(void)path;
	return -ENOENT;
}

int debuginfod_find_source(struct debuginfod_client *client, const unsigned char *id,
			   int length, const char *file, char **path)
{
	(void)file;
	return debuginfod_find_debuginfo(client, id, length, path);
}
