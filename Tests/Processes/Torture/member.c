/* The C program of the torture; README.md tells the protocol. */
#include "member.h"

freehold_database_t *database;
freehold_transaction_t *transaction;
freehold_durability_t durability;
freehold_snapshot_t *held;
uint64_t held_digest;
freehold_error_code_t failure;
static char failure_text[400];

char *words[MOST_WORDS];
static size_t word_count;

/* --- answers */

void say(const char *text)
{
    fputs(text, stdout);
    fputc('\n', stdout);
    fflush(stdout);
}

static void describe(freehold_error_code_t code)
{
    freehold_error_t error = { .size = sizeof error };
    freehold_last_error(&error);
    snprintf(failure_text, sizeof failure_text, "%s", code < 1000 ? "nothing there" : error.message);
    for (char *c = failure_text; *c; c++)
        if (*c == '\n') *c = ' ';
}

bool worked(freehold_error_code_t code)
{
    if (code == FREEHOLD_OK) return true;
    failure = code;
    describe(code);
    return false;
}

void say_failure(void)
{
    char line[500];
    snprintf(line, sizeof line, "E %d %s", (int)failure, failure_text);
    failure = FREEHOLD_OK;
    say(line);
}

void protocol(const char *what)
{
    fprintf(stderr, "protocol: %s (%s)\n", what, word_count ? words[0] : "");
    exit(2);
}

/* --- what a process does to others and to itself */

struct storm {
    const char *name;
    long rounds;
    freehold_durability_t durability;
    unsigned seed;
    uint64_t made;
};

static void *storm_thread(void *context)
{
    struct storm *storm = context;
    unsigned state = storm->seed;
    for (long n = 0; n < storm->rounds; n++) {
        freehold_transaction_t *writing;
        if (freehold_transaction_begin(database, 60000, &writing) != FREEHOLD_OK) break;
        const int source = rand_r(&state) % ACCOUNTS, target = (source + 1 + rand_r(&state) % (ACCOUNTS - 1)) % ACCOUNTS;
        if (!move_amount(writing, source, target, 1 + rand_r(&state) % 9, storm->name) || !count_one(writing, storm->name)) {
            freehold_transaction_rollback(writing);
            break;
        }
        const freehold_error_code_t code = freehold_transaction_commit(writing, storm->durability, NULL);
        if (code != FREEHOLD_OK) break;
        storm->made++;
    }
    return NULL;
}

static void run_storm(void)
{
    struct storm storms[16];
    pthread_t threads[16];
    const long count = strtol(words[2], NULL, 10);
    uint64_t made = 0;
    char line[64];
    for (long n = 0; n < count; n++) {
        storms[n] = (struct storm){ words[1], strtol(words[3], NULL, 10), !strcmp(words[4], "full") ? FREEHOLD_DURABILITY_FULL : FREEHOLD_DURABILITY_PROCESS_CRASH,
                                    (unsigned)n * 7919u + (unsigned)getpid(), 0 };
        if (pthread_create(threads + n, NULL, storm_thread, storms + n)) abort();
    }
    for (long n = 0; n < count; n++) {
        pthread_join(threads[n], NULL);
        made += storms[n].made;
    }
    failure = FREEHOLD_OK;
    snprintf(line, sizeof line, "ok %" PRIu64, made);
    say(line);
}

static void *begin_and_end(void *context)
{
    (void)context;
    freehold_transaction_t *lost;
    if (worked(freehold_transaction_begin(database, 10000, &lost))) add_to(lost, "Counter", &(freehold_value_t){ .type = FREEHOLD_TYPE_STRING, .as.string = { "lost", 4 } }, "count", 1000000);
    return NULL;
}

static void lose_transaction(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, begin_and_end, NULL)) abort();
    pthread_join(thread, NULL);
    if (failure != FREEHOLD_OK) say_failure();
    else say("ok");
}

