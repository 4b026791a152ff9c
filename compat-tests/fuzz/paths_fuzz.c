/* SPDX-License-Identifier: Apache-2.0 */
/* Paths and name spaces: what is valid has no part that ZooKeeper refuses; what is prefixed comes back as it was. */
#include "fuzz.h"

#include "base/path.h"
#include "framework/namespace.h"

#include <curator/status.h>
#include <stdbool.h>

/* As ZooKeeper's Java server looks at it, UTF-16 unit by unit. */
static bool is_refused(uint16_t unit)
{
    return unit == 0 || (unit > 0 && unit < 0x1f) || (unit > 0x7f && unit < 0x9f) || (unit > 0xd800 && unit < 0xf8ff) ||
           (unit > 0xfff0 && unit < 0xffff);
}

/* The rules once more, from the other end: cut at the slashes, look at the parts. */
static bool is_valid(const char *path)
{
    uint16_t *units = malloc((strlen(path) + 1) * sizeof *units);
    holds(units != NULL);
    int count = utf16_of(path, units);
    bool valid = count > 0 && path[0] == '/';
    for (int i = 0; i < count; i++) {
        valid = valid && !is_refused(units[i]);
    }
    free(units);
    if (valid && strcmp(path, "/") == 0) {
        return true;
    }
    for (const char *part = path; valid && part != NULL; part = strchr(part + 1, '/')) {
        size_t length = strcspn(part + 1, "/");
        valid = length > 0 && !(length == 1 && part[1] == '.') && !(length == 2 && part[1] == '.' && part[2] == '.');
    }
    return valid;
}

static void refusal_is_one_line(void)
{
    const char *sentence = curator_last_error();
    holds(sentence[0] != '\0' && strlen(sentence) < 1024);
    for (; *sentence != '\0'; sentence++) {
        holds((unsigned char)*sentence >= ' ' && *sentence != 0x7f);
    }
}

static void rules_are_kept(const char *path)
{
    curator_status status = path_validate(path);
    holds(status == CURATOR_OK || status == CURATOR_INVALID_ARGUMENT);
    holds((status == CURATOR_OK) == is_valid(path));
    if (status != CURATOR_OK) {
        refusal_is_one_line();
    }
}

static void name_space_goes_on_and_off(const char *name_space, const char *path)
{
    curator_status status = namespace_validate(name_space);
    if (status != CURATOR_OK) {
        holds(status == CURATOR_INVALID_ARGUMENT);
        refusal_is_one_line();
    } else if (path_validate(path) == CURATOR_OK) {
        char *full = namespace_fix(name_space, path);
        holds(full != NULL && path_validate(full) == CURATOR_OK);
        holds(strcmp(namespace_unfix(name_space, full), path) == 0);
        if (name_space[0] != '\0') {
            size_t length = strlen(name_space);
            holds(full[0] == '/' && strncmp(full + 1, name_space, length) == 0);
            holds(full[1 + length] == '\0' || full[1 + length] == '/');
        }
        free(full);
    }
    const char *rest = namespace_unfix(name_space, path); /* of whatever: stays inside, or is the root */
    holds(strcmp(rest, "/") == 0 || (rest >= path && rest <= path + strlen(path)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = pieces_of(data, size);
    for (size_t i = 0; i < pieces.count; i++) {
        rules_are_kept(pieces.text[i]);
        name_space_goes_on_and_off(pieces.text[0], pieces.text[i]);
    }
    pieces_free(&pieces);
    return 0;
}
