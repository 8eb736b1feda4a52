// What the machine itself can do, timed in the same run as the databases, so that their figures have something to be
// held against on a disk whose speed changes by the hour:
//
//   floor_flush   overwrites of 16 KiB in an initialised file, each followed by fdatasync (a durable commit's least cost)
//   floor_wakeup  p50 of a byte written to a pipe until the process blocked on it has seen it (a notification's least cost)
//   floor_told    p50 and p99 of the same at the rhythm of `notify`: each after a pause of up to 2 ms and a flush
//   floor_beside  the same told by a process that goes on running meanwhile, as one whose commit returns: so the other one
//                 has to be woken on another processor, where `floor_told` may go on on the same one
//
//   cc -O2 floor.c -o floor && ./floor --dir FOLDER
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
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

// A file to overwrite, initialised and unlinked.
static int blocks(const char *folder)
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
    unlink(path);
    return fd;
}

static void flushes(int fd)
{
    static char block[BLOCK];
    double start = now();
    for (int i = 0; i < FLUSHES; i++) {
        memset(block, i, BLOCK);
        if (pwrite(fd, block, BLOCK, (off_t)(i % BLOCKS) * BLOCK) != BLOCK || fdatasync(fd) != 0)
            fail("overwrite");
    }
    printf("floor_flush %.2f tx/s\n", FLUSHES / (now() - start));
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// How long until the process has seen each byte; with pauses, at the rhythm of `notify`; and without resting meanwhile. Sorted.
static const double *wakeups(int flushed, int runs_on)
{
    int there[2], back[2];
    double *seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    atomic_int *count = (atomic_int *)(seen + 8);
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
            atomic_fetch_add(count, 1);
            if (write(back[1], &byte, 1) != 1)
                break;
        }
        _exit(0);
    }
    unsigned random = 7;
    for (int i = 0; i < WAKEUPS; i++) {
        static char block[BLOCK];
        if (flushed >= 0) {
            random = random * 1664525 + 1013904223;
            usleep(random >> 21);
            if (pwrite(flushed, block, BLOCK, 0) != BLOCK || fdatasync(flushed) != 0)
                fail("overwrite");
        }
        double start = now();
        if (write(there[1], &byte, 1) != 1)
            fail("pipe");
        while (runs_on && atomic_load(count) <= i)
            ;
        if (read(back[0], &byte, 1) != 1)
            fail("pipe");
        us[i] = (*seen - start) * 1e6;
    }
    close(there[1]);
    close(there[0]);
    close(back[0]);
    close(back[1]);
    waitpid(child, NULL, 0);
    qsort(us, WAKEUPS, sizeof us[0], ascending);
    return us;
}

int main(int argc, char **argv)
{
    const char *folder = ".";
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--dir") == 0)
            folder = argv[i + 1];
    int fd = blocks(folder);
    flushes(fd);
    printf("floor_wakeup %.4f us\n", wakeups(-1, 0)[WAKEUPS / 2]);
    const double *told = wakeups(fd, 0);
    printf("floor_told_p50 %.4f us\nfloor_told_p99 %.4f us\n", told[WAKEUPS / 2], told[WAKEUPS * 99 / 100]);
    told = wakeups(fd, 1);
    printf("floor_beside_p50 %.4f us\nfloor_beside_p99 %.4f us\n", told[WAKEUPS / 2], told[WAKEUPS * 99 / 100]);
    return 0;
}
