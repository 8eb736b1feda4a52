// What the machine itself can do, timed in the same run as the databases, so that their figures have something to be
// held against on a disk whose speed changes by the hour:
//
//   floor_flush   overwrites of 16 KiB in an initialised file, each followed by fdatasync (a durable commit's least cost)
//   floor_wakeup  p50 of a byte written to a pipe until the process blocked on it has seen it (a notification's least cost)
//
//   cc -O2 floor.c -o floor && ./floor --dir FOLDER
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 16384, BLOCKS = 256, FLUSHES = 1000, WAKEUPS = 2000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void flushes(const char *folder)
{
    char path[4096];
    static char block[BLOCK];
    if (snprintf(path, sizeof path, "%s/floor.bin", folder) >= (int)sizeof path)
        fail("folder name too long");
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        fail(path);
    for (int i = 0; i < BLOCKS; i++)
        if (pwrite(fd, block, BLOCK, (off_t)i * BLOCK) != BLOCK)
            fail("pwrite");
    if (fdatasync(fd) != 0)
        fail("fdatasync");
    double start = now();
    for (int i = 0; i < FLUSHES; i++) {
        memset(block, i, BLOCK);
        if (pwrite(fd, block, BLOCK, (off_t)(i % BLOCKS) * BLOCK) != BLOCK || fdatasync(fd) != 0)
            fail("overwrite");
    }
    printf("floor_flush %.2f tx/s\n", FLUSHES / (now() - start));
    close(fd);
    unlink(path);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void wakeups(void)
{
    int there[2], back[2];
    double *seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    static double us[WAKEUPS];
    char byte = 0;
    if (pipe(there) != 0 || pipe(back) != 0 || seen == MAP_FAILED)
        fail("pipe");
    pid_t child = fork();
    if (child < 0)
        fail("fork");
    if (child == 0) {
        close(there[1]);
        while (read(there[0], &byte, 1) == 1) {
            *seen = now();
            if (write(back[1], &byte, 1) != 1)
                break;
        }
        _exit(0);
    }
    for (int i = 0; i < WAKEUPS; i++) {
        double start = now();
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
            fail("pipe");
        us[i] = (*seen - start) * 1e6;
    }
    close(there[1]);
    waitpid(child, NULL, 0);
    qsort(us, WAKEUPS, sizeof us[0], ascending);
    printf("floor_wakeup %.4f us\n", us[WAKEUPS / 2]);
}

int main(int argc, char **argv)
{
    const char *folder = ".";
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--dir") == 0)
            folder = argv[i + 1];
    flushes(folder);
    wakeups();
    return 0;
}
