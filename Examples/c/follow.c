/* Follows a database that others write to, by its descriptor, until standard input ends; then says what it saw.
 *
 *     follow DATABASE
 *
 * After each wake-up it moves its snapshot to the newest version, goes through the class that grew last (or the largest)
 * with a cursor, and compares what it met with what the class says it holds.
 * Build: cc -std=c11 follow.c $(pkg-config --cflags --libs freehold)
 */
#include <freehold.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CLASSES = 64, BATCH = 256 };

struct follower {
    freehold_database_t *database;
    freehold_snapshot_t *snapshot;
    const freehold_reader_t *reader;
    uint64_t counts[MOST_CLASSES];
    /* The class to read. */
    freehold_class_t watched;
    uint64_t wakes, versions, objects, disagreements;
    freehold_version_t version;
};

static int failed(const char *what)
{
    freehold_error_t error = { .size = sizeof error };
    freehold_last_error(&error);
    fprintf(stderr, "%s: %s (%s)\n", what, error.message, freehold_error_name(error.code));
    return 1;
}

/* Counts every class; the one that changed most becomes the watched one. */
static freehold_error_code_t count_classes(struct follower *follower)
{
    uint32_t classes = 0;
    uint64_t most = 0;
    freehold_error_code_t code = freehold_class_count(follower->reader, &classes);
    for (freehold_class_t number = 0; code == FREEHOLD_OK && number < classes && number < MOST_CLASSES; number++) {
        uint64_t count = 0;
        code = freehold_object_count(follower->reader, number, &count);
        const uint64_t before = follower->counts[number];
        const uint64_t change = count > before ? count - before : before - count;
        if (change > most) {
            most = change;
            follower->watched = number;
        }
        follower->counts[number] = count;
    }
    return code;
}

/* Reads the watched class. */
static freehold_error_code_t go_through(struct follower *follower)
{
    freehold_cursor_t *cursor;
    freehold_key_t keys[BATCH];
    freehold_value_t values[BATCH];
    freehold_class_info_t info = { .size = sizeof info };
    uint64_t met = 0;
    size_t filled = BATCH;
    freehold_error_code_t code = freehold_class_info(follower->reader, follower->watched, &info);
    if (code == FREEHOLD_ERROR_UNKNOWN_CLASS) return FREEHOLD_OK; /* the class does not exist yet */
    if (code != FREEHOLD_OK) return code;
    code = freehold_cursor_open(follower->reader, follower->watched, info.property_count > 0, NULL, &cursor);
    if (code != FREEHOLD_OK) return code;
    while (code == FREEHOLD_OK && filled == BATCH) {
        code = freehold_cursor_next(cursor, BATCH, keys, values, &filled);
        if (code == FREEHOLD_OK) met += filled;
    }
    freehold_cursor_close(cursor);
    follower->objects += met;
    if (code == FREEHOLD_OK && met != follower->counts[follower->watched]) follower->disagreements++;
    return code;
}

static freehold_error_code_t look(struct follower *follower)
{
    freehold_version_t version = 0;
    freehold_error_code_t code = freehold_reader_version(follower->reader, &version);
    follower->versions += version - follower->version;
    follower->version = version;
    if (code == FREEHOLD_OK) code = count_classes(follower);
    return code == FREEHOLD_OK ? go_through(follower) : code;
}

/* Follows until standard input ends. */
static freehold_error_code_t follow(struct follower *follower, freehold_listener_t *listener)
{
    struct pollfd entries[] = {
        { .fd = freehold_listener_descriptor(listener), .events = POLLIN },
        { .fd = STDIN_FILENO, .events = POLLIN },
    };
    for (;;) {
        char bytes[64];
        freehold_error_code_t code = look(follower);
        if (code != FREEHOLD_OK) return code;
        if (poll(entries, 2, -1) < 0) return FREEHOLD_OK;
        if (entries[1].revents != 0 && read(STDIN_FILENO, bytes, sizeof bytes) <= 0) return FREEHOLD_OK;
        if (entries[0].revents == 0) continue;
        follower->wakes++;
        code = freehold_listener_acknowledge(listener, NULL);
        if (code == FREEHOLD_OK) code = freehold_snapshot_refresh(follower->snapshot, NULL);
        if (code != FREEHOLD_OK) return code;
    }
}

static void tell(struct follower *follower)
{
    freehold_class_info_t info = { .size = sizeof info };
    printf("woken %" PRIu64 " times for %" PRIu64 " commits of others\n", follower->wakes, follower->versions);
    printf("went through %" PRIu64 " objects, %" PRIu64 " times not as many as their class counts\n", follower->objects,
        follower->disagreements);
    for (freehold_class_t number = 0; number < MOST_CLASSES; number++) {
        if (freehold_class_info(follower->reader, number, &info) != FREEHOLD_OK) break;
        printf("%.*s: %" PRIu64 "\n", (int)info.name.length, info.name.bytes, follower->counts[number]);
    }
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s DATABASE\n", arguments[0]);
        return 2;
    }
    struct follower follower;
    memset(&follower, 0, sizeof follower);
    freehold_listener_t *listener;
    const freehold_open_options_t options = { .size = sizeof options, .must_exist = true };
    if (freehold_database_open(arguments[1], FREEHOLD_TERMINATED, &options, &follower.database) != FREEHOLD_OK)
        return failed(arguments[1]);
    /* Listen first: then every commit after the snapshot's version is notified. */
    if (freehold_listener_open(follower.database, &listener) != FREEHOLD_OK) return failed("cannot listen");
    if (freehold_snapshot_begin(follower.database, &follower.snapshot) != FREEHOLD_OK) return failed("cannot read");
    follower.reader = freehold_snapshot_reader(follower.snapshot);
    freehold_reader_version(follower.reader, &follower.version);
    printf("following since version %" PRIu64 "\n", follower.version);
    fflush(stdout);
    if (follow(&follower, listener) != FREEHOLD_OK) return failed("cannot follow");
    tell(&follower);
    freehold_snapshot_end(follower.snapshot);
    freehold_listener_close(listener);
    freehold_database_close(follower.database);
    return follower.disagreements == 0 ? 0 : 1;
}
