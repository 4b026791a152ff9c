/* SPDX-License-Identifier: Apache-2.0 */
#include "auth_file.h"

#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_AUTH_SIZE 4096

/* Looks at the file that is open, so that nobody can change the name meanwhile. */
static bool is_private(int fd, const char *path)
{
    struct stat about;
    if (fstat(fd, &about) != 0) {
        complain("the auth file %s cannot be read: %s", path, strerrordesc_np(errno));
        return false;
    }
    if (!S_ISREG(about.st_mode)) {
        complain("the auth file %s is no regular file", path);
        return false;
    }
    if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        complain("the auth file %s is open to others: chmod 600 %s", path, path);
        return false;
    }
    return true;
}

static ssize_t read_all(int fd, char *text, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, text + done, size - done);
        if (got < 0 && errno != EINTR) {
            return -1;
        }
        if (got == 0) {
            break;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)done;
}

static bool split(char *text, const char *path, const char **credentials)
{
    text[strcspn(text, "\r\n")] = '\0';
    char *colon = strchr(text, ':');
    if (colon == NULL || colon == text || colon[1] == '\0') {
        complain("the auth file %s wants one line scheme:credentials, such as digest:user:password", path);
        return false;
    }
    *colon = '\0';
    *credentials = colon + 1;
    return true;
}

bool auth_file_read(const char *path, char **scheme, const char **credentials)
{
    *scheme = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        complain("the auth file %s cannot be read: %s", path, strerrordesc_np(errno));
        return false;
    }
    bool usable = is_private(fd, path);
    char *text = usable ? calloc(1, MAX_AUTH_SIZE + 1) : NULL;
    if (usable && (text == NULL || read_all(fd, text, MAX_AUTH_SIZE) < 0)) {
        complain("the auth file %s cannot be read: %s", path, strerrordesc_np(errno));
        usable = false;
    }
    close(fd);
    if (!usable || !split(text, path, credentials)) {
        auth_free(text);
        return false;
    }
    *scheme = text;
    return true;
}

void auth_free(char *scheme)
{
    if (scheme != NULL) {
        explicit_bzero(scheme, MAX_AUTH_SIZE + 1);
    }
    free(scheme);
}
