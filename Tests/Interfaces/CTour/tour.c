/* The C program of the tour: on the same file, at the same time as the Swift programs, through libfreehold.
 *
 *     c-tour DATABASE
 *
 * It works until its standard input ends. It looks packages up in ever newer snapshots, adds up the sums that only agree
 * between commits, and now and then is the writer: each of its commits adds an Install and changes two other objects, as
 * those of the Swift writers do. At the end it says what it saw. Exit code 1: an error, or a sum that did not agree.
 */
#define _POSIX_C_SOURCE 200809L

#include <freehold.h>

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    WRITER = 2,               /* this program's number among the writers */
    VISITS_PER_LOOK = 64,     /* look-ups between two looks at standard input */
    VISITS_PER_SUM = 256,     /* look-ups between two sums */
    COMMIT_EVERY_MS = 20,
    MOST_SAMPLES = 1 << 20
};

/* Samples of one kind of act, in nanoseconds. */
typedef struct {
    int64_t *samples;
    size_t count;
} latencies_t;

/* Where everything is. Numbers of classes and properties never change in a file. */
typedef struct {
    freehold_class_t package, dependency, install, tally;
    freehold_property_t package_name, package_installs, package_section;
    freehold_property_t dependency_needs;
    freehold_property_t install_writer, install_number, install_package;
    freehold_property_t tally_installs, tally_began;
} places_t;

typedef struct {
    size_t count;
    freehold_key_t *keys;
    char **names;
} packages_t;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Ends the program with the library's own words unless all went well. */
static void check(freehold_error_code_t code, const char *what)
{
    if (code == FREEHOLD_OK)
        return;
    freehold_error_t error = { .size = sizeof error };
    if (code >= 1000)
        freehold_last_error(&error);
    printf("%s: %s (%s)\n", what, error.message ? error.message : "an outcome nobody expected", freehold_error_name(code));
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        printf("out of memory\n");
        exit(1);
    }
    return memory;
}

static void add_sample(latencies_t *latencies, int64_t nanoseconds)
{
    if (latencies->count < MOST_SAMPLES)
        latencies->samples[latencies->count++] = nanoseconds;
}

static int ascending(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Prints the values that 50 and 99 of a hundred samples do not exceed; sorts the samples. */
static void print_percentiles(latencies_t *latencies)
{
    static const size_t percents[2] = { 50, 99 };
    if (latencies->count)
        qsort(latencies->samples, latencies->count, sizeof *latencies->samples, ascending);
    for (size_t i = 0; i < 2; i++) {
        int64_t sample = latencies->count ? latencies->samples[(latencies->count - 1) * percents[i] / 100] : 0;
        bool is_short = sample < 1000000;
        printf("%s p%zu %.1f %s", i ? "," : "", percents[i], (double)sample / (is_short ? 1e3 : 1e6), is_short ? "µs" : "ms");
    }
    printf("\n");
}

static freehold_class_t find_class(const freehold_reader_t *reader, const char *name)
{
    freehold_class_t found;
    check(freehold_class_find(reader, name, FREEHOLD_TERMINATED, &found), name);
    return found;
}

static freehold_property_t find_property(const freehold_reader_t *reader, freehold_class_t object_class, const char *name)
{
    freehold_property_t found;
    check(freehold_property_find(reader, object_class, name, FREEHOLD_TERMINATED, &found), name);
    return found;
}

static places_t find_places(const freehold_reader_t *reader)
{
    places_t at;
    at.package = find_class(reader, "Package");
    at.dependency = find_class(reader, "Dependency");
    at.install = find_class(reader, "Install");
    at.tally = find_class(reader, "Tally");
    at.package_name = find_property(reader, at.package, "name");
    at.package_installs = find_property(reader, at.package, "installs");
    at.package_section = find_property(reader, at.package, "section");
    at.dependency_needs = find_property(reader, at.dependency, "needs");
    at.install_writer = find_property(reader, at.install, "writer");
    at.install_number = find_property(reader, at.install, "number");
    at.install_package = find_property(reader, at.install, "package");
    at.tally_installs = find_property(reader, at.tally, "installs");
    at.tally_began = find_property(reader, at.tally, "began");
    return at;
}

/* Reads every package's name. What the cursor gives is borrowed, so the names are copied. */
static packages_t read_packages(const freehold_reader_t *reader, const places_t *at)
{
    uint64_t count;
    check(freehold_object_count(reader, at->package, &count), "counting packages");
    packages_t packages = { 0, allocate(count, sizeof(freehold_key_t)), allocate(count, sizeof(char *)) };
    freehold_cursor_t *cursor;
    check(freehold_cursor_open(reader, at->package, 1, &at->package_name, &cursor), "listing packages");
    size_t filled = 256;
    while (filled == 256) {
        freehold_key_t keys[256];
        freehold_value_t names[256];
        check(freehold_cursor_next(cursor, 256, keys, names, &filled), "listing packages");
        for (size_t i = 0; i < filled && packages.count < count; i++) {
            char *name = allocate(names[i].as.string.length + 1, 1);
            memcpy(name, names[i].as.string.bytes, names[i].as.string.length);
            packages.keys[packages.count] = keys[i];
            packages.names[packages.count++] = name;
        }
    }
    check(freehold_cursor_close(cursor), "listing packages");
    return packages;
}

/* A package by its name, its section, and how many packages need it. */
static void visit(const freehold_reader_t *reader, const places_t *at, const char *name)
{
    freehold_value_t wanted = freehold_string(name, FREEHOLD_TERMINATED), section;
    freehold_key_t key;
    uint64_t needed;
    check(freehold_object_find(reader, at->package, &wanted, &key), name);
    check(freehold_object_get(reader, at->package, key, 1, &at->package_section, &section), name);
    check(freehold_object_backlinks(reader, key, at->dependency, at->dependency_needs, 0, NULL, &needed), name);
}

/* The tally, the number of installs and the sum over all packages agree in every version, or commits are not atomic. */
static bool adds_up(const freehold_reader_t *reader, const places_t *at)
{
    freehold_value_t tally;
    uint64_t installs;
    int64_t sum = 0;
    check(freehold_object_get(reader, at->tally, 1, 1, &at->tally_installs, &tally), "reading the tally");
    check(freehold_object_count(reader, at->install, &installs), "counting installs");
    freehold_cursor_t *cursor;
    check(freehold_cursor_open(reader, at->package, 1, &at->package_installs, &cursor), "adding up");
    size_t filled = 256;
    while (filled == 256) {
        freehold_value_t values[256];
        check(freehold_cursor_next(cursor, 256, NULL, values, &filled), "adding up");
        for (size_t i = 0; i < filled; i++)
            sum += values[i].as.integer;
    }
    check(freehold_cursor_close(cursor), "adding up");
    if (tally.as.integer == sum && (uint64_t)sum == installs)
        return true;
    printf("%" PRIu64 " installs, the tally says %" PRId64 ", the packages add up to %" PRId64 "\n",
        installs, tally.as.integer, sum);
    return false;
}

/* Raises an integer property by one, within a transaction. */
static void increment(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_key_t key, freehold_property_t property)
{
    freehold_value_t value;
    check(freehold_object_get(freehold_transaction_reader(transaction), object_class, key, 1, &property, &value), "reading in a transaction");
    value = freehold_int(value.as.integer + 1);
    check(freehold_object_set(transaction, object_class, key, 1, &property, &value), "setting");
}

/* One commit, on disk before this returns. */
static void install(const freehold_database_t *database, const places_t *at, freehold_key_t package, int64_t number)
{
    freehold_value_t began = freehold_int(now());
    freehold_transaction_t *transaction;
    check(freehold_transaction_begin(database, FREEHOLD_DEFAULT_TIMEOUT, &transaction), "beginning to write");
    freehold_property_t properties[3] = { at->install_writer, at->install_number, at->install_package };
    freehold_value_t values[3] = { freehold_int(WRITER), freehold_int(number), freehold_link(package) };
    check(freehold_object_create(transaction, at->install, NULL, 3, properties, values, NULL), "creating");
    increment(transaction, at->package, package, at->package_installs);
    increment(transaction, at->tally, 1, at->tally_installs);
    check(freehold_object_set(transaction, at->tally, 1, 1, &at->tally_began, &began), "setting");
    check(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL), "committing");
}

