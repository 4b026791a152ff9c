/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target on the files given, without a fuzzer: the kept corpus, in every build. */
#include "fuzz.h"

static void replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(65536);
    holds(file != NULL && data != NULL);
    size_t size = fread(data, 1, 65536, file);
    holds(ferror(file) == 0);
    fclose(file);
    uint8_t *exact = malloc(size > 0 ? size : 1); /* so that reading past its end is noticed */
    holds(exact != NULL);
    memcpy(exact, data, size);
    free(data);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        replay(argv[i]);
    }
    printf("%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