static void fork_child(void)
{
    char line[64];
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        freehold_snapshot_t *snapshot;
        freehold_transaction_t *writing;
        const freehold_error_code_t read = freehold_snapshot_begin(database, &snapshot), write = freehold_transaction_begin(database, 0, &writing);
        if (read != FREEHOLD_ERROR_FORKED || write != FREEHOLD_ERROR_FORKED) {
            fprintf(stderr, "a forked child got %d and %d\n", (int)read, (int)write);
            fflush(stderr);
        }
        close(0);
        close(1);
        for (;;) pause();
    }
    snprintf(line, sizeof line, "ok %d", (int)child);
    say(line);
}

static void open_database(void)
{
    uint8_t key[FREEHOLD_KEY_LENGTH];
    char line[64];
    freehold_open_options_t options = { .size = sizeof options, .must_exist = true, .lock_timeout_milliseconds = 60000, .flush_timeout_milliseconds = 60000 };
    options.read_only = !strcmp(words[3], "ro");
    if (words[2][0] != '-') {
        options.encryption_key_length = unhex(words[2], key);
        options.encryption_key = key;
    }
    if (!worked(freehold_database_open(words[1], FREEHOLD_TERMINATED, &options, &database))) {
        database = NULL;
        say_failure();
        return;
    }
    snprintf(line, sizeof line, "ok %d", (int)getpid());
    say(line);
}

static void close_database(void)
{
    let_go();
    const bool is_closed = !database || worked(freehold_database_close(database));
    database = NULL;
    if (is_closed) say("ok");
    else say_failure();
}

static void check_file(void)
{
    freehold_check_report_t report = { .size = sizeof report };
    char line[64];
    if (!worked(freehold_database_check(database, &report, NULL, NULL))) {
        say_failure();
        return;
    }
    snprintf(line, sizeof line, "ok %" PRIu64, (uint64_t)report.problem_count);
    say(line);
}

static void begin(void)
{
    durability = !strcmp(words[1], "full") ? FREEHOLD_DURABILITY_FULL : FREEHOLD_DURABILITY_PROCESS_CRASH;
    failure = FREEHOLD_OK;
    if (worked(freehold_transaction_begin(database, -1, &transaction))) reader_in_use = freehold_transaction_reader(transaction);
    else transaction = NULL;
}

static void finish(freehold_error_code_t code)
{
    if (worked(code)) say("ok");
    else say_failure();
}

static void obey(void)
{
    const char *what = words[0];
    if (!strcmp(what, "open")) open_database();
    else if (!strcmp(what, "close")) close_database();
    else if (!strcmp(what, "begin")) begin();
    else if (!strcmp(what, "commit")) commit();
    else if (!strcmp(what, "get")) get_value();
    else if (!strcmp(what, "keys")) list_keys();
    else if (!strcmp(what, "count")) count_matching();
    else if (!strcmp(what, "counter")) read_counter();
    else if (!strcmp(what, "bank")) look_at_bank();
    else if (!strcmp(what, "hold")) hold();
    else if (!strcmp(what, "same")) compare_held();
    else if (!strcmp(what, "drop")) { let_go(); say("ok"); }
    else if (!strcmp(what, "storm")) run_storm();
    else if (!strcmp(what, "compact")) finish(freehold_database_compact(database, NULL, NULL));
    else if (!strcmp(what, "backup")) finish(freehold_database_backup(database, words[1], FREEHOLD_TERMINATED, NULL));
    else if (!strcmp(what, "check")) check_file();
    else if (!strcmp(what, "fork")) fork_child();
    else if (!strcmp(what, "closefrom")) { closefrom(3); say("ok"); }
    else if (!strcmp(what, "lose")) lose_transaction();
    else if (failure == FREEHOLD_OK && transaction) operate();
}

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    while ((length = getline(&line, &capacity, stdin)) > 0) {
        line[length - 1] = 0;
        word_count = 0;
        for (char *rest = line, *word; word_count < MOST_WORDS && (word = strsep(&rest, "\t"));) words[word_count++] = word;
        obey();
    }
    return 0;
}
