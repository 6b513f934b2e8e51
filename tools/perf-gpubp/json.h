/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPUBP_JSON_H
#define PERF_GPUBP_JSON_H

#include <stdio.h>

/** json_string() - write text as a string of JSON */
void json_string(FILE *out, const char *text);

#endif /* PERF_GPUBP_JSON_H */
