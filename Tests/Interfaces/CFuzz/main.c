/* Every function that the headers declare, called again and again with arguments picked by a seed: handles that are there, that have
 * ended, of another kind, invented or NULL; texts that are no UTF-8, or too long; numbers of nothing; structures of any size. What a program
 * may not do (a buffer shorter than it says, a thread where there is one) is not tried.
 *
 *     fuzz FOLDER [SEED [CALLS]]
 *
 * 1. Each call returns, with a code that has a name; an error has a message.
 * 2. A function that is given no handle of its kind does nothing.
 * 3. Each file is whole in the end, and most functions have succeeded now and then (in a long run): else too little was tried. */
#include "fuzz.h"
#include <string.h>
#include <unistd.h>

const char *at = "the beginning";
uint64_t seed, calls_made;

static uint64_t state;

uint64_t draw(void)
{
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* -- judging */

struct function {
    const char *name;
    void (*call)(void);
    uint32_t weight;
};

static unsigned long *successes;
static size_t running;

/* `is_refused`: the call had nothing to work with. */
static void judge(freehold_error_code_t code, bool is_refused)
{
    const bool is_own = own_code != FREEHOLD_OK && code == own_code;
    CHECK(!is_refused || code >= 1000);
    if (code == FREEHOLD_OK) successes[running]++;
    own_code = FREEHOLD_OK;
    if (is_own) {
        CHECK(freehold_last_error(NULL) == code);
        return;
    }
    CHECK(code >= 0 && code < 6000);
    if (code >= 1000) {
        freehold_error_t error = { .size = sizeof error };
        CHECK(strcmp(freehold_error_name(code), "UNKNOWN"));
        CHECK(freehold_last_error(&error) == code && error.message != NULL && error.message[0] != 0 && error.path != NULL);
        if (getenv("FUZZ_TELL") && successes[running] == 0 && !is_refused) fprintf(stderr, "%s: %s\n", at, error.message);
    }
}

#include "calls.inc"

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static uint64_t tried[FUNCTIONS];

void call_any(void)
{
    const size_t outer = running;
    const char *outer_name = at;
    uint32_t weights = 0;
    for (size_t i = 0; i < FUNCTIONS; i++) weights += functions[i].weight;
    uint32_t chosen = pick(weights);
    for (running = 0; chosen >= functions[running].weight; running++) chosen -= functions[running].weight;
    at = functions[running].name;
    tried[running]++;
    functions[running].call();
    running = outer;
    at = outer_name;
}

int main(int count, char **arguments)
{
    if (count < 2 || chdir(arguments[1]) != 0) {
        fprintf(stderr, "fuzz FOLDER [SEED [CALLS]]\n");
        return 2;
    }
    /* Under valgrind, which makes a file fifty times as slowly, a thirtieth of the calls has to do. */
    const bool is_slow = getenv("FREEHOLD_TEST_WRAPPER") != NULL && getenv("FREEHOLD_TEST_WRAPPER")[0] != 0;
    state = seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    uint64_t calls = count > 3 ? strtoull(arguments[3], NULL, 10) : is_slow ? 3000 : 100000;
    successes = calloc(FUNCTIONS, sizeof *successes);
    for (calls_made = 0; calls_made < calls; calls_made++) {
        if (calls_made % 200 == 0) begin_anew();
        call_any();
    }
    end_worlds();
    size_t succeeded = 0, judged = 0;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        judged += tried[i] > 0;
        succeeded += successes[i] > 0;
        if (getenv("FUZZ_TELL")) printf("%8llu tried %8lu succeeded %s\n", (unsigned long long)tried[i], successes[i], functions[i].name);
    }
    printf("%llu calls of %zu functions, of which %zu have succeeded (seed %llu)\n", (unsigned long long)calls, judged, succeeded, (unsigned long long)seed);
    const bool is_enough = calls < 50000 || (judged == FUNCTIONS && succeeded * 8 >= FUNCTIONS * 7);
    for (size_t i = 0; i < FUNCTIONS && !is_enough; i++)
        if (successes[i] == 0) fprintf(stderr, "%s has never succeeded, in %llu calls\n", functions[i].name, (unsigned long long)tried[i]);
    free(successes);
    return is_enough ? 0 : 1;
}
