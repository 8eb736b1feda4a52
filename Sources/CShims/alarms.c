// One descriptor for an event loop to poll, which combines another descriptor and a timer.
#define _GNU_SOURCE
#include "CShims.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int watch(int set, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
}

int freehold_shim_alarm_make(int other, int *timer) {
    int set = epoll_create1(EPOLL_CLOEXEC);
    if (set < 0) return -errno;
    *timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (*timer >= 0 && watch(set, other) == 0 && watch(set, *timer) == 0) return set;
    int code = errno;
    if (*timer >= 0) close(*timer);
    close(set);
    *timer = -1;
    return -code;
}

int freehold_shim_alarm_set(int timer, int64_t every_nanoseconds) {
    struct timespec every = {every_nanoseconds / 1000000000, every_nanoseconds % 1000000000};
    struct itimerspec times = {.it_interval = every, .it_value = every};
    return timerfd_settime(timer, 0, &times, NULL) < 0 ? -errno : 0;
}

int freehold_shim_alarm_drain(int timer) {
    uint64_t times;
    ssize_t count;
    do count = read(timer, &times, sizeof times);
    while (count < 0 && errno == EINTR);
    if (count == sizeof times) return 1;
    return count < 0 && errno != EAGAIN ? -errno : 0;
}