static bool is_to_end(void)
{
    struct pollfd input = { .fd = 0, .events = POLLIN };
    return poll(&input, 1, 0) != 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DATABASE\n", argv[0]);
        return 64;
    }
    freehold_open_options_t options = { .size = sizeof options, .must_exist = true };
    freehold_database_t *database;
    freehold_snapshot_t *snapshot;
    check(freehold_database_open(argv[1], FREEHOLD_TERMINATED, &options, &database), "opening");
    check(freehold_snapshot_begin(database, &snapshot), "beginning a snapshot");
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    places_t at = find_places(reader);
    packages_t packages = read_packages(reader, &at);
    latencies_t visits = { allocate(MOST_SAMPLES, sizeof(int64_t)), 0 }, commits = { allocate(MOST_SAMPLES, sizeof(int64_t)), 0 };
    int64_t start = now(), next_commit = start;
    uint64_t visited = 0, versions = 0, sums = 0, faults = 0, seed = 2463534242;

    while (packages.count && (visited % VISITS_PER_LOOK || !is_to_end())) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t index = (size_t)(seed >> 33) % packages.count;
        bool moved;
        check(freehold_snapshot_refresh(snapshot, &moved), "refreshing");
        versions += moved;
        int64_t before = now();
        visit(reader, &at, packages.names[index]);
        int64_t after = now();
        add_sample(&visits, after - before);
        if (++visited % VISITS_PER_SUM == 0) {
            sums++;
            faults += !adds_up(reader, &at);
        }
        if (after >= next_commit) {
            before = now();
            install(database, &at, packages.keys[index], (int64_t)commits.count + 1);
            add_sample(&commits, now() - before);
            next_commit = now() + (int64_t)COMMIT_EVERY_MS * 1000000;
        }
    }

    double seconds = (double)(now() - start) / 1e9;
    printf("%" PRIu64 " look-ups in %" PRIu64 " versions, %.0f a second:", visited, versions,
        seconds > 0 ? (double)visited / seconds : 0);
    print_percentiles(&visits);
    printf("%" PRIu64 " sums, %s\n", sums, faults ? "NOT ALL RIGHT" : "all right");
    printf("%zu commits of its own between those of the others, each on disk, its wait for a turn included:", commits.count);
    print_percentiles(&commits);
    check(freehold_snapshot_end(snapshot), "ending the snapshot");
    check(freehold_database_close(database), "closing");
    for (size_t i = 0; i < packages.count; i++)
        free(packages.names[i]);
    free(packages.names);
    free(packages.keys);
    free(visits.samples);
    free(commits.samples);
    return faults != 0;
}
